"""What every conjugate prior does: a belief about parameters, updated by the summary of some rows."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, Self

import numpy as np

from ..data.rows import as_rows
from ..errors import InvalidData, InvalidParameter
from ..holds import either, floats
from ..registry import register_member
from ..statistics import Statistic
from ..typing import RandomState
from .base import Distribution, drawn
from .named import as_distribution

Values = dict[str, Any]
EACH = either(floats(), floats("d"))  # one number for all columns, or one for each


@dataclass(frozen=True)
class Prior:
    """Base of the priors: frozen dataclasses; subclasses register themselves, and the contract tests find them."""

    members: ClassVar[list[type[Prior]]] = []
    statistics: ClassVar[tuple[type[Statistic], ...]] = ()  # the summaries that update it
    families: ClassVar[tuple[type[Distribution], ...]] = ()  # what it is conjugate to, the most usual first

    def __init_subclass__(cls) -> None:
        Prior.members.append(cls)
        if "posterior" in vars(cls):
            cls.posterior = _of_its_statistic(cls.posterior)  # type: ignore[method-assign]
        register_member(cls, "prior")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, tuple):
                object.__setattr__(self, field.name, np.asarray(value, dtype=np.float64))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        """A proper prior for three columns, for the contract tests."""
        raise TypeError(f"{cls.__name__} does not define example")

    @classmethod
    def flat(cls, d: int) -> Self:
        """The prior for d columns whose posterior has its mode at the `mle`; it may be improper."""
        raise TypeError(f"{cls.__name__} does not define flat")

    @property
    def proper(self) -> bool:
        """Whether it is a distribution; an improper one has no draws, and its `log_prob` no constant."""
        raise TypeError(f"{type(self).__name__} does not define proper")

    def posterior(self, statistic: Any) -> Self:
        """What is believed after the rows of a summary."""
        raise TypeError(f"{type(self).__name__} does not define posterior")

    def mode(self) -> Values:
        """The most likely parameters, by the names that the distribution has for them."""
        raise TypeError(f"{type(self).__name__} does not define mode")

    def mean(self) -> Values:
        """The expected parameters, NaN where there is no expectation."""
        raise TypeError(f"{type(self).__name__} does not define mean")

    def log_prob(self, **values: object) -> float:
        """The log density of parameters given by name; of an improper prior, up to a constant."""
        raise TypeError(f"{type(self).__name__} does not define log_prob")

    def sample(self, n: int, random_state: RandomState = None) -> Values:
        """n draws of each parameter, (n, …)."""
        raise TypeError(f"{type(self).__name__} does not define sample")

    def posterior_predictive(self, family: object = None) -> Distribution:
        """The distribution of a row, p(x) = ∫ p(x | θ) p(θ) dθ: of the next one, where this is a posterior.

        `family` is one that the prior is conjugate to, also by name; None is the first of them.
        """
        self._require_proper("predicts nothing")
        return self._predictive(self._family(family))

    def log_evidence(self, rows: object, weight: object = None, *, family: str | Distribution | None = None) -> float:
        """The log marginal likelihood of some rows, log ∫ p(rows | θ) p(θ) dθ.

        `rows` is a table, or the summary of one. By Bayes' rule it is log p(θ) + log p(rows | θ) − log p(θ | rows),
        whatever θ is.
        """
        self._require_proper("has no evidence")
        member = self._family(family)
        statistic = rows if isinstance(rows, Statistic) else self._summary(member, rows, weight)
        posterior = member.posterior(statistic, self)
        values = posterior._inside()
        likelihood = dataclasses.replace(member, **values).total_log_prob(statistic)
        return self.log_prob(**values) + likelihood - float(posterior.log_prob(**values))

    def _width(self, statistic: Statistic) -> int | None:
        """Of how many columns it is; None of any number."""
        shape = np.broadcast_shapes(*(np.shape(getattr(self, field.name)) for field in dataclasses.fields(self)))
        return shape[0] if shape else None

    def _predictive(self, family: object) -> Distribution:
        raise TypeError(f"{type(self).__name__} does not define _predictive")

    def _inside(self) -> Values:
        """Some parameters with a density that is neither 0 nor infinite."""
        return self.mean()

    def _summary(self, family: Distribution, rows: object, weight: Any) -> Statistic:
        """The summary of rows in the support of the family."""
        X = as_rows(rows, type(self).__name__, family.sparse)
        family.check(X, type(self).__name__)
        return family.statistic(X, weight)

    def _family(self, given: object) -> Distribution:
        family = self._usual() if given is None else as_distribution(given, type(self).__name__)
        if type(family) not in self.families:
            known = " and ".join(cls.__name__ for cls in self.families)
            raise InvalidParameter(f"{type(self).__name__}: it is the prior of {known}; got {type(family).__name__}.")
        return family

    def _usual(self) -> Distribution:
        return self.families[0]()

    def _require_proper(self, what: str) -> None:
        if not self.proper:
            raise InvalidParameter(f"{type(self).__name__}: an improper prior {what}; update it by rows first.")

    def _drawn(self, n: int, random_state: RandomState) -> np.random.Generator:
        self._require_proper("has no draws")
        return drawn(n, random_state)


def _of_its_statistic(method: Any) -> Any:
    """The update, where the summary is of the kind and the number of columns that the prior is for."""

    @wraps(method)
    def checked(self: Prior, statistic: Any) -> Any:
        owner = type(self).__name__
        if not isinstance(statistic, self.statistics):
            kinds = " or ".join(kind.__name__ for kind in self.statistics)
            raise InvalidParameter(f"{owner}: rows are summed up by {kinds}; got a {type(statistic).__name__}.")
        own, d = self._width(statistic), _columns_of(statistic)
        if own is not None and own != d:
            raise InvalidData(f"{owner}: the prior is of {own} columns, the rows have {d}.")
        return method(self, statistic)

    return checked


def _columns_of(statistic: object) -> int:
    """How many columns the rows of a summary have."""
    return len(next(getattr(statistic, name) for name in ("counts", "total", "mean") if name in vars(statistic)))
