"""Rounds of boosting: a weak learner, its error, its vote, and the weights of rows for the next."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ...backend.weights import RunningMass
from ...engine import Kept, Step
from ...errors import InvalidData
from ...estimator import Estimator
from ...holds import floats, instance, number, text, tuples
from ...typing import EstimatorLike, Floats, Labels, Whole
from .members import Members, predicted

_PERFECT = 1e-14  # an error that is due to rounding
_TRIES = 10  # samples that are drawn before a weak learner is no better than chance
DONE, PERFECT, CHANCE = "n_estimators", "a weak learner makes no error", "a weak learner is no better than chance"


@dataclass(frozen=True, eq=False)
class Boosted:
    """The ensemble after some rounds: what it has learned, and how much rows weigh in the next."""

    weight: Floats  # (n,), which sum to 1
    votes: Floats  # (n, k): what the learners for each class weigh
    members: tuple[EstimatorLike, ...] = ()
    alphas: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()
    loss: float = 1.0
    reason: str = DONE


@dataclass(frozen=True, eq=False)
class Boosting:
    """One fit: the rows, and what a round does."""

    members: Members
    codes: Whole  # (n,): the class of each row
    classes: Labels
    given: Floats  # (n,): the weights of the rows as they were given
    rate: float  # what every vote is multiplied by
    sampled: bool  # whether rows are drawn by their weights
    rng: np.random.Generator

    def start(self) -> Boosted:
        """Every row with its own weight."""
        n, k = len(self.codes), len(self.classes)
        return Boosted(self.given / self.given.sum(), np.zeros((n, k)))

    def step(self, before: Boosted) -> Step[Boosted]:
        """One round."""
        k = len(self.classes)
        model, codes, error = self._learned(before.weight)
        if error <= _PERFECT:
            alpha = 1 + sum(before.alphas)  # it decides alone
            return self._done(before, model, codes, 0.0, alpha, before.weight, 0.0, PERFECT)
        if error >= 1 - 1 / k - _PERFECT:
            return self._refused(before, error)
        odds = self.rate * (math.log((1 - error) / error) + math.log(k - 1))
        weight = np.where(codes != self.codes, before.weight, before.weight * math.exp(-odds))
        loss = (1 - error) * math.exp(-odds * (k - 1) / k) + error * math.exp(min(odds / k, 700.0))
        return self._done(before, model, codes, error, odds / 2, weight / weight.sum(), before.loss * loss, DONE)

    def _learned(self, weight: Floats) -> tuple[EstimatorLike, Whole, float]:
        """A weak learner, what it says of the rows, and its error; of samples, that of the first better than chance."""
        chunk, schema, chance = self.members.source.chunk, self.members.source.schema, 1 - 1 / len(self.classes)
        for _ in range(_TRIES if self.sampled else 1):
            total = float(self.given.sum())
            drawn = self._sampled(weight, total) if self.sampled else weight * total
            model, _ = self.members.fitted(drawn, self.rng)
            codes = predicted(model, chunk, schema, self.classes)
            error = float(weight @ (codes != self.codes))
            if error < chance:
                break
        return model, codes, error

    def _sampled(self, weight: Floats, total: float) -> Floats:
        places = RunningMass(weight).rows(self.rng.random(max(1, round(total))))
        return np.bincount(places, minlength=len(weight)).astype(np.float64)

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


def kept_state(n: int, k: int) -> Kept[Boosted]:
    """How the state is written to a checkpoint."""
    return Kept.fields(
        Boosted, weight=floats(n, at_least=0), votes=floats(n, k, at_least=0), members=tuples(instance(Estimator)),
        alphas=tuples(number()), errors=tuples(number()), loss=number(), reason=text(),
    )  # fmt: skip
