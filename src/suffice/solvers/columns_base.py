"""What coordinate descent asks of the columns that it works on."""

from __future__ import annotations

from ..backend.coordinate import Costs
from ..data.rows import is_sparse
from ..statistics import GradientSums
from ..typing import Floats, Numbers, Whole
from .problem import Coefficients

_THIN, _GROWTH = 0.05, 5  # of columns with so few cells an epoch costs little, and working sets may grow quickly


class Columns:
    """Base: the smooth part of a problem, which is lowered over the columns of a working set at a time.

    `spread` is the root mean square of each slope's column about its mean, 0 where nothing can be learned from it, (p,)
    or of k classes (p k,); `null` are the coefficients without slopes, and `level` the mean loss there.
    """

    spread: Floats
    centre: Floats  # of the columns, (p,); 0 without an intercept
    null: Coefficients
    level: float
    whole = False  # all columns are a working set
    growth = 1  # how many times the support a working set may be where so many columns are outside

    def sums(self, at: Coefficients) -> GradientSums:
        """Loss and gradient over all columns."""
        raise NotImplementedError

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        """Where the parabola that follows the loss at `at`, and the costs (m,) of these slopes, are least."""
        raise NotImplementedError


def growth_of(X: Numbers) -> int:
    """How many times the support a working set of these columns may be."""
    return _GROWTH if is_sparse(X) and X.nnz < _THIN * X.shape[0] * X.shape[1] else 1  # type: ignore[attr-defined]
