"""What a model that is a function of one summary can do."""

from __future__ import annotations

from typing import Protocol, Self, TypeGuard

from ..data.source import Source
from ..engine import History
from ..typing import EstimatorLike, TableLike, TargetLike, WeightLike


class Summarised(EstimatorLike, Protocol):
    """A model that is a function of one summary: it opens a table once, and learns from any source."""

    history_: History

    @property
    def follows_from_summary(self) -> bool:
        """Whether a fit is what follows from the summary."""

    def source_of(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Source:
        """The checked rows."""

    def fit_source(self, source: Source) -> Self:
        """Learn from a source."""


def is_summarised(model: EstimatorLike) -> TypeGuard[Summarised]:
    """Whether a model is a function of one summary, and draws nothing."""
    if not getattr(model, "follows_from_summary", False):
        return False
    return not any(name == "random_state" or name.endswith("__random_state") for name in model.get_params())
