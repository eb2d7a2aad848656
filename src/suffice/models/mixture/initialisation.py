"""Where EM begins: each start gives the components of a mixture."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Any

import numpy as np

from ...backend.mixture import Rule, has_missing
from ...backend.weights import RunningMass
from ...data import ArraySource, Chunk, Source
from ...data.sampling import KeptRows
from ...distributions import Distribution, FactorGaussian, LowRankGaussian, Mixture, SphericalGaussian
from ...distributions.sharing import blocks
from ...errors import InvalidData, squares_overflow, squares_underflow
from ...statistics import DiagonalMoments, row_uniforms
from ...typing import Floats
from ..cluster.initial_rows import Rows
from ..cluster.initialisation import KMeansPlusPlus, RandomRows
from .prior import SpreadPrior

_SAMPLE_ROWS, _SAMPLE_CELLS = 1 << 14, 1 << 18  # so many rows are enough to begin with
_LEAST_SCATTER = 1e-292  # sums of squares below have lost digits
_ONE_UNIT = (SphericalGaussian, LowRankGaussian)
NAMES = ("kmeans", "k-means++", "random_from_data", "random")


@dataclass(frozen=True)
class FirstLook:
    """What all starts of a fit share: the source, its columns by themselves, and some of its rows."""

    source: Source
    columns: DiagonalMoments
    has_missing: bool
    prior: SpreadPrior
    form: Mixture  # the family of mixtures
    seed: int
    sample: Chunk | None = None  # of the same pass, where the rows are not in memory

    @classmethod
    def of(
        cls,
        source: Source,
        form: Mixture,
        seed: int,
        reg_covar: float,
        variance: Floats | None = None,
        sampled: bool = False,
    ) -> FirstLook:
        """Look at the source: one pass, which also draws a sample where `sampled` says that a start needs one.

        `variance` is that of the columns, where these rows are a part of more.
        """
        owner, k = source.needs.owner, form.n_components
        size = _sample_size(k, len(source.schema)) if sampled and source.in_memory is None else 0
        seen = source.reduce(partial(_Seen.of, size=size, seed=seed))
        if np.any(seen.columns.weight == 0):
            column = source.schema.describe(int(np.argmin(seen.columns.weight)))
            raise InvalidData(f"{owner}: {column} has only missing values; leave it out.")
        if not np.isfinite(4.0 * len(seen.columns.mean) * seen.columns.scatter.sum()):
            raise squares_overflow(owner)
        if np.any((seen.columns.scatter > 0) & (seen.columns.scatter < _LEAST_SCATTER)):
            raise squares_underflow(owner)
        if seen.rows < k:
            raise InvalidData(
                f"{owner}: n_components={k}, but there are only {seen.rows} rows. Expected n_samples >= n_components."
            )
        scale = seen.columns.variance() if variance is None else variance
        prior = SpreadPrior.of(reg_covar, scale, seen.weight, k)
        sample = None if seen.kept is None else seen.kept.sample()
        return cls(source, seen.columns, seen.missing, prior, form, seed, sample)

    @property
    def family(self) -> Distribution:
        """The family of the components."""
        return self.form.component

    @property
    def k(self) -> int:
        """How many components."""
        return self.form.n_components

    @cached_property
    def rows(self) -> Rows:
        """Some of the rows."""
        size = _sample_size(self.k, len(self.columns.mean))
        found = self.source.sample(size, self.seed) if self.sample is None else self.sample
        return Rows(np.asarray(found.X, dtype=np.float64), found.weight)

    @cached_property
    def unit(self) -> Floats:
        """What columns are measured in before rows are compared, (d,): their own scale, or one for all.

        A family that has one variance for all columns compares them as they are.
        """
        scale = np.sqrt(_positive(self.columns.variance()))
        per_column = not isinstance(self.family, _ONE_UNIT) or isinstance(self.family, FactorGaussian)
        return scale if per_column or self.has_missing else np.full(len(scale), np.sqrt(np.mean(scale**2)))

    def filled(self) -> Rows:
        """The rows with column means in their missing values, in these units."""
        rows = self.rows
        X = np.where(np.isnan(rows.X), self.columns.mean, rows.X) if np.isnan(rows.X).any() else rows.X
        return Rows(X / self.unit, rows.weight)

    def mixture(self, weights: Floats, parts: Any) -> Mixture:
        """A mixture of these parts, with the weights that are known in place of these."""
        begun = replace(self.form, **{"weights": np.asarray(weights), "parts": tuple(parts), **self.form.known()})
        if not self.form.variational:
            return begun
        counts = self.form.concentration + self.prior.size * self.k * begun.weights
        return begun.with_arrays(**begun.by_posterior(np.where(begun.weights > 0, counts, 0.0)))

    def by_message_length(self) -> FirstLook:
        """The same with the prior of Figueiredo & Jain: α = 1 − p/2 for the p parameters of a component.

        Each component costs (p + 1)/2 · log n besides, so that mixtures of different sizes compare. Their paper has
        log(n/12) + 1, by which a component of fewer than 12 rows is free; their own programme has this.
        """
        one: Any = self.family.begin(self.rows.X, self.rows.weights())
        p = type(one).n_parameters_together([one, one]) - type(one).n_parameters_together([one])
        p -= 0 if self.form.tied is None else one.n_spread_parameters
        cost = 0.5 * (p + 1) * np.log(self.prior.size * self.k)
        return replace(
            self,
            form=replace(self.form, concentration=1 - p / 2),
            prior=replace(self.prior, per_component=-float(cost)),
        )

    def by_size(self, mixture: Mixture) -> Mixture:
        """The mixture with its components in the order of the weights that are known, where there are any."""
        if "weights" not in self.form.fixed:
            return mixture
        equal = replace(mixture, weights=np.full(self.k, 1 / self.k))
        nearest = np.argmax(equal.log_joint(self.rows.X), axis=1)
        sizes = np.bincount(nearest, self.rows.weights(), minlength=self.k)
        place = np.argsort(np.argsort(mixture.weights, kind="stable"))  # the rank of each known weight
        return self.mixture(mixture.weights, [mixture.parts[j] for j in np.argsort(sizes, kind="stable")[place]])

    def around(self, centres: Floats) -> Mixture:
        """Every row given to the nearest centre, in these units."""
        parts = [self.family.around(centre, self.unit**2) for centre in centres]  # type: ignore[attr-defined]
        near = replace(self.form, weights=np.full(self.k, 1 / self.k), parts=tuple(parts))  # also where π is known
        found = self.source.reduce(partial(_hard, mixture=near))
        begun = self.prior.likeliest(near, found)
        return self.mixture(begun.weights, begun.parts)


def _sample_size(k: int, d: int) -> int:
    return max(100 * k, min(_SAMPLE_ROWS, _SAMPLE_CELLS // d))


@dataclass(frozen=True)
class _Seen:
    """The columns by themselves, how many rows have a weight, Σw, whether a cell is missing, and some of the rows."""

    columns: DiagonalMoments
    rows: int
    weight: float
    missing: bool
    kept: KeptRows | None

    @classmethod
    def of(cls, chunk: Chunk, size: int, seed: int) -> _Seen:
        columns, kept = DiagonalMoments.of(chunk.X, chunk.weight), KeptRows.of(chunk, size, seed) if size else None
        if chunk.weight is None:
            missing = bool(np.any(columns.weight < len(chunk)))
            return cls(columns, len(chunk), float(len(chunk)), missing, kept)
        rows, weight = int(np.count_nonzero(chunk.weight)), float(np.sum(chunk.weight))
        return cls(columns, rows, weight, has_missing(chunk.X), kept)

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(
            self.columns + other.columns,
            self.rows + other.rows,
            self.weight + other.weight,
            self.missing or other.missing,
            None if self.kept is None or other.kept is None else self.kept + other.kept,
        )


def _hard(chunk: Chunk, mixture: Mixture) -> Any:
    return mixture.statistic(chunk.X, chunk.weight, Rule(hard=True))


def _small_blocks(chunk: Chunk) -> list[slice]:
    """Blocks so small that some copies of one are little beside a large chunk; one block for no rows."""
    return blocks(len(chunk), 4 * chunk.X.shape[1]) or [slice(0, 0)]


def initialise(how: str, look: FirstLook, rng: np.random.Generator) -> Mixture:
    """The mixture that a named start gives."""
    if look.k == 1:  # the first iteration gives it every row, whatever the start
        return look.mixture(np.ones(1), [look.family.around(look.columns.mean, look.unit**2)])  # type: ignore[attr-defined]
    if how == "random":
        return look.by_size(_random_responsibilities(look, int(rng.integers(2**31))))
    return look.by_size(look.around(_CENTRES[how](look, rng) * look.unit))


def _by_kmeans(look: FirstLook, rng: np.random.Generator) -> Floats:
    from ..cluster import KMeans

    rows, owner = look.filled(), look.source.needs.owner
    source = ArraySource.of(Chunk(rows.X, None, rows.weight), owner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(KMeans(look.k, random_state=rng).fit_source(source).cluster_centers_)


def _by_seeding(look: FirstLook, rng: np.random.Generator) -> Floats:
    return np.asarray(KMeansPlusPlus()(look.source, look.filled(), look.k, rng))


def _by_rows(look: FirstLook, rng: np.random.Generator) -> Floats:
    return np.asarray(RandomRows()(look.source, look.filled(), look.k, rng))


_CENTRES: dict[str, Callable[[FirstLook, np.random.Generator], Floats]] = {
    "kmeans": _by_kmeans,
    "k-means++": _by_seeding,
    "random_from_data": _by_rows,
}


def _random_responsibilities(look: FirstLook, seed: int) -> Mixture:
    """Every row shared out at random, evenly over all ways to do so."""
    family = look.family.around(look.columns.mean, _positive(look.columns.variance()))  # type: ignore[attr-defined]
    found = look.source.reduce(partial(_random, family=family, k=look.k, seed=seed))
    weight = found.weight
    parts = [family] * look.k
    parts = type(family).mle_together(parts, look.prior.added(parts, found.parts))
    return look.mixture(weight / weight.sum(), parts)


def _positive(variance: Floats) -> Floats:
    return np.where(variance > 0, variance, 1.0)


@dataclass(frozen=True)
class _Responsibilities:
    weight: Floats
    parts: tuple[Any, ...]

    def __add__(self, other: _Responsibilities) -> _Responsibilities:
        return _Responsibilities(self.weight + other.weight, tuple(map(add, self.parts, other.parts)))


def _random(chunk: Chunk, family: object, k: int, seed: int) -> _Responsibilities:
    return reduce(add, (_random_block(chunk.rows(b.start, b.stop), family, k, seed) for b in _small_blocks(chunk)))


def _random_block(chunk: Chunk, family: Any, k: int, seed: int) -> _Responsibilities:
    filled = np.nan_to_num(chunk.X)
    keys = np.stack([-np.log(row_uniforms(filled, seed + 7919 * (j + 1))) for j in range(k)])  # (k, n)
    responsibilities = keys / keys.sum(axis=0)
    if chunk.weight is not None:
        responsibilities = responsibilities * chunk.weight
    return _Responsibilities(
        responsibilities.sum(axis=1), tuple(family.statistic(chunk.X, own) for own in responsibilities)
    )


def seeded(look: FirstLook, rng: np.random.Generator) -> Mixture:
    """For any family: components that each begin at a row, spread out as k-means++ does, by log likelihood.

    A component at a row is what follows from that row together with all rows scaled down to the weight of one; one
    component is that of all rows, whatever their order.
    """
    family, rows, weights = look.family, look.rows.X, look.rows.weights()
    whole = family.begin(rows, weights)
    everything = whole.statistic(rows, weights).scaled(1 / weights.sum())
    prior = replace(look.prior, size=2.0).stronger()  # some, so that every component has a density to compare
    if look.k == 1:
        return look.mixture(np.ones(1), [whole.mle(prior.added([whole], [everything])[0])])
    best = np.full(len(rows), -np.inf)
    parts: list[Any] = []
    for _ in range(look.k):
        lack = (np.max(best) - best) if parts else np.ones(len(rows))
        mass = weights * (lack if lack.any() else 1.0)
        at = RunningMass(mass).draw(rng)
        found = reduce(add, (everything, whole.statistic(rows[at : at + 1], np.ones(1))))
        parts.append(whole.mle(prior.added([whole], [found])[0]))
        best = np.maximum(best, parts[-1].log_prob(rows))
    return look.by_size(look.mixture(np.full(look.k, 1 / look.k), parts))
