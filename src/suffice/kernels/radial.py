"""What the kernels of a scaled distance have in common: k(x, y) = f(s), s = Σⱼ (xⱼ − yⱼ)² / ℓⱼ²."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..backend import distances
from ..backend.distances import Term
from ..errors import InvalidData, InvalidParameter, shown
from ..holds import Kind, either, floats, lists, number, tuples
from ..params import are_numbers
from ..typing import Floats, Reals
from .base import Kernel, WithSlopes

Lengths = float | tuple[float, ...]  # one for all columns, or one a column

held_lengths: Kind = either(number(above=0), tuples(number(above=0)), lists(number(above=0)), floats(None, above=0))


def check_lengths(owner: str, name: str, value: object) -> None:
    """Refuse what is neither a length nor one a column."""
    if not are_numbers(value, 0, 1) or not np.size(value):  # type: ignore[arg-type]
        raise InvalidParameter(f"{owner}: {name} must be a number above 0, or one a column; got {shown(value)}.")
    found = np.asarray(value, dtype=np.float64)
    if isinstance(value, bool) or not np.all((found > 0) & np.isfinite(found)):
        raise InvalidParameter(f"{owner}: {name} must be a finite number above 0, or one a column; got {shown(value)}.")


def lengths_of(kernel: Kernel, name: str, d: int) -> Floats:
    """The lengths that a kernel has for rows of d columns, (1,) or (d,)."""
    found = np.atleast_1d(np.asarray(getattr(kernel, name), dtype=np.float64))
    if len(found) not in (1, d):
        raise InvalidData(f"{type(kernel).__name__}: {name} has {len(found)} numbers, the rows {d} columns.")
    return found


class _Radial(Kernel):
    """Base of the kernels of a scaled distance. A subclass gives f and its slope f′, and says where its lengths are."""

    lengths_in: ClassVar[str] = "length_scale"

    def profile(self, s: Reals) -> Reals:
        """f(s)."""
        raise TypeError(f"{type(self).__name__} does not define profile")

    def profile_slope(self, s: Reals) -> Reals:
        """s f′(s)."""
        raise TypeError(f"{type(self).__name__} does not define profile_slope")

    def shape_slopes(self, s: Reals) -> list[Reals]:
        """The derivatives in the logarithms of hyperparameters other than lengths, which come after them."""
        return []

    def lengths(self, d: int) -> Floats:
        """The lengths, (1,) or (d,)."""
        return lengths_of(self, self.lengths_in, d)

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(self.profile(np.zeros(1)).repeat(len(X)), dtype=X.dtype)

    def between(self, X: Reals, Y: Reals) -> Reals:
        return self.profile(self._squared(X, Y))

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        s = self._squared(X, Y)
        slopes: list[Reals] = []
        if np.ndim(getattr(self, self.lengths_in)):
            with np.errstate(divide="ignore", invalid="ignore"):
                steep = -2 * np.where(s > 0, self.profile_slope(s) / s, 0.0)  # a row itself does not move
            lengths = self.lengths(X.shape[1])
            slopes = [steep * ((X[:, j, None] - Y[:, j]) / lengths[j]) ** 2 for j in range(X.shape[1])]
        elif getattr(self, self.lengths_in) is not None:
            slopes = [-2 * self.profile_slope(s)]
        return self.profile(s), [*slopes, *self.shape_slopes(s)]

    def _squared(self, X: Reals, Y: Reals) -> Reals:
        """s, (n, m), in differences: rows near each other keep their digits."""
        lengths = self.lengths(X.shape[1]).astype(X.dtype)
        A = X / lengths
        found: Reals = distances.pairwise(A, None if Y is X else Y / lengths, Term("squared"))
        return np.minimum(found, 1e30, out=found)  # rows infinitely far apart have a kernel all the same
