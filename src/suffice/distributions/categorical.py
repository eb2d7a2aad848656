"""The categorical distribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy.special import rel_entr, xlogy

from ..backend.columns import category_terms, largest_codes
from ..errors import InvalidData, InvalidParameter
from ..holds import either, floats, integers, lists, optional, tuples, whole
from ..statistics import CategoryCounts
from ..statistics.category_counts import found_sizes, joined, offsets_of, sizes_of
from ..typing import Flags, Floats, Numbers, RandomState, Reals, Whole
from .base import Distribution, drawn, entropy_of
from .parameters import ArrayParameter, parameter
from .sharing import Members
from .support import Support

_MOST_CODES = 1 << 24  # where the number of categories is not given: more are rather measurements, or keys


@dataclass(frozen=True)
class Categorical(Distribution):
    """Independent categories in every column, as codes 0 … K_j − 1: p(x) = ∏ⱼ p_j[x_j].

    `categories` is the number of categories, one for all columns or one for each. Without it a column has as many as
    the largest code seen. A code without a probability has density 0. Smoothing belongs to a `Dirichlet` prior.

    Examples
    --------
    >>> from suffice.distributions import Categorical
    >>> family = Categorical(categories=(2, 3))
    >>> family.fit(np.array([[0.0, 2.0], [1.0, 2.0], [1.0, 0.0], [1.0, 0.0]])).probability
    (array([0.25, 0.75]), array([0.5, 0. , 0.5]))
    """

    names = ("categorical",)
    support = Support("codes 0, 1, 2, … below the number of categories", least=0.0, whole=True)

    probability: ArrayParameter = parameter(
        "p, the probability of each category of each column, (K_j,) for column j.",
        holds=tuples(floats(None, at_least=0, at_most=1), "d"),
    )
    categories: int | Sequence[int] | None = None

    holds: ClassVar = {"categories": optional(either(whole(), tuples(whole()), lists(whole()), integers(None)))}

    def __post_init__(self) -> None:
        if self.probability is not None:
            columns = tuple(np.atleast_1d(np.asarray(column, dtype=np.float64)) for column in self.probability)
            object.__setattr__(self, "probability", columns)

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(tuple(rng.dirichlet(np.full(size, 2.0)) for size in (2, 3, 5)))

    @property
    def n_columns(self) -> int | None:
        return None if self.probability is None else len(self.probability)

    @property
    def n_parameters(self) -> int:
        return sum(max(len(column) - 1, 0) for column in self.probability)

    def log_prob(self, X: Numbers) -> Floats:
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rng = drawn(n, random_state)
        wrong = next((j for j, p in enumerate(self.probability) if abs(np.sum(p) - 1) > 1e-8), None)
        if wrong is not None:
            raise InvalidParameter(f"Categorical: the probabilities of column {wrong} must sum to 1.")
        columns = [rng.choice(len(p), n, p=p) for p in self.probability]
        return np.stack(columns, axis=1).astype(np.float64)

    def moments(self) -> tuple[Floats, Floats]:
        mean = np.array([p @ np.arange(len(p)) for p in self.probability])
        return mean, np.array([p @ np.arange(len(p)) ** 2 for p in self.probability]) - mean**2

    def entropy(self) -> float:
        return sum(entropy_of(p) for p in self.probability)

    def kl(self, other: Self) -> float:
        return sum(float(np.sum(rel_entr(*_same_length(p, q)))) for p, q in _paired(self, other))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> CategoryCounts:
        return CategoryCounts.of(X, weight, self._sizes(X.shape[1]))

    def mle(self, statistic: CategoryCounts) -> Self:
        before = self.probability or [None] * len(statistic.counts)
        pairs = zip(statistic.counts, before, strict=True)
        return type(self)(tuple(_probabilities(counts, old) for counts, old in pairs), self.categories)

    def total_log_prob(self, statistic: CategoryCounts) -> float:
        sizes = np.maximum(sizes_of(statistic.counts), sizes_of(self.probability))
        return float(np.sum(xlogy(statistic.flat(sizes), joined(self.probability, sizes))))

    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        for part in parts:
            part._require_parameters()
        return np.asarray(category_terms(np.asarray(X), *_log_table(parts)))

    @staticmethod
    def shared_statistics(parts: Members, X: Numbers, responsibilities: Floats) -> tuple[CategoryCounts, ...]:
        sizes = parts[0]._sizes(X.shape[1]) or found_sizes(X)
        return tuple(CategoryCounts.of(X, weight, sizes) for weight in responsibilities.T.copy())

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[CategoryCounts, ...]:
        return CategoryCounts.grouped(X, group, groups, weight, self._sizes(X.shape[1]))

    def admits(self, X: Reals) -> Flags:
        sizes = self._sizes(X.shape[1])
        most = _MOST_CODES if sizes is None else np.array(sizes)
        return super().admits(X) & (most > X)

    def admits_all(self, X: Numbers) -> bool:
        sizes = self._sizes(X.shape[1])
        most = _MOST_CODES if sizes is None else np.array(sizes)
        return bool(np.all(largest_codes(np.asarray(X)) < most))  # NaN, which is below nothing, where one is outside

    def supports(self) -> tuple[Support, ...]:
        some = (np.flatnonzero(p) for p in self.probability)
        return tuple(replace(self.support, least=float(own[0]), most=float(own[-1])) for own in some)

    def _sizes(self, d: int) -> list[int] | None:
        """The number of categories of each column where it was given."""
        if self.categories is None:
            return None
        sizes = np.broadcast_to(self.categories, d) if np.ndim(self.categories) == 0 else np.asarray(self.categories)
        if len(sizes) != d:
            raise InvalidData(f"Categorical: categories names {len(sizes)} columns; the rows have {d}.")
        return [int(size) for size in sizes]


def _probabilities(counts: Floats, before: object) -> Floats:
    """The share of each category; as before, or else equal, where none was seen."""
    if counts.any():
        return np.asarray(counts / counts.sum())
    return np.full(len(counts), 1 / max(len(counts), 1)) if before is None else np.asarray(before)


def _log_table(parts: Members) -> tuple[Whole, Floats, Floats]:
    """Where each column begins, log p of its categories under each part, (C, k), and of any other code, (d, k)."""
    sizes = np.max([sizes_of(part.probability) for part in parts], axis=0)
    probability = np.stack([joined(part.probability, sizes) for part in parts], axis=1)
    with np.errstate(divide="ignore"):
        return offsets_of(sizes), np.log(probability), np.full((len(sizes), len(parts)), -np.inf)


def _paired(one: Categorical, other: Categorical) -> Iterator[tuple[Floats, Floats]]:
    return zip(one.probability, other.probability, strict=True)


def _same_length(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Both with zeros at the end, so that they are of one length."""
    size = max(len(a), len(b))
    return np.pad(a, (0, size - len(a))), np.pad(b, (0, size - len(b)))
