"""What every classifier by Bayes' rule does once it has log P(class) + log p(x | class)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...backend.posteriors import (
    comparable,
    likeliest,
    log_posterior,
    log_total,
    posterior,
    rounded,
    rounded_logs,
)
from ...data import Chunk
from ...distributions import Beta, Dirichlet
from ...distributions.base import drawn
from ...distributions.loaded import check_members
from ...errors import InvalidData, InvalidParameter, SufficeWarning, warn
from ...estimator import Classifier
from ...holds import require
from ...params import are_numbers, numbers, param
from ...statistics import PerClass
from ...typing import Floats, Labels, RandomState, Reals, TableLike

T = TypeVar("T")
_AT_ONCE = 1 << 23  # cells scored together: what is made of rows with missing cells stays small


class BayesClassifier(Classifier):
    """Base: a subclass gives the prior, and `_members`, the distribution of each class, or overrides what uses it."""

    def check_loaded(self) -> None:
        super().check_loaded()
        if hasattr(self, "_members"):
            check_members(self._members)
        require(np.isclose(np.exp(self._log_prior()).sum(), 1.0), "the priors of the classes must sum to 1")

    def _log_joint(self, chunk: Chunk) -> Floats:
        """log P(class) + log p(x | class), (n, k), less `_log_base`, which tells no classes apart.

        In double: single precision would lose what tells them apart.
        """
        return np.asarray(type(self._members[0]).log_joints(self._members, self._log_prior(), chunk.X))

    def _log_scores(self, chunk: Chunk) -> Floats:
        """`_log_joint` less anything that is the same for every class of a row, where that is less work."""
        return self._log_joint(chunk)

    def _log_base(self, chunk: Chunk) -> Floats | None:
        """The part of log p(x | class) that is the same for every class and that `_log_joint` leaves out, (n,)."""
        return None

    def _log_joint_with_base(self, chunk: Chunk) -> Floats:
        """log P(class) + log p(x | class), (n, k), with nothing left out."""
        found, base = self._log_joint(chunk), self._log_base(chunk)
        for column in () if base is None else found.T:  # few: faster than row by row
            column += base
        return found

    def _log_prior(self) -> Floats:
        raise TypeError(f"{type(self).__name__} does not define _log_prior")

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        """n rows of class k."""
        return np.asarray(self._members[k].sample(n, rng))

    def predict(self, X: TableLike) -> Labels:
        """The class with the largest posterior probability; the likeliest one where the row has no density."""

        def classes(scores: Floats, chunk: Chunk) -> Labels:
            found: Labels = np.take(self.classes_, likeliest(scores, self._log_prior()))
            return found

        return self._answered(X, classes)

    def predict_joint_log_proba(self, X: TableLike) -> Reals:
        """log P(class) + log p(x | class), (n, k)."""

        return self._scored(X, self._log_joint_with_base, lambda found, chunk: rounded(found, chunk.X.dtype))

    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, k); log P(class) for a row that no class gives a density above 0."""

        def logs(scores: Floats, chunk: Chunk) -> Reals:
            return rounded_logs(log_posterior(scores, self._log_prior()), chunk.X.dtype)

        return self._answered(X, logs)

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, k); P(class) for a row that no class gives a density above 0."""

        def probabilities(scores: Floats, chunk: Chunk) -> Reals:
            return rounded(posterior(scores, self._log_prior()), chunk.X.dtype)

        return self._answered(X, probabilities)

    def decision_function(self, X: TableLike) -> Reals:
        """The log odds of two classes, log P(second | x) − log P(first | x), (n,); of more, log P(class | x), (n, k).

        `predict` gives the second of two classes where it is above 0, and of more that of the largest.
        """

        def decisions(scores: Floats, chunk: Chunk) -> Reals:
            prior = self._log_prior()
            if scores.shape[1] != 2:
                return rounded_logs(log_posterior(scores, prior), chunk.X.dtype)
            return rounded(log_odds(comparable(scores, prior)), chunk.X.dtype)

        return self._answered(X, decisions)

    def _answered(self, X: TableLike, answer: Callable[[Floats, Chunk], T]) -> T:
        """What `answer` makes of the log scores of the rows; one warning where rows have no density in any class."""
        impossible: list[tuple[int, int]] = []  # of each chunk that has such rows, the first one and their number

        def answered(scores: Floats, chunk: Chunk) -> T:
            rows = _impossible(scores)
            if len(rows):
                impossible.append((int(chunk.number(rows[0])), len(rows)))
            return answer(scores, chunk)

        found = self._scored(X, self._log_scores, answered)
        if impossible:
            warn(f"{type(self).__name__}: {_told(impossible)} P(class){self._remedy()}.", SufficeWarning)
        return found

    def _scored(self, X: TableLike, score: Callable[[Chunk], Floats], answer: Callable[[Floats, Chunk], T]) -> T:
        """What `answer` makes of the scores of rows; bad cells of wide rows are searched for where they show."""
        if not (self._is_wide(X) and self._shows_bad_cells()):
            return self._rows(X, lambda chunk: answer(score(chunk), chunk))
        return self._rows_by_scores(X, score, answer, lean=True)

    def _is_wide(self, X: TableLike) -> bool:
        """Whether scores are little beside their rows, so that the product that makes them is shared by its kernel."""
        if not isinstance(X, np.ndarray) or X.ndim != 2 or not hasattr(self, "classes_"):
            return False
        return X.shape[1] >= 8 * len(self.classes_) and X.size <= _AT_ONCE

    def _shows_bad_cells(self) -> bool:
        """Whether a cell that is infinite, or missing though that is not allowed, makes a score NaN or infinite."""
        return False

    def _remedy(self) -> str:
        """What would give every row a density, as the end of a sentence."""
        return ""

    def log_density(self, X: TableLike) -> Reals:
        """log p(x) = log Σ P(class) p(x | class), (n,); rows where it is low are unlike all classes."""

        def density(chunk: Chunk) -> Reals:
            found, base = log_total(self._log_joint(chunk)), self._log_base(chunk)
            return rounded(found if base is None else found + base, chunk.X.dtype)

        return self._rows(X, density)

    def score_samples(self, X: TableLike) -> Reals:
        """`log_density` by the name that scikit-learn's densities and outlier detectors have for it."""
        return self.log_density(X)

    def sample(self, n: int = 1, random_state: RandomState = None) -> tuple[Floats, NDArray[np.generic]]:
        """n rows (n, d) drawn from the model, and their classes (n,)."""
        self._check_fitted()
        rng = drawn(n, random_state)
        prior = np.exp(self._log_prior())
        codes = rng.choice(len(prior), n, p=prior / prior.sum())
        X = np.empty((n, self.n_features_in_))
        for k in np.unique(codes):
            rows = np.flatnonzero(codes == k)
            X[rows] = self._draw(k, len(rows), rng)
        return X, self.classes_[codes]


def log_odds(scores: Floats) -> Floats:
    """The score of the second class less that of the first, (n,), of which at least one is finite."""
    found: Floats = scores[:, 1] - scores[:, 0]
    return found


def _impossible(scores: Floats) -> NDArray[np.int64]:
    """The rows that no class gives a density above 0."""
    rows = np.flatnonzero(~(scores[:, 0] > -np.inf))  # a look at one class is enough nearly always
    return rows[~(scores[rows] > -np.inf).any(axis=1)] if len(rows) else rows


def _told(impossible: list[tuple[int, int]]) -> str:
    first, total = min(impossible)[0], sum(count for _, count in impossible)
    if total == 1:
        return f"row {first} is impossible in every class and gets"
    return f"{total:,} rows, the first of them row {first}, are impossible in every class and get"


def priors_param(positional: bool = False, otherwise: str = "takes the shares of the classes in the data") -> Any:
    """The declaration of given class probabilities, or of what is believed of them."""
    return param(
        None,
        choices=(None,),
        positional=positional,
        accept=lambda value: isinstance(value, Beta | Dirichlet) or are_numbers(value, 1),
        allowed="a list of one probability a class, or a Dirichlet or Beta prior",
        doc=f"P(class) in the order of `classes_`; None {otherwise}. A `Dirichlet` prior of them, or for two classes a "
        "`Beta` prior of the second, gives the mean of its posterior: its numbers are added to the counts.",
    )


def class_prior(owner: str, name: str, given: object, count: Floats) -> Floats:
    """P(class), (k,): what the parameter `name` gives; the posterior mean of a prior; the shares of the classes."""
    if given is None:
        return np.asarray(count / count.sum())
    if isinstance(given, Beta | Dirichlet):
        posterior = count + _pseudo_counts(owner, name, given, len(count))
        return np.asarray(posterior / posterior.sum())
    priors = numbers(owner, name, given, (len(count),), "one number a class")
    if np.any(priors < 0) or not np.isclose(priors.sum(), 1.0):
        raise InvalidParameter(f"{owner}: {name} must be probabilities that sum to 1; got {given!r}.")
    return priors


def _pseudo_counts(owner: str, name: str, prior: Beta | Dirichlet, k: int) -> Floats:
    """What a prior of the probabilities of k classes adds to their counts, (k,)."""
    if isinstance(prior, Beta):
        if k != 2:
            raise InvalidParameter(f"{owner}: {name} is a Beta prior, of two classes; y has {k}. Use a Dirichlet.")
        given: object = [prior.zeros, prior.ones]
    else:
        one = isinstance(prior.concentration, np.ndarray) and not prior.concentration.ndim
        given = np.full(k, prior.concentration) if one else prior.concentration
    added = numbers(owner, name, given, (k,), "one number a class")
    if np.any(added < 0):
        raise InvalidParameter(f"{owner}: {name} must have numbers, at least 0; got {prior!r}.")
    return added


def log_of(prior: Floats) -> Floats:
    """log P(class); −∞ for a class that cannot be."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(prior))


def with_rows(owner: str, summary: PerClass[Any]) -> PerClass[Any]:
    """The summary of the classes that have rows; there must be one."""
    some = summary.weight > 0
    if not some.any():
        raise InvalidData(f"{owner}: no rows are left; at least one must stay.")
    if some.all():
        return summary
    parts = tuple(part for part, kept in zip(summary.parts, some, strict=True) if kept)
    return PerClass(summary.classes[some], summary.weight[some], parts)
