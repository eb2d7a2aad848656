"""How much two columns of any kind have to do with each other, from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Floats
from .rows import Rows

MOST_COLUMNS = 24  # side by side in one picture
MOST_DIFFERENT = 50  # categories of a column; more are like names
_ROWS = 5_000
_LOOKED_AT = 500  # columns


@dataclass(frozen=True, eq=False)
class Associations:
    """The strength for each pair of columns, (d, d), 1 on the diagonal, NaN where two cannot be compared.

    Two columns of numbers: the size of Spearman's rank correlation. Numbers and categories: the correlation ratio η of
    the ranks. Two of categories: Cramér's V, corrected for chance (Bergsma, 2013).
    """

    names: tuple[str, ...]
    strength: Floats

    def strongest(self, most: int = 10) -> list[tuple[str, str, float]]:
        """The pairs with the highest strength."""
        i, j = np.triu_indices(len(self.names), 1)
        found = [(self.names[a], self.names[b], float(self.strength[a, b])) for a, b in zip(i, j, strict=True)]
        return sorted((pair for pair in found if pair[2] == pair[2]), key=lambda pair: -pair[2])[:most]


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
    strength = np.eye(len(names))
    for a, first in enumerate(names):
        for b, second in enumerate(names[:a]):
            strength[a, b] = strength[b, a] = association(*codes[first], *codes[second])
    return Associations(tuple(names), strength)


def _candidates(rows: Rows) -> list[str]:
    names = [column.name for column in rows.columns if column.name != rows.target]
    return ([rows.target] if rows.target is not None else []) + names


def _nearest(names: list[str], codes: dict[str, tuple[Floats, bool]], target: str | None) -> list[str]:
    """The columns in the order of what they have to do with the target, where they are many and there is one."""
    if target not in codes or len(names) <= MOST_COLUMNS:
        return names
    strength = {name: np.nan_to_num(association(*codes[target], *codes[name])) for name in names if name != target}
    kept = sorted(strength, key=lambda name: -strength[name])[: MOST_COLUMNS - 1]
    return [target, *(name for name in names if name in kept)]


def _varies(rows: Rows, name: str) -> bool:
    values, is_category = _codes(rows, name)
    present = values[np.isfinite(values)]
    different = len(np.unique(present))
    return different > 1 and not (is_category and different > MOST_DIFFERENT)


def _codes(rows: Rows, name: str) -> tuple[Floats, bool]:
    """The cells as numbers, NaN where missing, and whether they are codes of categories."""
    values = rows.cells[name]
    if values.dtype != object:
        kind = next(column.kind for column in rows.columns if column.name == name)
        return np.where(np.isfinite(values), values, np.nan), kind == "boolean"
    categories = {value: float(i) for i, value in enumerate(sorted({v for v in values if v is not None}))}
    return np.array([categories.get(value, np.nan) for value in values], dtype=np.float64), True


def association(x: Floats, x_is_category: bool, y: Floats, y_is_category: bool) -> float:
    """The strength for two columns over the rows where both are present; NaN below 3 of them."""
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < 3:
        return float("nan")
    x, y = x[both], y[both]
    if x_is_category and y_is_category:
        return cramers_v(x, y)
    if x_is_category or y_is_category:
        return correlation_ratio(*((x, y) if x_is_category else (y, x)))
    return rank_correlation(x, y)


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


def cramers_v(x: Floats, y: Floats) -> float:
    """Cramér's V, less what chance alone would give."""
    _, a = np.unique(x, return_inverse=True)
    _, b = np.unique(y, return_inverse=True)
    r, k, n = int(a.max()) + 1, int(b.max()) + 1, len(a)
    if min(r, k) < 2:
        return float("nan")
    table = np.bincount(a * k + b, minlength=r * k).reshape(r, k)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = float(np.sum((table - expected) ** 2 / expected)) / n
    phi = max(0.0, phi - (r - 1) * (k - 1) / (n - 1))
    r_, k_ = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    return float(np.sqrt(phi / (min(r_, k_) - 1))) if min(r_, k_) > 1 else float("nan")
