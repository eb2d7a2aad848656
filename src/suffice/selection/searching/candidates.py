"""What was found of one combination of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...evaluation import Evaluation
from ...resampling import Measure
from ...text import figure
from ...typing import Floats
from .space import Proposal


@dataclass(frozen=True, eq=False)
class Candidate:
    """A combination that was tried: what its folds scored, how long they took, or why it failed."""

    number: int  # from 1
    proposal: Proposal
    values: Mapping[str, float]  # of all answers together, by measure; NaN where it failed
    scores: Mapping[str, Floats]  # of each fold, by measure
    errors: Mapping[str, float]  # standard errors of the mean over folds, by measure
    training: Mapping[str, float]  # of the training rows, where they were asked
    training_errors: Mapping[str, float] = field(default_factory=dict)  # standard errors of their mean over folds
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    summed: bool = False  # whether all fits came from sums that folds share
    error: str | None = None

    @property
    def params(self) -> Mapping[str, object]:
        """The parameters that were tried."""
        return self.proposal.params

    @property
    def share(self) -> float:
        """The share of the training rows that its fits learned from."""
        return self.proposal.share

    @classmethod
    def of(cls, number: int, proposal: Proposal, found: Evaluation) -> Candidate:
        """What an evaluation found; a candidate with a fold that failed has failed."""
        failed = next(iter(found.failed.values()), None)
        if failed is not None:
            nothing = {one.name: float("nan") for one in found.measures}
            return cls(number, proposal, nothing, {}, dict(nothing), {}, error=failed)
        values = {one.name: found.value(one) for one in found.measures}
        training: dict[str, float] = {}
        uncertain: dict[str, float] = {}
        if found.has_training:
            answers = [fold.training_answers(found.problem) for fold in found.folds]
            training = {one.name: one.over_folds(answers) for one in found.measures}
            uncertain = {one.name: standard_error(np.array([one(part) for part in answers])) for one in found.measures}
        errors = {one.name: standard_error(found.scores[one.name]) for one in found.measures}
        return cls(
            number, proposal, values, found.scores, errors, training, uncertain,
            sum(fold.fit_seconds for fold in found.folds), sum(fold.predict_seconds for fold in found.folds),
            all(fold.shared for fold in found.folds),
        )  # fmt: skip

    def loss(self, measure: Measure) -> float:
        """The value, turned so that less is better; NaN where there is none."""
        value = self.values[measure.name]
        return -value if measure.larger else value


def standard_error(scores: Floats) -> float:
    """The standard error of the mean over folds, s/√k; NaN of fewer than two that are known."""
    known = scores[np.isfinite(scores)]
    return float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")


def described(params: Mapping[str, object]) -> str:
    """Parameters as one writes them.

    >>> described({"alpha": 0.12345678, "kernel": "rbf"})
    "alpha=0.123457, kernel='rbf'"
    """
    return ", ".join(f"{name}={shown_value(value)}" for name, value in params.items())


def shown_value(value: object) -> str:
    """A value in few characters."""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def with_error(value: float, error: float) -> str:
    """A value and its standard error."""
    if value != value:
        return "failed"
    return f"{figure(value)} ± {figure(error, 2)}" if error == error else figure(value)
