"""A picture compressed by vector quantization, and what more bits would buy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidParameter
from ...randomness import generator
from ...text import aligned, figure
from ...typing import AxesLike, Numbers, RandomState
from .images import as_image, mean_squared_error, psnr, read_image
from .vector_quantizer import VectorQuantizer

if TYPE_CHECKING:
    from ...plots.rate_distortion import RateDistortionDisplay

NDImage = NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class CompressedImage:
    """A picture after `compress_image`: what it looks like, its codes, and the figures."""

    image: NDImage  # decoded, as the original in shape and type
    codes: NDArray[np.int64]  # (h', w')
    codebook: NDArray[np.float64]  # (K, block · channels)
    block: tuple[int, int]
    bits_per_pixel: float  # of the codes alone
    total_bits: int  # codes and codebook
    psnr: float
    mse: float

    @property
    def original_bits(self) -> int:
        """The bits of the picture as it was: pixels · channels · bits of a number."""
        return int(self.image.size * self.image.itemsize * 8)

    @property
    def ratio(self) -> float:
        """How many times smaller codes and codebook are than the picture."""
        return self.original_bits / self.total_bits

    def figures(self) -> dict[str, object]:
        """Everything but the arrays, as plain numbers; a PSNR that is infinite, as nothing was lost, is None."""
        h, w, *channels = self.image.shape
        return {
            "height": h,
            "width": w,
            "channels": channels[0] if channels else 1,
            "bits_per_number": 8 * self.image.itemsize,
            "codes": len(self.codebook),
            "block": list(self.block),
            "bits_per_pixel": self.bits_per_pixel,
            "bits_with_codebook": self.total_bits / (h * w),
            "original_bits": self.original_bits,
            "total_bits": self.total_bits,
            "ratio": self.ratio,
            "mse": self.mse,
            "psnr": None if self.mse == 0 else self.psnr,
        }

    def __str__(self) -> str:
        f = self.figures()
        channels = f"{f['channels']} channel{'s' * (f['channels'] != 1)} of {f['bits_per_number']} bits"
        lines = [
            ("picture", f"{f['width']:,} × {f['height']:,} pixels, {channels}"),
            ("codes", f"{f['codes']:,} for blocks of {self.block[0]} × {self.block[1]}"),
            ("bits per pixel", f"{self.bits_per_pixel:.3f}, {f['bits_with_codebook']:.3f} with the codebook"),
            ("bits", f"{self.original_bits:,} before, {self.total_bits:,} after"),
            ("ratio", f"{self.ratio:.3g} : 1"),
            ("PSNR", "infinite, nothing was lost" if self.mse == 0 else f"{self.psnr:.2f} dB"),
        ]
        return aligned(lines, words=2)


def compress_image(
    image: object,
    n_codes: int = 64,
    block: int | tuple[int, int] = 1,
    *,
    random_state: RandomState = None,
    **options: Any,
) -> CompressedImage:
    """Compress a picture, an array or the path of a file, with K codes for its blocks: min Σᵢ minₖ ‖blockᵢ − codeₖ‖².

    `options` are further parameters of `VectorQuantizer`.

    >>> import numpy as np
    >>> picture = np.tile([10, 12, 200, 202], (8, 8)).astype(np.uint8)
    >>> print(compress_image(picture, 2, random_state=0))
    picture         32 × 8 pixels, 1 channel of 8 bits
    codes           2 for blocks of 1 × 1
    bits per pixel  1.000, 1.062 with the codebook
    bits            2,048 before, 272 after
    ratio           7.53 : 1
    PSNR            48.13 dB
    """
    pixels = as_pixels(image, "compress_image")
    quantizer = VectorQuantizer(n_codes, block=block, random_state=random_state, **options).fit(pixels)
    codes = quantizer.encode(pixels)
    decoded = quantizer.decode(codes)
    mse = mean_squared_error(pixels, decoded)
    return CompressedImage(
        image=decoded,
        codes=codes,
        codebook=quantizer.codebook_,
        block=quantizer.block_size(),
        bits_per_pixel=quantizer.bits_per_pixel(),
        total_bits=quantizer.bits(with_codebook=True),
        psnr=psnr(pixels, mse),
        mse=mse,
    )


@dataclass(frozen=True)
class RatePoint:
    """One setting of `rate_distortion`: its block, how many codes were used, its rate and its loss."""

    block: tuple[int, int]
    codes: int
    bits_per_pixel: float
    bits_with_codebook: float
    psnr: float
    mse: float


@dataclass(frozen=True)
class RateDistortion(Sequence[RatePoint]):
    """What bits buy: one row for each block and number of codes; print it, plot it, or take the rows."""

    rows: tuple[RatePoint, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: Any) -> Any:
        return self.rows[i]

    def to_dicts(self) -> list[dict[str, object]]:
        """The rows as dictionaries, ready for a frame."""
        return [asdict(row) for row in self.rows]

    def __str__(self) -> str:
        header = ("block", "codes", "bits per pixel", "with codebook", "PSNR", "mse")
        lines = [
            (_size(r.block), f"{r.codes:,}", f"{r.bits_per_pixel:.3f}", f"{r.bits_with_codebook:.3f}",
             f"{r.psnr:.2f}", figure(r.mse))
            for r in self.rows
        ]  # fmt: skip
        return aligned([header, *lines])

    def plot(self, ax: AxesLike = None) -> RateDistortionDisplay:
        """Draw PSNR over bits per pixel, codebook included, with one line a block; gives the display."""
        from ...plots.rate_distortion import RateCurve, RateDistortionDisplay

        curves = []
        for block in dict.fromkeys(row.block for row in self.rows):
            own = [row for row in self.rows if row.block == block]
            rate, loss = [r.bits_with_codebook for r in own], [r.psnr for r in own]
            curves.append(RateCurve(_size(block), tuple(rate), tuple(loss), tuple(r.codes for r in own)))
        return RateDistortionDisplay(tuple(curves)).drawn(ax)


def rate_distortion(
    image: Numbers,
    n_codes: Sequence[int] = (2, 4, 8, 16, 32, 64, 128, 256),
    blocks: Sequence[int | tuple[int, int]] = (1, 2, 3),
    *,
    random_state: RandomState = None,
    **options: object,
) -> RateDistortion:
    """Compress a picture with every block and number of codes: the rate in bits per pixel against the PSNR.

    A block whose codes lose nothing any more is not tried with more codes.

    >>> import numpy as np
    >>> picture = np.tile([10, 12, 200, 202], (8, 8)).astype(np.uint8)
    >>> print(rate_distortion(picture, (2, 4, 8), (1, 2), random_state=0))
    block  codes  bits per pixel  with codebook   PSNR  mse
    1 × 1      2           1.000          1.062  48.13    1
    1 × 1      4           2.000          2.125    inf    0
    2 × 2      2           0.250          0.500    inf    0
    """
    pixels = as_pixels(image, "rate_distortion")
    if not len(n_codes) or not len(blocks):
        raise InvalidParameter("rate_distortion: n_codes and blocks must each hold at least 1 value; got none.")
    seed = int(generator(random_state).integers(2**31))
    return RateDistortion(tuple(_points(pixels, sorted(set(n_codes)), blocks, {"random_state": seed, **options})))


def _points(pixels: NDImage, n_codes: list[int], blocks: Sequence[Any], options: dict[str, Any]) -> Iterator[RatePoint]:
    size = pixels.shape[0] * pixels.shape[1]
    for block in blocks:
        for k in n_codes:
            found = compress_image(pixels, k, block, **options)
            bits = found.total_bits / size
            yield RatePoint(found.block, len(found.codebook), found.bits_per_pixel, bits, found.psnr, found.mse)
            if found.mse == 0:
                break


def as_pixels(image: object, owner: str) -> NDImage:
    """The picture in an array or a file."""
    return read_image(image) if isinstance(image, str | os.PathLike) else as_image(image, owner)


def _size(block: tuple[int, int]) -> str:
    return f"{block[0]} × {block[1]}"
