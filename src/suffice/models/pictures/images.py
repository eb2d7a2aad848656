"""Pictures as arrays: read, written, checked, and cut into blocks."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, InvalidParameter, needed
from ...params import plain_number
from ...replacing import replacing


def as_image(values: object, owner: str = "VectorQuantizer") -> NDArray[np.generic]:
    """The picture as an array, refused where it is none."""
    try:
        image: NDArray[np.generic] = np.asarray(values)
    except ValueError as error:
        raise InvalidData(f"{owner}: a picture has rows of one length; {error}.") from None
    if image.ndim not in (2, 3) or 0 in image.shape:
        raise InvalidData(
            f"{owner}: a picture has shape (h, w) or (h, w, channels), none of them 0; got {image.shape}."
        )
    if image.dtype not in (np.uint8, np.uint16) and image.dtype.kind != "f":
        raise InvalidData(
            f"{owner}: a picture holds uint8, uint16 or floats; got {image.dtype}. Use image.astype(np.uint8)."
        )
    if image.dtype.kind == "f" and not np.isfinite(image).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(image))[0])
        raise InvalidData(f"{owner}: the pixel {place} holds {image[place]:g}; finite numbers are needed, mend it.")
    return image


def blocks_of(image: NDArray[np.generic], block: tuple[int, int]) -> NDArray[np.generic]:
    """The blocks as rows, (blocks, rows · columns · channels), the edges padded with their last pixels."""
    (h, w), (bh, bw) = image.shape[:2], block
    pixels = image.reshape(h, w, -1)
    pixels = np.pad(pixels, ((0, -h % bh), (0, -w % bw), (0, 0)), mode="edge")
    grid = pixels.reshape(pixels.shape[0] // bh, bh, pixels.shape[1] // bw, bw, -1)
    return grid.swapaxes(1, 2).reshape(-1, bh * bw * pixels.shape[2])


def distinct(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """The different rows (m, d), for each row its place among them (n,), and how often each stands there (m,)."""
    rows = np.ascontiguousarray(rows + rows.dtype.type(0))  # -0.0 becomes 0.0
    keys = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return rows[first], inverse.reshape(-1), counts


def mean_squared_error(image: NDArray[np.generic], other: NDArray[Any]) -> float:
    """The mean of the squared differences of two pictures."""
    return float(np.mean((image.astype(np.float64) - other) ** 2))


def psnr(image: NDArray[Any], mse: float, peak: float | None = None) -> float:
    """10 log₁₀(peak² / mse) in dB; without a peak, the largest number of the type, or of the floats, at least 1."""
    if peak is not None and not 0 < (plain_number(peak) or 0) < 1e150:
        raise InvalidParameter(f"psnr: peak must be a number, above 0; got {peak!r}.")
    if peak is None:
        peak = max(1.0, float(np.abs(image).max())) if image.dtype.kind == "f" else float(np.iinfo(image.dtype).max)
    return float("inf") if mse == 0 else float(10 * np.log10(peak**2 / mse))


def read_image(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    """The picture in a file, turned upright: (h, w) or (h, w, channels); palettes become colours."""
    image_module = _pillow()
    if not os.path.exists(path):
        raise InvalidData(f"there is no file {os.fspath(path)!r}.")
    if os.path.isdir(path):
        raise InvalidData(f"{os.fspath(path)!r} is a folder; give the file of a picture.")
    from PIL import ImageOps

    try:
        with image_module.open(path) as opened:
            return _pixels(ImageOps.exif_transpose(opened))
    except (image_module.UnidentifiedImageError, SyntaxError):
        raise InvalidData(f"{os.fspath(path)!r} is not a picture in a format that Pillow reads.") from None
    except (OSError, ValueError, image_module.DecompressionBombError) as error:
        raise InvalidData(f"{os.fspath(path)!r} cannot be read as a picture: {error}.") from None


def _pixels(picture: Any) -> NDArray[np.generic]:
    """The numbers of a Pillow picture; modes that are not plain channels are converted."""
    mode = picture.mode
    if mode.startswith("I"):  # 16 bits, held in 16 or in 32
        values = np.asarray(picture)
        if values.min() < 0 or values.max() > np.iinfo(np.uint16).max:
            raise ValueError("its pixels need more than 16 bits")
        return values.astype(np.uint16)
    if mode == "F":
        return np.asarray(picture, dtype=np.float32)
    if mode == "P" or mode == "PA":
        mode = "RGBA" if picture.has_transparency_data else "RGB"
    elif mode == "1":
        mode = "L"
    elif mode not in ("L", "LA", "RGB", "RGBA"):
        mode = "RGB"
    return np.asarray(picture.convert(mode))


def save_image(image: NDArray[np.generic], path: str | os.PathLike[str]) -> None:
    """Write a picture in the format that the ending of the path names, whole or not at all; one that cannot hold it is
    refused."""
    image_module = _pillow()
    pixels = image[:, :, 0] if image.ndim == 3 and image.shape[2] == 1 else image
    if pixels.dtype == np.float64:
        pixels = pixels.astype(np.float32)
    ending = os.path.splitext(path)[1].lower()
    try:
        if ending not in image_module.registered_extensions():
            raise ValueError(f"unknown file extension: {ending}")
        with replacing(path) as file:
            image_module.fromarray(pixels).save(file, image_module.registered_extensions()[ending])
    except (OSError, ValueError, TypeError, KeyError) as error:
        shape = f"{image.dtype} of shape {image.shape}"
        said = str(error).rstrip(".")
        raise InvalidData(f"{os.fspath(path)!r} cannot be written with {shape}: {said}; try .png or .tiff.") from None


def _pillow() -> Any:
    return needed("PIL.Image", "images", package="pillow")
