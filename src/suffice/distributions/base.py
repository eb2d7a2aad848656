"""What every distribution is: a family, and with parameters one member of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..engine import Outcome, Step, iterate, small_change
from ..errors import InvalidData, InvalidParameter
from ..randomness import generator
from ..statistics import Statistic

Floats = NDArray[np.float64]
_BLOCK_CELLS = 1 << 20  # cells of a block of rows: temporaries stay small


def parameter(doc: str) -> Any:
    """Declare a parameter that `mle` finds; None until then."""
    return dataclasses.field(default=None, metadata={"parameter": doc})


@dataclass(frozen=True)
class Distribution:
    """Base of the distributions over rows of d columns; frozen dataclasses.

    `Poisson()` is the family, `Poisson(rate)` one member. The family turns rows into a summary, and the summary into
    the member that makes the rows most likely::

        family.mle(family.statistic(X, weight))

    `statistic` is called on the current member: where something is latent (missing cells, the scale of a Student-t row,
    the component of a mixture) it is the expected summary under that member, and repeating the line above is EM.
    Missing cells (NaN) are left out or expected, so that `log_prob` is that of what was seen. Subclasses register
    themselves, and the contract tests find them.
    """

    members: ClassVar[list[type[Distribution]]] = []
    support: ClassVar[str] = "numbers"  # what a cell may be, for the error message
    sparse: ClassVar[bool] = False  # whether rows may be a CSR matrix
    latent: ClassVar[bool] = False  # whether one call of `mle` is only a round of EM, even for complete rows

    def __init_subclass__(cls) -> None:
        Distribution.members.append(cls)

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        """A member of three columns, or one where it has only one, for the contract tests."""
        raise TypeError(f"{cls.__name__} does not define example")

    @property
    def has_parameters(self) -> bool:
        """Whether this is a member, and not the family alone."""
        return all(getattr(self, field.name) is not None for field in _parameters(self))

    @property
    def n_parameters(self) -> int:
        """How many free parameters a member has, for AIC and BIC."""
        return sum(int(np.size(getattr(self, field.name))) for field in _parameters(self))

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Any) -> Floats:
        """log p(x) of every row, (n,)."""
        raise TypeError(f"{type(self).__name__} does not define log_prob")

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """n rows drawn from it, (n, d)."""
        raise TypeError(f"{type(self).__name__} does not define sample")

    def entropy(self) -> float:
        """−E log p(x)."""
        raise TypeError(f"The entropy of {type(self).__name__} has no closed form.")

    def kl(self, other: Self) -> float:
        """KL(self ‖ other) = E log p(x) − E log q(x) under self."""
        raise TypeError(f"KL of {type(self).__name__} has no closed form.")

    # -- learning ---------------------------------------------------------------------------------------------------
    def statistic(self, X: Any, weight: Any = None) -> Statistic:
        """The summary of some rows, expected under this member where something is latent."""
        raise TypeError(f"{type(self).__name__} does not define statistic")

    def mle(self, statistic: Any) -> Self:
        """The member that makes the rows of a summary most likely."""
        raise TypeError(f"{type(self).__name__} does not define mle")

    def total_log_prob(self, statistic: Any) -> float:
        """Σ w log p(x) over the rows of a summary."""
        raise TypeError(f"{type(self).__name__} does not define total_log_prob")

    def begin(self, X: Any, weight: Any = None) -> Self:
        """A member to start EM from; for families without anything latent it is not needed."""
        return self.mle(self.statistic(X, weight))

    def posterior(self, statistic: Any, prior: Any) -> Any:
        """The conjugate prior updated by a summary."""
        return prior.posterior(statistic)

    def map_estimate(self, statistic: Any, prior: Any) -> Self:
        """The member at the mode of the posterior."""
        return dataclasses.replace(self, **prior.posterior(statistic).mode())

    def fit(self, X: Any, weight: Any = None, *, tol: float = 1e-10, max_iter: int = 1000) -> Self:
        """The member that makes the rows of an array most likely; by EM where something is latent."""
        return self.learn(X, weight, tol=tol, max_iter=max_iter).state

    def learn(self, X: Any, weight: Any = None, *, tol: float = 1e-10, max_iter: int = 1000) -> Outcome[Self]:
        """As `fit`, with the history of the rounds."""
        X = np.asarray(X, dtype=np.float64) if isinstance(X, list) else X
        self.check(X, type(self).__name__)

        def step(member: Self) -> Step[Self]:
            found = member.mle(member.statistic(X, weight))
            return Step(found, _total(found.log_prob(X), weight))

        rounds = max_iter if self.latent or _has_gaps(X) else 1
        return iterate(
            lambda run: self if self.has_parameters else self.begin(X, weight),
            step,
            stop=small_change(tol),
            max_iter=rounds,
            minimise=False,
        )

    # -- many at once, as the components of a mixture -----------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Sequence[Any], X: Any) -> Floats:
        """log p(x) of every row under every part, (n, k)."""
        return np.stack([part.log_prob(X) for part in parts], axis=1)

    @staticmethod
    def mle_together(parts: Sequence[Any], statistics: Sequence[Any]) -> tuple[Any, ...]:
        """The parts that follow from one summary each; a family whose parts share a parameter finds it here."""
        return tuple(part.mle(statistic) for part, statistic in zip(parts, statistics, strict=True))

    # -- checks -----------------------------------------------------------------------------------------------------
    def admits(self, X: Any) -> Any:
        """Which cells of X, or of the values of sparse rows, are in the support; NaN may be either."""
        return np.isfinite(X)

    def check(self, X: Any, owner: str, first_row: int = 0) -> None:
        """Raise `InvalidData` for the first cell outside the support."""
        if hasattr(X, "tocsr"):
            rows = X.tocsr()
            bad = np.flatnonzero(~self.admits(rows.data))
            if not len(bad):
                return
            i, j = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1, rows.indices[bad[0]]
            value = rows.data[bad[0]]
        else:
            outside = ~self.admits(X) & ~np.isnan(X)
            if not outside.any():
                return
            i, j = np.argwhere(outside)[0]
            value = X[i, j]
        raise InvalidData(
            f"{owner}: row {first_row + i}, column {j} holds {value:g}; {type(self).__name__} needs {self.support}."
        )

    def _require_parameters(self) -> None:
        if not self.has_parameters:
            raise InvalidParameter(
                f"{type(self).__name__}() is the whole family; give it parameters, or fit it to rows first."
            )


def _parameters(distribution: Distribution) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(distribution) if "parameter" in field.metadata]


def _total(log_prob: Floats, weight: Any) -> float:
    return float(np.sum(log_prob) if weight is None else np.dot(weight, log_prob))


def _has_gaps(X: Any) -> bool:
    return not hasattr(X, "tocsr") and bool(np.isnan(X).any())


def blocks(n: int, columns: int) -> list[slice]:
    """Slices of rows that together are all n, each of about a million cells of `columns` columns."""
    height = max(1, _BLOCK_CELLS // max(1, columns))
    return [slice(first, min(n, first + height)) for first in range(0, n, height)]


def entropy_of(p: Any) -> float:
    """The entropy −Σ p log p of a table of probabilities; 0 log 0 is 0."""
    from scipy.special import xlogy

    return -float(np.sum(xlogy(p, p)))


def drawn(n: int, random_state: Any) -> np.random.Generator:
    """The generator for n draws, checked."""
    if n < 0:
        raise InvalidParameter(f"sample: n must be at least 0; got {n}.")
    return generator(random_state)
