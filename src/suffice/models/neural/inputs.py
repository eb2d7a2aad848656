"""What a net sees of a table: numbers on one scale, gaps filled and marked, categories as columns or as codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np

from ...backend import nets
from ...data import Chunk, Schema, Source
from ...holds import either, flag, flags, floats, integers, require, tuples, whole
from ...layers import Shape
from ...registry import registered
from ...statistics import DiagonalMoments
from ...typing import Flags, Floats, Reals, Whole

_ROUNDING = 8 * np.finfo(float).eps  # of a column that is constant


@dataclass(frozen=True)
class Measured:
    """What one pass over the rows tells: the moments of each column, how many rows weigh something, their weight."""

    moments: DiagonalMoments
    rows: int
    weight: float

    @classmethod
    def of(cls, chunk: Chunk) -> Measured:
        """Of some rows."""
        w = chunk.weight
        rows, weight = (len(chunk), float(len(chunk))) if w is None else (int(np.count_nonzero(w)), float(w.sum()))
        return cls(DiagonalMoments.of(chunk.X, w), rows, weight)

    def __add__(self, other: Measured) -> Measured:
        return Measured(self.moments + other.moments, self.rows + other.rows, self.weight + other.weight)


@registered("neural/Inputs")
@dataclass(frozen=True, eq=False)
class Inputs:
    """How rows become the input of a net: (x − mean) / scale of numbers, 0 and a mark beside it where one is missing.

    `gaps` tells the columns that had missing values at the fit, `levels` how many categories a column has, 0 for
    numbers, and `places` where each stands among those of its column. Where `embedded`, categories stand last as codes
    from 1, else each is a column of 0 and 1.
    """

    mean: Floats  # (d,)
    scale: Floats  # (d,)
    gaps: Flags  # (d,)
    levels: Whole  # (d,)
    places: Whole  # (c,), of all categories, column after column
    embedded: bool
    image: tuple[int, ...]

    holds: ClassVar = {
        "mean": floats("d"),
        "scale": floats("d", above=0),
        "gaps": flags("d"),
        "levels": integers("d", at_least=0, below=2**31),
        "places": integers("c", at_least=0),
        "embedded": flag(),
        "image": either(tuples(whole(at_least=1), 0), tuples(whole(at_least=1), 3)),
    }

    def check_loaded(self) -> None:
        """Raise an error unless an image has as many cells as there are columns."""
        require(not self.image or prod(self.image) == len(self.mean), "image must have as many cells as columns")
        total = int(self.levels.sum(dtype=object))
        require(total == len(self.places), "places must have one number a category")
        require((self.places < np.repeat(self.levels, self.levels)).all(), "places must be below levels")
        require(not self.image or not (self.levels.any() or self.gaps.any()), "images have no categories and no gaps")

    @classmethod
    def of(cls, source: Source, measured: Measured, standardize: bool, embedded: bool, image: Shape) -> Inputs:
        """Those of a table."""
        moments, schema = measured.moments, source.schema
        levels = _levels(schema)
        d = len(levels)
        gaps = (moments.weight < measured.weight * (1 - 1e-12)) & (levels == 0)
        mean, scale = np.zeros(d), np.ones(d)
        if standardize:
            mean, scale = _by_channel(moments, image[2]) if image else _by_column(moments)
        mean[levels > 0], scale[levels > 0] = 0.0, 1.0
        return cls(mean, scale, gaps, levels, _places(schema), embedded and bool(levels.any()), tuple(image))

    @property
    def shape(self) -> Shape:
        """The shape of a row as the first layer gets it."""
        return self.image or (self.width,)

    @property
    def width(self) -> int:
        """How many numbers there are for a row."""
        text = self._text
        categories = int(text.sum()) if self.embedded else int(self.levels.sum())
        return len(self.mean) - int(text.sum()) + int(self.gaps.sum()) + categories

    @property
    def embedded_levels(self) -> tuple[int, ...]:
        """The categories of each column that stands as a code."""
        return tuple(self.levels[self.levels > 0].tolist()) if self.embedded else ()

    def __call__(self, X: Reals, rows: Whole | None = None, out: Reals | None = None) -> Reals:
        """The input of some rows, (m, width), or of those at some places, contiguous and in the precision of X.

        Where there is nothing but numbers it is written into `out`, if that is given and has room for it.
        """
        if not self._plain:
            return self._mixed(X if rows is None else X[rows])
        m = len(X) if rows is None else len(rows)
        fits = out is not None and out.dtype == X.dtype and len(out) >= m
        found = out[:m] if out is not None and fits else np.empty((m, X.shape[1]), X.dtype)
        return nets.input_rows(X, rows, *self._scaling[X.dtype.itemsize], found)[0]

    @cached_property
    def _plain(self) -> bool:
        return not self.levels.any() and not self.gaps.any()

    @cached_property
    def _text(self) -> Flags:
        return np.asarray(self.levels > 0)

    @cached_property
    def _scaling(self) -> dict[int, tuple[Reals, Reals]]:
        """What is subtracted from each column, and what it is multiplied by then, by the bytes of a number."""
        found: dict[int, tuple[Reals, Reals]] = {}
        for dtype in (np.dtype(np.float64), np.dtype(np.float32)):
            with np.errstate(over="ignore"):
                factor = np.minimum((1 / self.scale).astype(dtype), np.finfo(dtype).max)
                found[dtype.itemsize] = self.mean.astype(dtype), factor
        return found

    def _mixed(self, X: Reals) -> Reals:
        text = self._text
        if not text.any():
            return self._numbers(X, slice(None))
        numbers = self._numbers(X[:, ~text], ~text)
        codes = X[:, text]
        known = (codes >= 0) & (codes < self.levels[text])
        first = np.cumsum(self.levels[text]) - self.levels[text]
        at = np.where(known, codes, 0.0).astype(np.int64) + first
        within = self.places[at]
        if self.embedded:
            return np.hstack([numbers, np.where(known, within + 1, 0).astype(X.dtype)])
        flat = np.zeros((len(X), int(self.levels.sum()) + 1), dtype=X.dtype)  # the last: of those without a category
        places = np.where(known, within + first, flat.shape[1] - 1)
        flat[np.arange(len(X))[:, None], places] = 1.0
        return np.hstack([numbers, flat[:, :-1]])

    def _numbers(self, X: Reals, columns: Flags | slice) -> Reals:
        shift, factor = (values[columns] for values in self._scaling[X.dtype.itemsize])
        gaps = self.gaps[columns]
        found, missing = nets.input_rows(X, None, shift, factor, np.empty(X.shape, X.dtype))
        if not gaps.any():
            return found
        marks = np.isnan(X[:, gaps]) if missing else np.zeros((len(X), int(gaps.sum())))
        return np.hstack([found, marks.astype(X.dtype)])


def _levels(schema: Schema) -> Whole:
    levels = np.zeros(len(schema), dtype=np.int64)
    for j in schema.text_columns:
        levels[j] = max(1, len(schema.columns[j].categories))
    return levels


def _places(schema: Schema) -> Whole:
    """Where each category stands among those of its column in the order of their names, whatever order they came in."""
    parts = [np.zeros(0, dtype=np.int64)]
    for j in schema.text_columns:
        names = schema.columns[j].categories or ("",)
        places = np.empty(len(names), dtype=np.int64)
        places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        parts.append(places)
    return np.concatenate(parts)


def _by_column(moments: DiagonalMoments) -> tuple[Floats, Floats]:
    there = moments.weight > 0
    mean = np.where(there, moments.mean, 0.0)
    variance = np.where(there, moments.scatter, 0.0) / np.where(there, moments.weight, 1.0)
    std = np.sqrt(np.where(variance > (_ROUNDING * np.abs(mean)) ** 2, variance, 0.0))
    return mean, np.where(std > 0, std, 1.0)


def _by_channel(moments: DiagonalMoments, channels: int) -> tuple[Floats, Floats]:
    """One mean and one scale for each channel of images, whose cells lie side by side."""
    means = moments.mean.reshape(-1, channels)
    variances = (moments.scatter / np.maximum(moments.weight, 1e-300)).reshape(-1, channels)
    mean = means.mean(axis=0)
    std = np.sqrt(variances.mean(axis=0) + ((means - mean) ** 2).mean(axis=0))
    scale = np.where(std > _ROUNDING * np.abs(mean), std, 1.0)
    return np.tile(mean, len(means)), np.tile(np.where(scale > 0, scale, 1.0), len(means))
