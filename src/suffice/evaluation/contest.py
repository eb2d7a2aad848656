"""The models of a comparison, evaluated one after the other, and those that are left out where time is limited."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from numbers import Real

from ..engine import limits
from ..errors import InvalidData, InvalidParameter, TimeLimit
from ..params import as_float
from ..resampling import Problem
from ..typing import EstimatorLike
from .evaluating import evaluated
from .journal import Journal
from .results import Evaluation
from .running import Settings

_SHARE = 0.5  # of the time that is left, for one model
_LEAST = 1e-3  # seconds, so that a limit can be set


@dataclass(frozen=True)
class Contest:
    """How models are evaluated on one problem, and how long all of them together may take; None is without end."""

    of: Problem
    settings: Settings
    book: Journal | None
    seconds: float | None

    def run(
        self, models: Mapping[str, EstimatorLike], search: Mapping[str, object]
    ) -> tuple[dict[str, Evaluation], dict[str, str]]:
        """The evaluations, and why models are left out: nobody is where there is no limit, and errors are raised.

        Until one is finished there is no limit, so that there is an answer. After that no model may take more than half
        of the time that is left, so that one does not keep all others from it.
        """
        done: dict[str, Evaluation] = {}
        left_out: dict[str, str] = {}
        ends = None if self.seconds is None else time.monotonic() + self.seconds
        for name, model in models.items():
            left = None if ends is None or not done else ends - time.monotonic()
            try:
                done[name] = self._one(name, model, search.get(name), left)
            except Exception as error:
                if self.seconds is None:
                    raise
                left_out[name] = self._why(error)
        if models and not done:
            first = next(iter(left_out.items()))
            raise InvalidData(f"compare: no model is left; {first[0]}: {first[1]}")
        return done, left_out

    def _one(self, name: str, model: EstimatorLike, grid: object, left: float | None) -> Evaluation:
        if left is not None and left <= 0:
            raise TimeLimit("not begun")
        with nullcontext() if left is None else limits(seconds=max(_SHARE * left, _LEAST)):
            return evaluated(name, model, self.of, self.settings, grid, self.book, name)

    def _why(self, error: Exception) -> str:
        said = " ".join(str(error).split()) or type(error).__name__
        return f"{said} within {self.seconds:g} s; give more seconds." if isinstance(error, TimeLimit) else said


def checked_seconds(seconds: object) -> float | None:
    """A limit that is a number above 0, or None."""
    if seconds is None:
        return None
    if not isinstance(seconds, Real) or isinstance(seconds, bool) or not as_float(seconds) > 0:
        raise InvalidParameter(f"compare: seconds must be a number, above 0, or None; got {seconds!r}.")
    return as_float(seconds)
