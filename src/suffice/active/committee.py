"""Asking where several models of the same rows disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from scipy import special
from sklearn.base import is_regressor

from ..errors import InvalidParameter
from ..params import check_argument
from ..resampling.rows import rows_of
from ..typing import EstimatorLike, Floats, Labels, Predictor, Whole
from .query import OWNER, Pool, Query, probabilities


@dataclass(frozen=True)
class Committee(Query):
    """Where `members` models, each fitted to a bootstrap of the labelled rows, disagree (Seung et al., 1992).

    Of classes it is H(P̄) − mean H(P_i), what a label is expected to tell which member is right, with the entropy H and
    the mean P̄ of the members' probabilities; of models without probabilities the entropy of their votes. Of numbers it
    is the variance of what the members predict. Each bootstrap draws within the classes, so that none is lost.
    `models` are other models that sit in the committee instead, fitted to all labelled rows.
    """

    size: int = 10
    models: Sequence[EstimatorLike] = ()
    names = ("committee",)
    tasks = ("classes", "numbers")

    def __post_init__(self) -> None:
        check_argument(type(self).__name__, "size", self.size, integer=True, at_least=2, at_most=1000)
        if len(self.models) == 1 or isinstance(self.models, str):
            raise InvalidParameter("Committee: models must be at least 2 models, or none.")

    def scores(self, pool: Pool) -> Floats:
        made = [pool.fits(model, pool.labelled, pool.labels) for model in self._own(pool)] or self._drawn(pool)
        if is_regressor(pool.model):
            return np.asarray(np.var([predicted(model, pool.candidates) for model in made], axis=0))
        classes = np.unique(pool.labels)
        if not all(hasattr(model, "predict_proba") for model in made):
            return entropy_of_votes(np.array([model.predict(pool.candidates) for model in made]), classes)
        each = np.array([by_class(model, pool.candidates, classes) for model in made])
        information = special.entr(each.mean(axis=0)).sum(axis=1) - special.entr(each).sum(axis=2).mean(axis=0)
        return np.asarray(np.maximum(information, 0))

    def _own(self, pool: Pool) -> list[Predictor]:
        from ..resampling.folds import seeded

        return [seeded(model, int(pool.rng.integers(2**31))) for model in self.models]

    def _drawn(self, pool: Pool) -> list[Predictor]:
        return [pool.refitted(some) for some in bootstraps(pool, self.size)]


def bootstraps(pool: Pool, members: int) -> list[Whole]:
    """For each member, places among the labelled rows, drawn with replacement, of classes within each."""
    n = len(pool.labels)
    if is_regressor(pool.model):
        return [np.sort(pool.rng.integers(n, size=n)) for _ in range(members)]
    groups = [np.flatnonzero(pool.labels == name) for name in np.unique(pool.labels)]
    return [np.sort(np.concatenate([pool.rng.choice(own, len(own)) for own in groups])) for _ in range(members)]


def predicted(model: Predictor, X: object) -> Floats:
    """The number that a model predicts of each row, (m,)."""
    found = np.asarray(model.predict(X), dtype=np.float64)
    if found.size != len(found):
        raise InvalidParameter(
            f"{OWNER}: {type(model).__name__} predicts {found.shape[1]} numbers a row; one is needed."
        )
    return found.reshape(len(found))


def by_class(model: Predictor, X: object, classes: Labels) -> Floats:
    """P(class | x) in the order of these classes, (m, k)."""
    P, known = probabilities(model, X), np.asarray(attrgetter("classes_")(model))
    out = np.zeros((len(P), len(classes)))
    out[:, np.searchsorted(classes, known)] = P
    return out


def entropy_of_votes(votes: Labels, classes: Labels) -> Floats:
    """The entropy of the shares of votes for each class, (m,), of votes (members, m).

    >>> entropy_of_votes(np.array([["a", "a"], ["a", "b"]]), np.array(["a", "b"])).round(3)
    array([0.   , 0.693])
    """
    shares = np.array([(votes == name).mean(axis=0) for name in classes])
    return np.asarray(special.entr(shares).sum(axis=0))


def rest_of(pool: Pool, most: int) -> tuple[Whole, object]:
    """Places of at most so many of the rows that may be asked about, drawn, and these rows as a table."""
    m = len(pool.others)
    drawn = np.sort(pool.rng.choice(m, min(most, m), replace=False))
    return drawn, rows_of(pool.X, pool.others[drawn])
