"""Where k-means begins: each start is a small object that gives k centres."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from ...backend import kmeans
from ...data import Chunk, Source
from ...data.labels import encode
from ...errors import InvalidParameter
from ...params import has_dimensions
from ...registry import registered
from ...statistics import ClusterSums
from ...statistics.rows import row_uniforms
from ...typing import Floats, Whole
from .alternation import draw
from .initial_rows import Rows

Rng = np.random.Generator
_SAMPLE_CELLS = 1 << 21  # of the rows that k-means++ looks at, where these are many
_TRIES = 4  # starts among rows with far ones, of which the best is taken
_ALIKE = 1e-6  # as a share: variances this near to each other have no first axis


class Initialiser(Protocol):
    """Gives k centres (k, d) from rows in memory (a sample of the source where that is not in memory)."""

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats: ...


@registered("initialisation/RandomRows")
@dataclass(frozen=True)
class RandomRows:
    """k different rows, drawn by weight."""

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        chosen = dict[bytes, int]()
        for at in rows.mass().rows(rng.random(10 * k + 100)):  # as many draws for weights as for repeated rows
            chosen.setdefault((rows.at([at]) + 0.0).tobytes(), int(at))
            if len(chosen) == k:
                break
        return rows.at(self._completed(list(chosen.values()), rows, k, rng))

    @staticmethod
    def _completed(chosen: list[int], rows: Rows, k: int, rng: Rng) -> list[int]:
        """The rows and more of them up to k: others while there are some, then any."""
        mass = rows.weights().copy()
        for at in chosen if len(chosen) < k else ():
            mass[rows.equal(at)] = 0
        while len(chosen) < k:
            at = draw(mass, rng) if mass.any() else rows.draw(rng)
            mass[rows.equal(at)] = 0
            chosen.append(at)
        return chosen


@registered("initialisation/RandomAssignment")
@dataclass(frozen=True)
class RandomAssignment:
    """The means of k random groups; equal rows are in one group, and a group without rows is a row."""

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        group = np.minimum((row_uniforms(rows.X, int(rng.integers(2**62))) * k).astype(int), k - 1)
        return _means_of_groups(rows.X, rows.weights(), group, RandomRows()(source, rows, k, rng))


def _means_of_groups(X: object, weight: Floats, group: Whole, otherwise: Floats) -> Floats:
    """The means of k groups of rows, (k, d); `otherwise` (k, d) where a group has none."""
    k, d = otherwise.shape
    total = np.bincount(group, weight, k)[:, None]
    sums = kmeans.cluster_sums(X, group, k, weight, np.zeros(d))
    return np.where(total > 0, sums / np.where(total > 0, total, 1.0), otherwise)


@registered("initialisation/FarthestPoint")
@dataclass(frozen=True)
class FarthestPoint:
    """A random row, then always the row farthest from all centres so far."""

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        return kmeans.seeds(rows.X, rows.weight, rng.random((k, 1)), farthest=True)


@registered("initialisation/KMeansPlusPlus")
@dataclass(frozen=True)
class KMeansPlusPlus:
    """Each next centre is drawn by squared distance to those so far; the best of a few candidates is taken.

    `candidates` says how many (2 + log k by default). Of more than 10,000 rows, and `sample` for each centre, only a
    sample by weight is looked at, smaller where rows are wide; the centres are first settled and improved by swaps
    among those, which is cheap there. Where few far rows make up the inertia (heavy tails, outliers), half of the
    sample is drawn by squared distance, and the best of four starts is taken. None looks at all rows and does no more
    than draw.
    """

    candidates: int | None = None
    sample: int | None = 50

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        n, d = rows.X.shape
        most = n if self.sample is None else max(10_000, self.sample * k)
        if most >= n:
            return self._seeds(rows, k, rng)
        least = (self.sample or 0) * k
        size = max(least, min(10_000, n // 4, _SAMPLE_CELLS // d))
        part = rows.spread(size, rng)
        if rows.has_far_rows(part):
            return self._best_of_some(rows.far_and_near(size, part.mean(), rng), k, rng)
        centres = settled(part, self._seeds(part, k, rng))
        swapped = centres if k <= 2 else kmeans.swaps(part.X, centres, rng.random(10 + k))  # of two none is to spare
        return centres if np.array_equal(swapped, centres) else settled(part, swapped)

    def _best_of_some(self, rows: Rows, k: int, rng: Rng) -> Floats:
        starts = [settled(rows, self._seeds(rows, k, rng)) for _ in range(_TRIES)]
        weight = rows.weights()
        return min(starts, key=lambda at: float(weight @ kmeans.nearest(rows.X, at, rows.mean())[1]))

    def _seeds(self, rows: Rows, k: int, rng: Rng) -> Floats:
        trials = self.candidates or 2 + int(math.log(k))
        return kmeans.seeds(rows.X, rows.weight, rng.random((k, trials)))


def settled(rows: Rows, centres: Floats) -> Floats:
    """The centres after some iterations among these rows."""
    from .lloyd import BoundedRounds, Centres, Scale

    iterations = BoundedRounds(Chunk(rows.X, None, rows.weight), Scale(rows.mean(), 0.0), len(centres), None)
    state = Centres.starting(centres, iterations)
    for _ in range(20):
        step = state.step()
        state = step.state
        if step.done:
            break
    return state.at


@registered("initialisation/PrincipalAxis")
@dataclass(frozen=True)
class PrincipalAxis:
    """The rows in their order along the first principal axis, cut into k parts of equal weight; the parts' means."""

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        from ...statistics import Moments
        from ...statistics.spectrum import spectrum

        if kmeans.is_csr(rows.X):
            raise InvalidParameter(
                f"{source.needs.owner}: init='pca' needs dense rows, and X is sparse. Use init='k-means++', or "
                "X.toarray() if it fits."
            )
        moments = Moments.of(rows.X, rows.weight)
        centred = np.asarray(rows.X, dtype=np.float64) - moments.mean
        found = spectrum(moments, None, 2)
        if len(found.variance) > 1 and found.variance[1] > (1 - _ALIKE) * found.variance[0]:
            along = centred[:, 0]  # of whitened rows every axis is a principal one, and which is found is rounding
        else:
            along = centred @ found.axes[0] if len(found.axes) else np.zeros(len(centred))  # rows without any spread
        order = np.lexsort((row_uniforms(rows.X, 0), along))  # rows at one place in an order of their own
        return np.asarray(moments.mean + _means_of_parts(centred[order], rows.weights()[order], k))


def _means_of_parts(X: Floats, weight: Floats, k: int) -> Floats:
    """The means of k parts of equal weight of rows in their order; a row between two parts counts in both."""
    running = np.append(0.0, np.cumsum(weight))  # (n + 1,)
    sums = np.vstack([np.zeros(X.shape[1]), np.cumsum(weight[:, None] * X, axis=0)])
    marks = np.linspace(0, running[-1], k + 1)
    at = np.clip(np.searchsorted(running, marks, side="right") - 1, 0, len(X) - 1)
    up_to = sums[at] + (marks - running[at])[:, None] * X[at]
    return np.asarray(np.diff(up_to, axis=0) / np.diff(marks)[:, None])


@dataclass(frozen=True)
class _Chosen:
    rows: Floats

    def __add__(self, other: _Chosen) -> _Chosen:
        return _Chosen(np.vstack([self.rows, other.rows]))


def _choose(chunk: Chunk, centres: Floats, factor: float, seed: int) -> _Chosen:
    """The rows of a chunk that an iteration of k-means|| takes: each with chance factor · w · squared distance.

    Equal rows have one chance together, as they have one random number.
    """
    squared = kmeans.nearest(chunk.X, centres, centres.mean(axis=0))[1]
    uniforms = row_uniforms(chunk.X, seed)
    _, same = np.unique(uniforms, return_inverse=True)
    weight = np.bincount(same, chunk.weight)[same]
    taken = uniforms < factor * weight * squared
    return _Chosen(kmeans.dense(chunk.X[taken]))


@registered("initialisation/KMeansParallel")
@dataclass(frozen=True)
class KMeansParallel:
    """k-means||: a few passes that each draw about `oversampling` · k rows at once; then k-means++ among those."""

    oversampling: float = 2.0
    iterations: int = 5

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        found = rows.at([rows.draw(rng)])
        for _ in range(self.iterations):
            cost = source.reduce(partial(_sums, centres=found)).cost
            if not cost > 0:
                break
            seed, factor = int(rng.integers(2**62)), self.oversampling * k / cost
            taken = source.reduce(partial(_choose, centres=found, factor=factor, seed=seed))
            found = np.unique(np.vstack([found, taken.rows]), axis=0)
        weight = source.reduce(partial(_sums, centres=found)).weight[:, 0]
        return KMeansPlusPlus()(source, Rows(found, weight), k, rng)


def _sums(chunk: Chunk, centres: Floats) -> ClusterSums:
    return ClusterSums.of(chunk.X, chunk.weight, centres, centres.mean(axis=0))


@dataclass(frozen=True)
class Given:
    """Centres given by the user, in the units of the data; they are checked where they are used."""

    centres: object

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Any:
        return self.centres


def are_labels(value: object) -> bool:
    """Whether a value may be the groups that rows belong to: whole numbers, truth values or words, in one dimension."""
    return has_dimensions(value, 1) and np.asarray(value).dtype.kind in "biuU"


@dataclass(frozen=True)
class GivenLabels:
    """The means of the groups that rows already belong to: one label a row, k different ones."""

    labels: Any

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Floats:
        owner = source.needs.owner
        if source.in_memory is None:
            raise InvalidParameter(f"{owner}: init by labels needs rows in memory; give centres (k, d) instead.")
        names, group = encode(np.asarray(self.labels))
        if len(group) != rows.X.shape[0] or len(names) != k:
            raise InvalidParameter(
                f"{owner}: init by labels needs one for each of the {rows.X.shape[0]} rows, {k} different ones; got "
                f"{len(group)} with {len(names)} different ones."
            )
        weight = rows.weights()
        light = [name for name, total in zip(names, np.bincount(group, weight, k), strict=True) if not total > 0]
        if light:
            raise InvalidParameter(
                f"{owner}: the rows of label {np.asarray(light[0]).item()!r} in init weigh nothing; give another one."
            )
        return _means_of_groups(rows.X, weight, group, np.zeros((k, rows.X.shape[1])))


@dataclass(frozen=True)
class Called:
    """Centres from the user's function (X, k, random_state), as in scikit-learn, among the rows X that it gets."""

    function: Callable[..., object]

    def __call__(self, source: Source, rows: Rows, k: int, rng: Rng) -> Any:
        state = np.random.RandomState(int(rng.integers(2**31)))
        try:
            inspect.signature(self.function).bind(rows.X, k, random_state=state)
        except TypeError as error:
            raise InvalidParameter(
                f"{source.needs.owner}: init must be a function of (X, n_clusters, random_state); the one given does "
                f"not take them ({error})."
            ) from None
        except ValueError:  # a function that does not tell what it takes
            pass
        return self.function(rows.X, k, random_state=state)


INITIALISERS: dict[str, Initialiser] = {
    "k-means++": KMeansPlusPlus(),
    "k-means||": KMeansParallel(),
    "random": RandomRows(),
    "random_assignment": RandomAssignment(),
    "farthest": FarthestPoint(),
    "pca": PrincipalAxis(),
}


def as_initialiser(init: object) -> Initialiser:
    """The start that a parameter means: a name, centres, labels, a function, or a start itself."""
    if isinstance(init, str):
        return INITIALISERS[init]
    if isinstance(init, tuple(type(start) for start in INITIALISERS.values())):
        return cast(Initialiser, init)
    if callable(init):
        return Called(init)
    return GivenLabels(init) if are_labels(init) else Given(init)
