"""The density of a mixture in some of its columns: a cell that is missing is integrated out, in every family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..distributions import Distribution, Mixture
from ..errors import InvalidData, InvalidParameter, NoClosedForm
from ..typing import Floats, TableLike
from . import tables


def mixture_of(model: object, who: str, columns: int = 1) -> Mixture:
    """The mixture of a fitted model, or the one that was given; where it has more columns, they must be removable."""
    mixture = getattr(model, "mixture_", model)
    if not (isinstance(mixture, Mixture) and mixture.has_parameters):
        raise InvalidParameter(f"{who}: model must be a fitted mixture of suffice, or a Mixture; got {model!r:.80}.")
    part = mixture.parts[0]
    if columns_of(mixture) > columns and not part.missing:
        raise InvalidParameter(
            f"{who}: {type(part).__name__} has no formula for some of its columns; give a mixture of {columns}."
        )
    return mixture


def columns_of(mixture: Mixture) -> int:
    """How many columns the rows of a mixture have."""
    return len(mixture.supports())


def weighted_densities(mixture: Mixture, columns: Sequence[int], places: Floats) -> Floats:
    """πⱼ p(x | θⱼ) in these columns at places (m, columns), (k, m)."""
    rows = np.full((len(places), columns_of(mixture)), np.nan)
    rows[:, list(columns)] = places
    return np.asarray(np.exp(mixture.log_joint(rows)).T)


def known_names(model: object, X: TableLike) -> list[object]:
    """The names of the columns that the model or the table has; none for arrays."""
    names = getattr(model, "feature_names_in_", getattr(X, "columns", ()))
    return list(names)


def place_of(column: int | str, known: list[object], d: int, who: str) -> int:
    """The place of a column that is given by its place or name."""
    if column in known:
        return known.index(column)
    if isinstance(column, str) or not 0 <= int(column) < d:
        raise InvalidParameter(f"{who}: there is no column {column!r}; there are {known or d}.")
    return int(column)


def name_of(place: int, known: list[object]) -> str:
    """The name of a column, or its place."""
    return str(known[place]) if known else f"column {place}"


def cells_of(X: TableLike, place: int, d: int, who: str) -> Floats:
    """The numbers of one of the d columns of a table, (n,), NaN where one is missing; the others may be of any kind."""
    frame = tables.as_frame(X)
    if hasattr(X, "tocsr"):
        raise InvalidData(f"{who}: X is a sparse matrix; give dense rows, as by X.toarray().")
    cells = np.asarray(X) if frame is None else frame
    if len(cells.shape) != 2 or cells.shape[1] != d:
        raise InvalidData(f"{who}: X has the shape {cells.shape}; the mixture needs rows of {d} columns.")
    column = cells[:, place] if frame is None else frame.get_column(frame.columns[place]).to_numpy()
    return tables.read(column, None, who).values[:, 0]


def moments_in(part: Distribution, column: int) -> tuple[float, float] | None:
    """The mean and the standard deviation of a component in a column; None where it has none."""
    try:
        mean, variance = part.moments()
    except NoClosedForm:
        return None
    found = float(mean[column]), float(np.sqrt(variance[column]))
    return found if np.isfinite(found).all() else None


def places(low: float, high: float, share: float, mixture: Mixture, column: int, steps: int, around: Floats) -> Floats:
    """So many places from low to high, and a share of it beyond, or about one value, within the support.

    A component that is narrower than they are apart has more, so many standard deviations `around` its mean.
    """
    support, found = mixture.supports()[column], moments_in(mixture, column)
    room = share * (high - low)
    if low == high:
        room = 4 * found[1] if found is not None and low - found[1] < low else 0.5
    first, last = max(low - room, support.least + 1e-3 * room * support.above), min(high + room, support.most)
    near = [moments_in(part, column) for part in mixture.active]
    narrow = [
        (mean, std) for mean, std in filter(None, near) if std * np.ptp(around) < (last - first) * len(around) / steps
    ]
    every = np.concatenate([np.linspace(first, last, steps), *(mean + std * around for mean, std in narrow)])
    return np.unique(every[(first <= every) & (every <= last)])
