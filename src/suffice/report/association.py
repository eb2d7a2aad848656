"""How much two columns of any kind have to do with each other, from 0 to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..typing import Floats
from .rows import Rows, scores

MOST_COLUMNS = 24  # side by side in one picture
MOST_DIFFERENT = 50  # categories of a column; more are like names
_ROWS = 5_000
_LOOKED_AT = 500  # columns
_CHANCE = 0.01


@dataclass(frozen=True, eq=False)
class Associations:
    """The strength for each pair of columns, (d, d), 1 on the diagonal, NaN where two cannot be compared.

    Two columns of numbers: the size of Spearman's rank correlation. Numbers and categories: the correlation ratio of
    the ranks. Two of categories: Cramér's V. All three are corrected for chance, so that they can be compared: what
    columns of noise have on average is taken off their squares, by Kelley (1935) for the first two (ε) and Bergsma
    (2013) for the last.
    """

    names: tuple[str, ...]
    strength: Floats
    p: Floats  # (d, d): how often columns that have nothing to do with each other are at least as strong

    def strongest(self, most: int = 10) -> list[tuple[str, str, float]]:
        """The pairs with the highest strength; those that chance gives more than once in a hundred come after."""
        i, j = np.triu_indices(len(self.names), 1)
        known = [(a, b) for a, b in zip(i, j, strict=True) if not np.isnan(self.strength[a, b])]
        ranked = sorted(known, key=lambda pair: (self.p[pair] > _CHANCE, -self.strength[pair]))[:most]
        return [(self.names[a], self.names[b], float(self.strength[a, b])) for a, b in ranked]


def associations(rows: Rows, most: int = MOST_COLUMNS) -> Associations:
    """The associations of at most so many columns: the target first, where there is one, and those nearest to it.

    >>> from suffice.report import read_rows
    >>> associations(read_rows("crabs")).strongest(1)[0][:2]
    ('CL', 'CW')
    """
    shown = rows.at_most(_ROWS)
    names = [name for name in _candidates(rows)[:_LOOKED_AT] if _varies(shown, name)]
    codes = {name: _codes(shown, name) for name in names}
    names = _nearest(names, codes, rows.target)[:most]
    strength, p = np.eye(len(names)), np.zeros((len(names), len(names)))
    for a, first in enumerate(names):
        for b, second in enumerate(names[:a]):
            found = association(*codes[first], *codes[second])
            strength[a, b] = strength[b, a] = found.strength
            p[a, b] = p[b, a] = found.p
    return Associations(tuple(names), strength, p)


def _candidates(rows: Rows) -> list[str]:
    unused = (rows.target, *rows.description.numbering)
    names = [column.name for column in rows.columns if column.name not in unused]
    return ([rows.target] if rows.target is not None else []) + names


def _nearest(names: list[str], codes: dict[str, tuple[Floats, bool]], target: str | None) -> list[str]:
    """The columns in the order of what they have to do with the target, where they are many and there is one."""
    if target not in codes or len(names) <= MOST_COLUMNS:
        return names
    strength = {
        name: np.nan_to_num(association(*codes[target], *codes[name]).strength) for name in names if name != target
    }
    kept = sorted(strength, key=lambda name: -strength[name])[: MOST_COLUMNS - 1]
    return [target, *(name for name in names if name in kept)]


def _varies(rows: Rows, name: str) -> bool:
    values, is_category = _codes(rows, name)
    present = values[np.isfinite(values)]
    different = len(np.unique(present))
    return different > 1 and not (is_category and different > MOST_DIFFERENT)


def _codes(rows: Rows, name: str) -> tuple[Floats, bool]:
    """The cells as numbers, ranks for ordered levels, NaN where missing, and whether they are codes of categories."""
    values = rows.cells[name]
    if values.dtype != object:
        kind = next(column.kind for column in rows.columns if column.name == name)
        return np.where(np.isfinite(values), values, np.nan), kind == "boolean"
    levels = rows.levels(name)
    if levels:
        return scores(values, levels), False
    categories = {value: float(i) for i, value in enumerate(sorted({v for v in values if v is not None}))}
    return np.array([categories.get(value, np.nan) for value in values], dtype=np.float64), True


class Association(NamedTuple):
    """How strong two columns are associated, less what chance gives, and the p value of chance alone."""

    strength: float
    p: float


_UNKNOWN = Association(math.nan, math.nan)


def association(x: Floats, x_is_category: bool, y: Floats, y_is_category: bool) -> Association:
    """The strength for two columns over the rows where both are present; NaN below 3 of them."""
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < 3:
        return _UNKNOWN
    x, y = x[both], y[both]
    if x_is_category and y_is_category:
        return cramers_v(x, y)
    if x_is_category or y_is_category:
        groups, values = (x, y) if x_is_category else (y, x)
        return _less_chance(correlation_ratio(groups, values), len(x), len(np.unique(groups)))
    return _less_chance(rank_correlation(x, y), len(x), 2)


def _less_chance(ratio: float, n: int, groups: int) -> Association:
    """ε² = 1 − (1 − η²)(n − 1)/(n − k), at least 0, and the F test; a straight line counts as two groups."""
    from scipy.stats import f

    if math.isnan(ratio) or n <= groups:
        return _UNKNOWN
    left = 1 - ratio**2
    epsilon = max(0.0, 1 - left * (n - 1) / (n - groups))
    test = ratio**2 / (groups - 1) / (left / (n - groups)) if left > 0 else math.inf
    return Association(math.sqrt(epsilon), float(f.sf(test, groups - 1, n - groups)))


def rank_correlation(x: Floats, y: Floats) -> float:
    """|Spearman's ρ|."""
    from scipy.stats import rankdata

    a, b = rankdata(x), rankdata(y)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return min(1.0, float(abs(np.corrcoef(a, b)[0, 1])))


def correlation_ratio(groups: Floats, values: Floats) -> float:
    """η: the root of the share of the variance of the ranks that lies between the groups."""
    from scipy.stats import rankdata

    ranks = rankdata(values)
    total = float(np.sum((ranks - ranks.mean()) ** 2))
    _, codes = np.unique(groups, return_inverse=True)
    counts = np.bincount(codes)
    if total == 0 or len(counts) < 2:
        return float("nan")
    means = np.bincount(codes, ranks) / counts
    return min(1.0, float(np.sqrt(np.sum(counts * (means - ranks.mean()) ** 2) / total)))


def cramers_v(x: Floats, y: Floats) -> Association:
    """Cramér's V, less what chance alone would give, and the χ² test."""
    from scipy.stats import chi2

    _, a = np.unique(x, return_inverse=True)
    _, b = np.unique(y, return_inverse=True)
    r, k, n = int(a.max()) + 1, int(b.max()) + 1, len(a)
    if min(r, k) < 2:
        return _UNKNOWN
    table = np.bincount(a * k + b, minlength=r * k).reshape(r, k)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    squares = float(np.sum((table - expected) ** 2 / expected))
    phi = max(0.0, squares / n - (r - 1) * (k - 1) / (n - 1))
    r_, k_ = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    if min(r_, k_) <= 1:
        return _UNKNOWN
    return Association(min(1.0, math.sqrt(phi / (min(r_, k_) - 1))), float(chi2.sf(squares, (r - 1) * (k - 1))))
