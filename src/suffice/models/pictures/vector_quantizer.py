"""Pictures in few bits: blocks of pixels replaced by the nearest of K code blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ... import params
from ...backend import kmeans as kernels
from ...errors import InvalidData, InvalidParameter
from ...holds import floats, instance, require, tuples, whole
from ...params import learned, param
from ...randomness import random_state_param
from ...registry import register
from ...typing import Floats, Numbers, RandomState
from .images import as_image, blocks_of, distinct, mean_squared_error, psnr

_LARGEST_BLOCK = 4096  # pixels on a side
C = TypeVar("C", bound=type)


@dataclass_transform(kw_only_default=True, field_specifiers=(param, learned))
def on_images(cls: C) -> C:
    """Make declared parameters a class's `__init__` and documentation, without making it a model of tables."""
    dataclass(eq=False, repr=False)(cls)
    head, example, rest = (cls.__doc__ or "").partition("    Examples\n")
    section = "".join(f"    {line}\n" if line else "\n" for line in params.document(cls).splitlines())
    cls.__doc__ = f"{head}{section}\n{example}{rest}"
    return register(cls, cls.__name__)


def _is_pair(value: object) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    return all(isinstance(n, Integral) and not isinstance(n, bool) and 1 <= int(n) <= _LARGEST_BLOCK for n in value)


@on_images
class VectorQuantizer(BaseEstimator):  # type: ignore[misc]
    """A codebook for the blocks of a picture: min Σᵢ minₖ ‖blockᵢ − codeₖ‖² over K codes, by k-means.

    A picture is one thing, not a table of rows, so this is no member of the contracts: parameters, `clone` and
    `fit` are as everywhere, but instead of `transform` there are `encode`, which gives one number a block, and
    `decode`. Equal blocks are counted once, with their number as weight. Where there are no more different blocks
    than codes, each is a code and nothing is lost. Alpha is one more channel.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.add.outer(np.arange(0, 96, 8), np.arange(0, 96, 8)).astype(np.uint8)
    >>> quantizer = VectorQuantizer(16, block=3, random_state=0).fit(image)
    >>> codes = quantizer.encode(image)
    >>> codes.shape, quantizer.decode(codes).shape, round(quantizer.bits_per_pixel(), 2)
    ((4, 4), (12, 12), 0.33)
    """

    n_codes: int = param(64, positional=True, integer=True, at_least=1, doc="How many codes, K, at the most.")
    block: int | tuple[int, int] = param(
        1, integer=True, at_least=1, at_most=_LARGEST_BLOCK, accept=_is_pair, allowed="a pair of such (rows, columns)",
        doc="The size of a block in pixels; at the edges the last row and column are repeated.",
    )  # fmt: skip
    n_init: int = param(1, integer=True, at_least=1, doc="How often k-means starts; the best is kept.")
    max_iter: int = param(300, integer=True, at_least=1, doc="Iterations of k-means at the most.")
    tol: float = param(1e-4, number=True, at_least=0, doc="Changes of the codes below this end k-means.")
    random_state: RandomState = random_state_param()

    codebook_: Floats = learned("The code blocks as rows, (K, rows · columns · channels).", holds=floats("k", "width"))
    inertia_: float = learned("The sum of squared distances of the blocks to their codes.")
    shape_: tuple[int, ...] = learned("The shape of the picture.", holds=tuples(whole(at_least=1)))
    dtype_: np.dtype[np.generic] = learned("The type of its numbers.", holds=instance(np.dtype))

    def check_loaded(self) -> None:
        """Raise an error where the codes of a file are not blocks of its pictures."""
        (rows, columns), channels = self.block_size(), math.prod(self.shape_[2:])
        require(len(self.shape_) in (2, 3) and max(self.shape_) < 2**31, "shape_ must be that of a picture")
        width = rows * columns * channels
        require(len(self.codebook_) and self.codebook_.shape[1] == width, f"codebook_ must have {width} columns")

    def fit(self, image: object, y: None = None) -> Self:
        """Learn the codes from a picture: (h, w) or (h, w, channels), uint8, uint16 or floats."""
        params.check(self)
        image = as_image(image)
        blocks, _, counts = distinct(blocks_of(image, self.block_size()))
        self.codebook_, self.inertia_ = codebook(blocks, counts, self.n_codes, self._kmeans())
        self.shape_, self.dtype_ = image.shape, image.dtype
        return self

    def encode(self, image: object) -> NDArray[np.int64]:
        """The number of the nearest code for each block, (h', w')."""
        self._check_fitted()
        image = as_image(image)
        if image.shape[2:] != self.shape_[2:]:
            raise InvalidData(
                f"VectorQuantizer: the picture has shape {image.shape}; its channels must be those of the fit, "
                f"{self.shape_}."
            )
        blocks, inverse, _ = distinct(blocks_of(image, self.block_size()))
        return nearest(blocks, self.codebook_)[inverse].reshape(self._grid(image.shape))

    def decode(self, codes: Numbers, shape: tuple[int, ...] | None = None) -> NDArray[np.generic]:
        """The picture of these codes, in the type of the fit; `shape` where it was not the fitted picture's."""
        self._check_fitted()
        codes = self._checked(codes)
        (bh, bw), (rows, columns) = self.block_size(), codes.shape
        if shape is None:
            shape = self.shape_ if codes.shape == self._grid(self.shape_) else (rows * bh, columns * bw)
        elif codes.shape != self._grid(shape):
            raise InvalidData(f"VectorQuantizer: codes of shape {codes.shape} are no picture of shape {shape}.")
        table = _in_type(self.codebook_, self.dtype_)
        blocks = table[codes].reshape(rows, columns, bh, bw, *self.shape_[2:])
        image = blocks.swapaxes(1, 2).reshape(rows * bh, columns * bw, *self.shape_[2:])
        return np.ascontiguousarray(image[: shape[0], : shape[1]])

    def bits_per_pixel(self, shape: tuple[int, ...] | None = None, with_codebook: bool = False) -> float:
        """⌈log₂ K⌉ bits a block, and the codebook's if asked, over the pixels of the picture."""
        bits = self.bits(shape, with_codebook)
        h, w = (shape or self.shape_)[:2]
        return bits / (h * w)

    def bits(self, shape: tuple[int, ...] | None = None, with_codebook: bool = False) -> int:
        """The bits of the codes of a picture, ⌈log₂ K⌉ a block, and of the codebook if asked."""
        self._check_fitted()
        rows, columns = self._grid(shape or self.shape_)
        bits = rows * columns * (len(self.codebook_) - 1).bit_length()
        return int(bits + with_codebook * self.codebook_.size * self.dtype_.itemsize * 8)

    def psnr(self, image: Numbers, peak: float | None = None) -> float:
        """10 log₁₀(peak² / mse) of the picture and its decoded codes, in dB; infinite where nothing is lost.

        `peak` is the largest number the type holds; for floats 1, or the largest size in the picture if above.
        """
        image = as_image(image)
        return psnr(image, mean_squared_error(image, self.decode(self.encode(image), image.shape)), peak)

    def block_size(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        return (self.block, self.block) if isinstance(self.block, int | np.integer) else (self.block[0], self.block[1])

    def _grid(self, shape: Sequence[int]) -> tuple[int, int]:
        whole = isinstance(shape, tuple | list) and all(isinstance(n, int | np.integer) and n >= 1 for n in shape)
        if not whole or len(shape) not in (2, 3):
            raise InvalidParameter(
                f"VectorQuantizer: shape must be that of a picture, (h, w) or (h, w, channels); got {shape!r}."
            )
        bh, bw = self.block_size()
        return -(-shape[0] // bh), -(-shape[1] // bw)

    def _kmeans(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("n_init", "max_iter", "tol", "random_state")}

    def _checked(self, codes: object) -> NDArray[np.generic]:
        found, top = np.asarray(codes), len(self.codebook_) - 1
        whole = found.ndim == 2 and found.dtype.kind in "iu" and found.size > 0
        if not whole or found.min() < 0 or found.max() > top:
            raise InvalidData(f"VectorQuantizer: codes must be a matrix of integers from 0 to {top}, as encode gives.")
        return found


def codebook(rows: NDArray[Any], weight: NDArray[Any], k: int, options: dict[str, Any]) -> tuple[Floats, float]:
    """At most k codes for different rows, and what they cost: the rows themselves where there are no more."""
    rows = rows.astype(np.float64)
    if len(rows) <= k:
        return rows, 0.0
    from ..cluster.kmeans import KMeans

    model = KMeans(k, **options).fit(rows, sample_weight=weight)
    return np.asarray(model.cluster_centers_, dtype=np.float64), float(model.inertia_)


def nearest(rows: NDArray[np.generic], codes: Floats) -> NDArray[np.int64]:
    """For each row the number of the nearest code, (n,)."""
    return kernels.nearest(rows.astype(np.float64), codes, codes.mean(axis=0))[0].astype(np.int64)


def _in_type(values: Floats, dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
    return values.astype(dtype) if dtype.kind == "f" else np.rint(values).astype(dtype)  # means stay within the range
