"""Rounds of boosting: a weak learner, its error, its vote, and the weights of rows for the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ...backend.weights import RunningMass
from ...data import ArraySource, Chunk, Schema
from ...engine import Kept, Step
from ...errors import InvalidData
from ...estimator import Estimator
from ...holds import floats, instance, number, text, tuples
from ...typing import EstimatorLike, Floats, Labels, Whole
from .grid import Grid
from .members import Members, predicted, predicted_numbers

_PERFECT = 1e-14  # an error that is due to rounding
_TRIES = 10  # samples that are drawn before a weak learner is no better than chance
DONE, PERFECT, CHANCE = "n_estimators", "a weak learner makes no error", "a weak learner is no better than chance"
HALF = "the mean loss of a weak learner is half of the largest, or more"


@dataclass(frozen=True, eq=False)
class Boosted:
    """The ensemble after some rounds: what it has learned, and how much rows weigh in the next."""

    weight: Floats  # (n,), which sum to 1
    votes: Floats  # (n, k): what the learners for each class weigh; (n, 0) of numbers
    members: tuple[EstimatorLike, ...] = ()
    alphas: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()
    loss: float = 1.0
    reason: str = DONE


@dataclass(frozen=True, eq=False)
class Boosting:
    """One fit: the rows, and what a round does."""

    members: Members
    given: Floats  # (n,): the weights of the rows as they were given
    rate: float  # what every vote is multiplied by
    sampled: bool  # whether rows are drawn by their weights
    rng: np.random.Generator

    def start(self) -> Boosted:
        """Every row with its own weight."""
        return Boosted(self.given / self.given.sum(), self._no_votes())

    def step(self, before: Boosted) -> Step[Boosted]:
        """One round."""
        raise TypeError(f"{type(self).__name__} does not define step")

    def shown(self, state: Boosted) -> dict[str, object]:
        """What a trace has of a state."""
        return {"estimator_weights_": np.array(state.alphas), "sample_weights_": state.weight}

    def _no_votes(self) -> Floats:
        return np.zeros((len(self.given), 0))

    def _tries(self, weight: Floats) -> Iterator[EstimatorLike]:
        """Weak learners of rows with these weights; one, or of samples some."""
        total = float(self.given.sum())
        for _ in range(_TRIES if self.sampled else 1):
            yield self.members.fitted(self._drawn(weight, total) if self.sampled else weight * total, self.rng)[0]

    def _drawn(self, weight: Floats, total: float) -> Floats:
        return RunningMass(weight).times(max(1, round(total)), self.rng)


@dataclass(frozen=True, eq=False)
class ClassBoosting(Boosting):
    """Rounds of AdaBoost and SAMME."""

    codes: Whole  # (n,): the class of each row
    classes: Labels

    def shown(self, state: Boosted) -> dict[str, object]:
        """What a trace has of a state; on two columns of numbers also what the last learner and all say of a grid."""
        found = super().shown(state)
        return found if self._grid is None else {**found, "plane": self._grid.said(state.members, state.alphas)}

    @cached_property
    def _grid(self) -> Grid | None:
        source = self.members.source
        return Grid.of(source, self.codes, self.classes) if isinstance(source, ArraySource) else None

    def _no_votes(self) -> Floats:
        return np.zeros((len(self.codes), len(self.classes)))

    def step(self, before: Boosted) -> Step[Boosted]:
        """One round."""
        k = len(self.classes)
        model, codes, error = self._learned(before.weight)
        if error <= _PERFECT:
            alpha = 1.0 + sum(before.alphas)  # it decides alone
            return self._done(before, model, codes, 0.0, alpha, before.weight, 0.0, PERFECT)
        if error >= 1 - 1 / k - _PERFECT:
            return self._refused(before, error)
        odds = self.rate * (math.log((1 - error) / error) + math.log(k - 1))
        weight = np.where(codes != self.codes, before.weight, before.weight * math.exp(-odds))
        loss = (1 - error) * math.exp(-odds * (k - 1) / k) + error * math.exp(min(odds / k, 700.0))
        return self._done(before, model, codes, error, odds / 2, weight / weight.sum(), before.loss * loss, DONE)

    def _learned(self, weight: Floats) -> tuple[EstimatorLike, Whole, float]:
        """A weak learner, what it says of the rows, and its error; of samples, that of the first better than chance."""
        schema, chance = self.members.source.schema, 1 - 1 / len(self.classes)
        for model in self._tries(weight):
            codes = self.members.each(partial(_classes_said, model=model, schema=schema, classes=self.classes))
            error = float(weight @ (codes != self.codes))
            if error < chance:
                break
        return model, codes, error

    def _done(
        self, before: Boosted, model: EstimatorLike, codes: Whole, error: float, alpha: float, weight: Floats,
        loss: float, reason: str,
    ) -> Step[Boosted]:  # fmt: skip
        votes = before.votes.copy()
        votes[np.arange(len(codes)), codes] += alpha
        state = Boosted(
            weight, votes, (*before.members, model), (*before.alphas, alpha), (*before.errors, error), loss, reason
        )
        return Step(state, loss, self._figures(state, error, alpha), done=reason != DONE)

    def _figures(self, state: Boosted, error: float, alpha: float) -> dict[str, float]:
        votes = state.votes
        said = votes[:, 1] > votes[:, 0] if votes.shape[1] == 2 else np.argmax(votes, axis=1)
        wrong = said != self.codes
        found = {
            "weighted_error": error,
            "alpha": alpha,
            "training_error": float(self.given @ wrong) / float(self.given.sum()),
        }
        if len(self.classes) == 2 and self.rate == 1:
            found["bound"] = math.exp(-2 * sum((0.5 - e) ** 2 for e in state.errors))
            found["tight_bound"] = state.loss
        return found

    def _refused(self, before: Boosted, error: float) -> Step[Boosted]:
        if not before.members:
            raise InvalidData(
                f"{self.members.owner}: the first {type(self.members.model).__name__} has a weighted error of "
                f"{error:.3g}, no better than chance with {len(self.classes)} classes, so there is nothing to boost; "
                "give a stronger weak learner, such as a deeper tree."
            )
        state = replace(before, reason=CHANCE)
        return Step(state, before.loss, self._figures(state, error, 0.0), done=True)


LOSSES: dict[str, Callable[[Floats], Floats]] = {
    "linear": lambda share: share,
    "square": lambda share: share**2,
    "exponential": lambda share: -np.expm1(-share),
}


@dataclass(frozen=True, eq=False)
class NumberBoosting(Boosting):
    """Rounds of AdaBoost.R2 (Drucker, 1997)."""

    y: Floats  # (n,)
    loss: str  # of errors as shares of the largest

    def step(self, before: Boosted) -> Step[Boosted]:
        """One round."""
        model, losses, largest, error = self._learned(before.weight)
        if error <= _PERFECT:
            return self._done(before, model, 0.0, 1.0 + sum(before.alphas), before.weight, 0.0, largest, PERFECT)
        if error >= 0.5:
            if before.members:
                state = replace(before, reason=HALF)
                return Step(state, before.loss, _told(error, 0.0, largest), done=True)
            return self._done(before, model, error, 1.0, before.weight, 1.0, largest, HALF)
        alpha = self.rate * math.log((1 - error) / error)
        weight = before.weight * np.exp(-alpha * (1 - losses))
        total = float(weight.sum())
        return self._done(before, model, error, alpha, weight / total, before.loss * total, largest, DONE)

    @property
    def _rounding(self) -> float:
        """An error that is due to rounding: trees know targets as whole numbers of 40 bits and more."""
        known = self.y[self.given > 0]
        return 1e-11 * float(known.max() - known.min()) + _PERFECT * float(np.abs(known).max())

    def _learned(self, weight: Floats) -> tuple[EstimatorLike, Floats, float, float]:
        """A weak learner, the losses of the rows, the largest error and the mean loss; of samples the first below ½."""
        schema, counts = self.members.source.schema, self.given > 0
        for model in self._tries(weight):
            said = self.members.each(partial(_numbers_said, model=model, schema=schema))
            away = np.where(counts, np.abs(said - self.y), 0.0)
            largest = float(away.max())
            if largest <= self._rounding:
                return model, away, largest, 0.0
            losses = LOSSES[self.loss](away / largest if largest > 0 else away)
            error = min(1.0, float(weight @ losses))
            if error < 0.5:
                break
        return model, losses, largest, error

    def _done(
        self, before: Boosted, model: EstimatorLike, error: float, alpha: float, weight: Floats, loss: float,
        largest: float, reason: str,
    ) -> Step[Boosted]:  # fmt: skip
        state = Boosted(
            weight, before.votes, (*before.members, model), (*before.alphas, alpha), (*before.errors, error), loss,
            reason,
        )  # fmt: skip
        return Step(state, loss, _told(error, alpha, largest), done=reason != DONE)


def _classes_said(chunk: Chunk, model: EstimatorLike, schema: Schema, classes: Labels) -> Whole:
    return predicted(model, chunk, schema, classes)


def _numbers_said(chunk: Chunk, model: EstimatorLike, schema: Schema) -> Floats:
    return predicted_numbers(model, chunk, schema)


def _told(error: float, alpha: float, largest: float) -> dict[str, float]:
    return {"weighted_error": error, "alpha": alpha, "largest_error": largest}


def kept_state(n: int, k: int) -> Kept[Boosted]:
    """How the state is written to a checkpoint."""
    return Kept.fields(
        Boosted, weight=floats(n, at_least=0), votes=floats(n, k, at_least=0), members=tuples(instance(Estimator)),
        alphas=tuples(number()), errors=tuples(number()), loss=number(), reason=text(),
    )  # fmt: skip
