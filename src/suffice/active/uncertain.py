"""Strategies that ask where one model is least sure of the class, or would act at the largest expected cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special
from sklearn.base import is_regressor

from ..choices import check_number
from ..errors import InvalidData
from ..params import check_argument
from ..resampling.costs import Costs
from ..resampling.named_costs import NamedCosts
from ..typing import Floats, Labels, Numbers
from .query import OWNER, Pool, Query


@dataclass(frozen=True)
class LeastConfident(Query):
    """Where the most probable class is least probable: 1 − max P(c | x)."""

    names = ("least_confident",)

    def scores(self, pool: Pool) -> Floats:
        return np.asarray(1 - pool.probability.max(axis=1))


@dataclass(frozen=True)
class Margin(Query):
    """Where the two most probable classes are closest: 1 − (P₁(x) − P₂(x))."""

    names = ("margin",)

    def scores(self, pool: Pool) -> Floats:
        return margins(pool.probability)


def margins(P: Floats) -> Floats:
    """1 − the difference of the two largest probabilities of each row, (m,).

    >>> margins(np.array([[0.7, 0.1, 0.2], [0.5, 0.5, 0.0]]))
    array([0.5, 1. ])
    """
    if P.shape[1] < 2:
        return np.zeros(len(P))
    two = np.partition(P, P.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(1 - (two[:, 1] - two[:, 0]))


@dataclass(frozen=True)
class Entropy(Query):
    """Where the class is most uncertain as a whole: −Σ P(c | x) log P(c | x)."""

    names = ("entropy",)

    def scores(self, pool: Pool) -> Floats:
        return np.asarray(special.entr(pool.probability).sum(axis=1))


@dataclass(frozen=True)
class ExpectedCost(Query):
    """Where acting on the model costs most: min over actions a of Σ P(c | x) C_ca (Margineantu, 2005).

    `costs` are those of `Decide`: a mapping of classes to mappings of actions to costs, a matrix, a frame or a file;
    None: 1 for every error.
    """

    costs: object = None
    names = ("expected_cost",)

    def scores(self, pool: Pool) -> Floats:
        classes: list[object] = pool.classes.tolist()
        named = NamedCosts.of(self.costs, OWNER)
        if named is None:
            return np.asarray((pool.probability @ Costs.of(self.costs, classes, None, OWNER).costs).min(axis=1))
        costs = named.among(classes, OWNER, only=False)  # of which some may not have been seen yet
        return np.asarray((pool.probability @ costs).min(axis=1))


@dataclass(frozen=True)
class RandomQuery(Query):
    """Any row: what other strategies are compared with."""

    names = ("random",)
    tasks = ("classes", "numbers")
    draws = True

    def scores(self, pool: Pool) -> Floats:
        return pool.rng.random(len(pool.others))


@dataclass(frozen=True)
class DensityWeighted(Query):
    """Where another strategy asks and rows are many: its scores × (mean similarity to the other rows)^power.

    An uncertain row far from all others is worth little (Settles and Craven, 2008). The similarity of two rows is
    exp(−‖x − z‖² / 2h²), h the median distance of rows, in standardised columns, to at most `among` rows. Without
    `base` it is the entropy of classes, and of numbers what a committee says.
    """

    base: object = None
    power: float = 1.0
    among: int = 500
    names = ("density",)
    tasks = ("classes", "numbers")

    def __post_init__(self) -> None:
        check_number(self, "power", 0.0)
        check_argument(type(self).__name__, "among", self.among, integer=True, at_least=1)

    def scores(self, pool: Pool) -> Floats:
        from .query import QUERIES

        named = ("committee" if is_regressor(pool.model) else "entropy") if self.base is None else self.base
        base: Query = QUERIES.member(named, type(self).__name__, "base")
        return np.asarray(base.scores(pool) * self.density(pool) ** self.power)

    def density(self, pool: Pool) -> Floats:
        """The mean similarity of each row that may be asked about to others, (m,)."""
        drawn = np.sort(pool.rng.choice(pool.others, min(self.among, len(pool.others)), replace=False))
        squares = square_distances(pool.places[pool.others], pool.places[drawn])
        middle = float(np.median(squares[squares > 0])) if np.any(squares > 0) else 1.0
        return np.asarray(np.exp(-0.5 * squares / middle).mean(axis=1))


def square_distances(A: Numbers, B: Numbers) -> Floats:
    """‖a − b‖² of rows of two tables of points, (m, l), dense or sparse."""
    from sklearn.metrics import pairwise_distances

    found: Floats = pairwise_distances(A, B, metric="sqeuclidean" if isinstance(A, np.ndarray) else "euclidean")
    return found if isinstance(A, np.ndarray) else np.asarray(found**2)


def checked_scores(scores: Floats, m: int, query: Query, rows: Labels) -> Floats:
    """Scores that can be compared, (m,)."""
    found = np.asarray(scores, dtype=np.float64)
    if found.shape != (m,):
        raise InvalidData(f"{type(query).__name__}: scores must be ({m},), one a row; got shape {found.shape}.")
    bad = np.flatnonzero(np.isnan(found))
    if len(bad):
        raise InvalidData(f"{type(query).__name__}: the score of row {int(rows[bad[0]])} is not a number.")
    return found
