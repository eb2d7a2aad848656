"""Partly labelled rows: some name the component they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...distributions import Mixture
from ...errors import InvalidData
from ...statistics import Counts, DiagonalMoments
from ...typing import Floats


@dataclass(frozen=True)
class Labels:
    """The labels that name components, in order; called with a chunk it gives each row's component, -1 for none."""

    classes: NDArray[np.generic]
    unlabelled: object

    @classmethod
    def of(cls, source: Source, unlabelled: object, k: int) -> Labels:
        """The labels of a source: one pass."""
        found = source.reduce(_counted).values
        classes = found[_differ(found, unlabelled)]
        if len(classes) > k:
            raise InvalidData(
                f"{source.needs.owner}: y names {len(classes)} classes, but n_components={k}; give each class a "
                "component."
            )
        if not len(classes):
            raise InvalidData(f"{source.needs.owner}: y holds nothing but {unlabelled!r}; leave y and unlabelled out.")
        return cls(classes, unlabelled)

    def __call__(self, chunk: Chunk) -> NDArray[np.int32]:
        known = chunk.y != self.unlabelled
        found = np.searchsorted(self.classes, np.where(known, chunk.y, self.classes[0]))
        return np.where(known, found, -1).astype(np.int32)

    def placed(self, source: Source, mixture: Mixture) -> tuple[Floats, tuple[object, ...]]:
        """Equal weights, and components, of which one moves to the labelled rows of each class, nearest first."""
        centres = source.reduce(partial(_centres, labels=self)).parts
        parts, left = [], list(mixture.parts)
        for columns in centres:
            mean = np.where(columns.weight > 0, columns.mean, left[0].moments()[0])
            scale = np.sqrt(left[0].moments()[1]) + 1e-300
            nearest = min(range(len(left)), key=lambda j: float(np.sum(((left[j].moments()[0] - mean) / scale) ** 2)))
            part = left.pop(nearest)
            parts.append(part.moved_to(mean) if hasattr(part, "moved_to") else part)
        k = mixture.n_components
        return np.full(k, 1 / k), (*parts, *left)


@dataclass(frozen=True)
class _Centres:
    parts: tuple[DiagonalMoments, ...]

    def __add__(self, other: _Centres) -> _Centres:
        return _Centres(tuple(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True)))


def _centres(chunk: Chunk, labels: Labels) -> _Centres:
    code, w = labels(chunk), given_or_ones(chunk.weight, len(chunk))
    every = range(len(labels.classes))
    return _Centres(tuple(DiagonalMoments.of(chunk.X, np.where(code == j, w, 0.0)) for j in every))


def _counted(chunk: Chunk) -> Counts:
    return Counts.of(chunk.y, chunk.weight)


def _differ(labels: NDArray[np.generic], label: object) -> NDArray[np.bool_]:
    """Which labels are not this one; a number that no label of their type can be is none of them."""
    try:
        return np.asarray(labels != label)
    except OverflowError:
        return np.ones(len(labels), dtype=bool)
