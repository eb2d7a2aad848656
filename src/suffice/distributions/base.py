"""What every distribution is: a family, and with parameters one member of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar, Self

import numpy as np

from ..backend.blas import blas_threads_for
from ..backend.mixture import Rule
from ..choices import Choices
from ..data import Needs, Source, as_source
from ..data.rows import as_rows
from ..data.validate import check_size, check_weight
from ..engine import Kept, Outcome, Step, iterate, little_to_gain, resumable
from ..errors import InvalidData, InvalidParameter, NoClosedForm
from ..holds import instance, require
from ..randomness import generator
from ..registry import register_member
from ..statistics import Statistic
from ..typing import Floats, Numbers, RandomState, TableLike, WeightLike
from .guards import check_entries
from .parameters import parameters_of, set_arrays, set_fixed
from .sharing import Members, Shared, shared_out, weighted_sum
from .supported import Supported

_MOST_DRAWS = 1 << 48  # more of them have no place in any memory


@dataclass(frozen=True)
class Distribution(Supported):
    """Base of the distributions over rows of d columns; frozen dataclasses.

    `Poisson()` is the family, `Poisson(rate)` one member. The family turns rows into a summary, and the summary into
    the member that makes the rows most likely::

        family.mle(family.statistic(X, weight))

    `statistic` is called on the current member: where something is latent (missing cells, the scale of a Student-t row,
    the component of a mixture) it is the expected summary under that member, and repeating the line above is EM.
    Missing cells (NaN) are left out or expected, so that `log_prob` is that of what was seen. Subclasses register
    themselves with their `names`, so that everybody who takes names, and the contract tests, find them.

    A family of which some parameters are given is the family in which these are known: they stay fixed, and `mle` finds
    the others. `fixed` names them; of a member with all parameters, which is where EM begins, none is.
    """

    members: ClassVar[list[type[Distribution]]] = []
    composed: ClassVar[bool] = False  # whether its density is made of others, which look at the support themselves
    sparse: ClassVar[bool] = False  # whether rows may be a CSR matrix
    latent: ClassVar[bool] = False  # whether one call of `mle` is only an iteration of EM, even for complete rows
    fixable: ClassVar[tuple[str, ...]] = ()  # the parameters that may stay fixed while others are found
    fixed: ClassVar[tuple[str, ...]] = ()  # those that do; a field of families that have fixable ones
    starting: ClassVar[tuple[str, ...]] = ()  # those that say where EM begins even where they are given alone

    def __init_subclass__(cls) -> None:
        Distribution.members.append(cls)
        check_entries(cls, cls.log_probs is Distribution.log_probs)
        FAMILIES.register(cls)
        if cls.log_prob is not Distribution.log_prob:
            register_member(cls, "distribution")

    def __post_init__(self) -> None:
        set_arrays(self)
        set_fixed(self)

    def with_arrays(self, **parameters: object) -> Self:
        """As `dataclasses.replace`, for arrays of the right shape, in a tenth of the time: nothing is checked."""
        member = object.__new__(type(self))
        member.__dict__.update(self.__dict__)
        member.__dict__.update(parameters)
        return member

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        """A member of three columns, or one where it has only one, for the contract tests."""
        raise TypeError(f"{cls.__name__} does not define example")

    def check_loaded(self) -> None:
        """Raise an error where what a distribution from a file holds does not fit together."""
        values = [getattr(self, field.name) for field in parameters_of(self)]
        sizes = [len(value) for value in values if isinstance(value, tuple | np.ndarray)]
        require(all(sizes), "there must be a column")

    @property
    def has_parameters(self) -> bool:
        """Whether this is a member, and not the family alone."""
        return all(getattr(self, field.name) is not None for field in parameters_of(self))

    @property
    def n_columns(self) -> int | None:
        """How many columns the rows of a member have; None of the family, which takes any number."""
        for field in parameters_of(self):
            value = getattr(self, field.name)
            size = "" if field.metadata["shape"] is None or value is None else field.metadata["shape"][0]
            if size == "d" or (size == "d or 1" and len(value) > 1):
                return len(value)
        return None

    @property
    def n_parameters(self) -> int:
        """How many free parameters a member has, for AIC and BIC."""
        free = (field.name for field in parameters_of(self) if field.name not in self.fixed)
        return sum(int(np.size(getattr(self, name))) for name in free)

    def known(self) -> dict[str, Any]:
        """The parameters that stay fixed, by name."""
        return {name: getattr(self, name) for name in self.fixed}

    def by_column(self) -> Distribution:
        """The family of this name whose columns are independent, as naive Bayes takes it: itself where they are."""
        return self

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Numbers) -> Floats:
        """log p(x) of every row, (n,)."""
        raise TypeError(f"{type(self).__name__} does not define log_prob")

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        """n rows drawn from it, (n, d)."""
        raise TypeError(f"{type(self).__name__} does not define sample")

    def moments(self) -> tuple[Floats, Floats]:
        """The mean and the variance of each column, (d,) each."""
        raise NoClosedForm(f"{type(self).__name__} has no formula for the mean and variance of its columns.")

    def entropy(self) -> float:
        """−E log p(x)."""
        raise NoClosedForm(f"The entropy of {type(self).__name__} has no closed form; see `information.entropy`.")

    def kl(self, other: Self) -> float:
        """KL(self ‖ other) = E log p(x) − E log q(x) under self."""
        raise NoClosedForm(f"KL of {type(self).__name__} has no closed form; see `information.kl`.")

    # -- learning ---------------------------------------------------------------------------------------------------
    def statistic(self, X: Numbers, weight: Numbers | None = None) -> Statistic:
        """The summary of some rows, expected under this member where something is latent."""
        raise TypeError(f"{type(self).__name__} does not define statistic")

    def mle(self, statistic: Any) -> Self:
        """The member that makes the rows of a summary most likely."""
        raise TypeError(f"{type(self).__name__} does not define mle")

    def total_log_prob(self, statistic: Any) -> float:
        """Σ w log p(x) over the rows of a summary."""
        raise TypeError(f"{type(self).__name__} does not define total_log_prob")

    def begin(self, X: Numbers, weight: Numbers | None = None) -> Self:
        """A member to start EM from; for families without anything latent it is not needed."""
        return self.mle(self.statistic(X, weight))

    def posterior(self, statistic: Any, prior: Any) -> Any:
        """The conjugate prior updated by a summary."""
        return prior.posterior(statistic)

    def map_estimate(self, statistic: Any, prior: Any) -> Self:
        """The member at the mode of the posterior."""
        return dataclasses.replace(self, **self.posterior(statistic, prior).mode())

    def fit(self, X: TableLike, weight: WeightLike = None, *, tol: float = 1e-10, max_iter: int = 1000) -> Self:
        """The member that makes the rows of an array most likely; by EM where something is latent.

        EM ends when the mean log-likelihood of a row has less than `tol` still to gain.
        """
        rows, counts = self._fitted_to(X, weight)
        try:
            with blas_threads_for(rows.shape[0] * rows.shape[1] ** 2):
                if not (self.latent or _has_missing(rows)):
                    return self.mle(self.statistic(rows, counts))
                return self.learn(rows, counts, tol=tol, max_iter=max_iter).state
        except np.linalg.LinAlgError as error:
            raise InvalidData(
                f"{type(self).__name__}: no member can be found for these rows ({error}); see whether they or their "
                "weights are very large or very small."
            ) from None

    def improved(self, statistic: Any) -> Self:
        """The M-step of EM: the likeliest member, or where that is found by iterations, one likelier than this."""
        return self.mle(statistic)

    def learn(
        self, X: TableLike, weight: WeightLike = None, *, tol: float = 1e-10, max_iter: int = 1000
    ) -> Outcome[Self]:
        """As `fit`, with the history of the iterations."""
        rows, counts = self._fitted_to(X, weight)
        by_iterations = self.latent or _has_missing(rows)

        def step(member: Self) -> Step[Self]:
            statistic = member.statistic(rows, counts)
            found = member.improved(statistic) if by_iterations else member.mle(statistic)
            return Step(found, weighted_sum(found.log_prob(rows), counts))

        def source() -> Source:
            return as_source(rows, sample_weight=counts, needs=Needs(type(self).__name__, missing=True, sparse=True))

        with resumable(type(self).__name__, lambda: {"family": self, "tol": tol, "max_iter": max_iter}, source):
            return iterate(
                lambda run: self if self.has_parameters or not by_iterations else self.begin(rows, counts),
                step,
                stop=little_to_gain(tol * (rows.shape[0] if counts is None else float(np.sum(counts)))),
                max_iter=max_iter if by_iterations else 1,
                minimise=False,
                kept=Kept(instance(type(self), d=rows.shape[1])),
            )

    # -- many at once, as the components of a mixture -----------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        """log p(x) of every row under every part, (n, k)."""
        return np.stack([part.log_prob(X) for part in parts], axis=1)

    @staticmethod
    def log_joints(parts: Members, log_weight: Floats, X: Numbers) -> Floats:
        """log weight + log p(x) of every row under every part, (n, k); −∞ for a part without weight, or no density."""
        some = np.isfinite(log_weight)
        found = type(parts[0]).log_probs(list(compress(parts, some)), X)
        if some.all():
            return np.asarray(found + log_weight)
        joint = np.full((X.shape[0], len(parts)), -np.inf)
        joint[:, some] = found + log_weight[some]
        return joint

    @staticmethod
    def share(parts: Sequence[object], log_weight: Floats, X: Any, weight: Any, rule: Rule) -> Shared:
        """Share the rows out among the parts of a mixture, and sum each part's up."""
        return shared_out(parts, log_weight, X, weight, rule)

    @staticmethod
    def shared_statistics(parts: Members, X: Numbers, responsibilities: Floats) -> tuple[Any, ...]:
        """The summary of each part, whose weights of the rows are a column of `responsibilities` (n, k)."""
        return tuple(part.statistic(X, own) for part, own in zip(parts, responsibilities.T.copy(), strict=True))

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[Any, ...]:
        """One summary for each group of rows, which `group` (n,) numbers from 0."""
        parts = [np.flatnonzero(group == g) for g in range(groups)]
        return tuple(self.statistic(X[rows], None if weight is None else weight[rows]) for rows in parts)

    @staticmethod
    def mle_together(parts: Members, statistics: Sequence[Any]) -> tuple[Any, ...]:
        """The parts that follow from one summary each; a family whose parts share a parameter finds it here."""
        return tuple(part.mle(statistic) for part, statistic in zip(parts, statistics, strict=True))

    @staticmethod
    def total_log_probs(parts: Members, statistics: Sequence[Any]) -> float:
        """Σ over the parts of Σ w log p(x) over the rows of the summary of each."""
        return float(sum(part.total_log_prob(own) for part, own in zip(parts, statistics, strict=True)))

    @staticmethod
    def n_parameters_together(parts: Members) -> int:
        """How many free parameters the parts have; fewer than each by itself where they share some."""
        return sum(part.n_parameters for part in parts)

    # -- what users give -----------------------------------------------------------------------------------------------
    def _rows(self, X: TableLike) -> Numbers:
        """X as a table of cells in the support."""
        X = self._table(X)
        if not X.shape[0]:
            raise InvalidData(f"{type(self).__name__}: X has no rows; at least 1 is needed.")
        self.check(X, type(self).__name__)
        return X

    def _fitted_to(self, X: TableLike, weight: WeightLike) -> tuple[Numbers, Floats | None]:
        """Rows and weights of a fit: neither their sums nor the sums of their squares are infinite."""
        rows, owner = self._rows(X), type(self).__name__
        given = None if weight is None else check_weight(weight, rows.shape[0], owner, "weight")
        check_size(rows, given, owner)
        return rows, given

    def _table(self, X: TableLike) -> Numbers:
        """X as rows of as many columns as a member has."""
        rows, d = as_rows(X, type(self).__name__, self.sparse), self.n_columns
        if d is not None and rows.shape[1] != d:
            raise InvalidData(f"{type(self).__name__}: rows must have {d} columns; got an array of shape {rows.shape}.")
        return rows

    def _require_parameters(self) -> None:
        if not self.has_parameters:
            raise InvalidParameter(
                f"{type(self).__name__}() is the whole family; give it parameters, or fit it to rows first."
            )


FAMILIES: Choices[Distribution] = Choices("distribution", Distribution)


def _has_missing(X: Numbers) -> bool:
    return not hasattr(X, "tocsr") and bool(np.isnan(X).any())


def entropy_of(p: Floats) -> float:
    """The entropy −Σ p log p of a table of probabilities; 0 log 0 is 0."""
    from scipy.special import xlogy

    return -float(np.sum(xlogy(p, p)))


def drawn(n: int, random_state: RandomState) -> np.random.Generator:
    """The generator for n draws, checked."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n < _MOST_DRAWS:
        raise InvalidParameter(f"sample: n must be a whole number, at least 0, below {_MOST_DRAWS:g}; got {n!r:.80}.")
    return generator(random_state)
