"""Whether a table has the size and the cells that a model is meant for, and whether another model is the same on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..estimator import Estimator
from ..pipeline.preparing import MOST_CATEGORIES
from ..typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa


def unsuited(model: Estimator, X: pa.Table) -> str:
    """Why a model is not proposed for a table; nothing where it is.

    >>> import pyarrow as pa
    >>> import suffice as sf
    >>> unsuited(sf.PoissonNB(), pa.table({"visits": [0, 2, 1]}))
    ''
    >>> unsuited(sf.PoissonNB(), pa.table({"size": [0.5, 2.0, 1.2]}))
    'It is for counts: whole numbers from 0 or 1 upwards.'
    >>> unsuited(sf.SVR(), pa.table({"size": range(10_001)}))
    'It is for tables of up to 10,000 rows.'
    """
    if model.most_rows is not None and X.num_rows > model.most_rows:
        return f"It is for tables of up to {model.most_rows:,} rows."
    if model.suits == "any":
        return ""
    columns = [_known(column) for column in X.columns if _is_number(column.type)]
    holds, why = _KINDS[model.suits]
    if not all(holds(column) for column in columns):
        return why
    has_text = len(columns) < X.num_columns
    if model.suits == "codes" and not columns:
        return "On columns of text alone it is NaiveBayes."
    if model.suits == "codes" and not has_text and all(map(_are_flags, columns)):
        return "On columns of 0 and 1 alone it is BernoulliNB."
    return "" if columns or model.suits == "flags" else why


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _known(column: pa.ChunkedArray) -> Floats:
    cells = np.asarray(column.drop_null(), dtype=np.float64)
    return cells[~np.isnan(cells)]


def _are_flags(cells: Floats) -> bool:
    return bool(np.isin(cells, (0, 1)).all())


def _are_counts(cells: Floats) -> bool:
    """Whole numbers that begin at 0 or 1: years are none."""
    if not len(cells):
        return True
    return bool(np.min(cells) in (0, 1) and np.max(cells) < np.inf and np.all(cells == np.floor(cells)))


def _are_codes(cells: Floats) -> bool:
    return _are_counts(cells) and bool(np.all(cells < MOST_CATEGORIES))


_KINDS: dict[str, tuple[Callable[[Floats], bool], str]] = {
    "flags": (_are_flags, "It is for columns of text, or of yes and no, alone."),
    "counts": (_are_counts, "It is for counts: whole numbers from 0 or 1 upwards."),
    "codes": (_are_codes, f"It is for categories: text, or whole numbers from 0 or 1 to {MOST_CATEGORIES - 1}."),
}
