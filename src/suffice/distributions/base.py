"""What every distribution is: a family, and with parameters one member of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce, wraps
from numbers import Integral
from operator import add
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..backend.mixture import Rule, responsibilities
from ..choices import Choices, Named
from ..data import Needs, Source, as_source
from ..data.rows import as_groups, as_rows, as_weight
from ..data.validate import check_size, check_weight
from ..engine import Kept, Outcome, Step, iterate, resumable, small_change
from ..errors import InvalidData, InvalidParameter, NoClosedForm
from ..holds import Kind, floats, instance, optional, require
from ..randomness import generator
from ..registry import register_member
from ..statistics import Statistic

Floats = NDArray[np.float64]
_BLOCK_CELLS = 1 << 20  # cells of a block of rows: temporaries stay small
_MOST_DRAWS = 1 << 48  # more of them have no place in any memory


Shape = tuple[str | int, ...]  # sizes by name, which all parameters of a member share; "d or 1" may also be 1


def parameter(doc: str, shape: Shape | None = None, holds: Kind | None = None) -> Any:
    """Declare a parameter that `mle` finds; None until then.

    One with a shape may be given as lists or one number, and is an array. `holds` says what it may be in a model file
    (see `suffice.holds`): finite numbers of its shape, where nothing is said.
    """
    kind = floats(*shape) if holds is None and shape is not None else holds
    held = None if kind is None else optional(kind)
    return dataclasses.field(default=None, metadata={"parameter": doc, "shape": shape, "holds": held})


class Shared(NamedTuple):
    """Rows shared out among parts: the weight (k,) and the summary of each, and of all rows Σ w log p(x)."""

    weight: Floats
    statistics: tuple[Any, ...]
    log_likelihood: float

    def __add__(self, other: Shared) -> Shared:  # type: ignore[override]
        statistics = tuple(map(add, self.statistics, other.statistics))
        log_likelihood = self.log_likelihood + other.log_likelihood
        return Shared(self.weight + other.weight, statistics, log_likelihood)


@dataclass(frozen=True)
class Distribution(Named):
    """Base of the distributions over rows of d columns; frozen dataclasses.

    `Poisson()` is the family, `Poisson(rate)` one member. The family turns rows into a summary, and the summary into
    the member that makes the rows most likely::

        family.mle(family.statistic(X, weight))

    `statistic` is called on the current member: where something is latent (missing cells, the scale of a Student-t row,
    the component of a mixture) it is the expected summary under that member, and repeating the line above is EM.
    Missing cells (NaN) are left out or expected, so that `log_prob` is that of what was seen. Subclasses register
    themselves with their `names`, so that everybody who takes names, and the contract tests, find them.
    """

    members: ClassVar[list[type[Distribution]]] = []
    support: ClassVar[str] = "numbers"  # what a cell may be, for the error message
    sparse: ClassVar[bool] = False  # whether rows may be a CSR matrix
    missing: ClassVar[bool] = True  # whether cells may be NaN
    latent: ClassVar[bool] = False  # whether one call of `mle` is only an iteration of EM, even for complete rows

    def __init_subclass__(cls) -> None:
        Distribution.members.append(cls)
        for name, checked in _ENTRIES.items():
            if name in cls.__dict__:
                setattr(cls, name, checked(cls.__dict__[name]))
        FAMILIES.register(cls)
        if cls.log_prob is not Distribution.log_prob:
            register_member(cls, "distribution")

    def __post_init__(self) -> None:
        sizes: dict[str, int] = {}
        for field in parameters_of(self):
            value = getattr(self, field.name)
            if field.metadata["shape"] is not None and value is not None:
                values = _array(self, field.name, value)
                _agree(self, field, values, sizes)
                object.__setattr__(self, field.name, values)

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
            if field.metadata["shape"] is not None and field.metadata["shape"][0] == "d" and value is not None:
                return len(value)
        return None

    @property
    def n_parameters(self) -> int:
        """How many free parameters a member has, for AIC and BIC."""
        return sum(int(np.size(getattr(self, field.name))) for field in parameters_of(self))

    def by_column(self) -> Distribution:
        """The family of this name whose columns are independent, as naive Bayes takes it: itself where they are."""
        return self

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Any) -> Floats:
        """log p(x) of every row, (n,)."""
        raise TypeError(f"{type(self).__name__} does not define log_prob")

    def sample(self, n: int, random_state: Any = None) -> Floats:
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
        return dataclasses.replace(self, **self.posterior(statistic, prior).mode())

    def fit(self, X: Any, weight: Any = None, *, tol: float = 1e-10, max_iter: int = 1000) -> Self:
        """The member that makes the rows of an array most likely; by EM where something is latent."""
        X, weight = self._fitted_to(X, weight)
        try:
            if not (self.latent or _has_missing(X)):
                return self.mle(self.statistic(X, weight))
            return self.learn(X, weight, tol=tol, max_iter=max_iter).state
        except np.linalg.LinAlgError as error:
            raise InvalidData(
                f"{type(self).__name__}: no member can be found for these rows ({error}); see whether they or their "
                "weights are very large or very small."
            ) from None

    def learn(self, X: Any, weight: Any = None, *, tol: float = 1e-10, max_iter: int = 1000) -> Outcome[Self]:
        """As `fit`, with the history of the iterations."""
        X, weight = self._fitted_to(X, weight)
        by_iterations = self.latent or _has_missing(X)

        def step(member: Self) -> Step[Self]:
            found = member.mle(member.statistic(X, weight))
            return Step(found, _total(found.log_prob(X), weight))

        def source() -> Source:
            return as_source(X, sample_weight=weight, needs=Needs(type(self).__name__, missing=True, sparse=True))

        with resumable(type(self).__name__, lambda: {"family": self, "tol": tol, "max_iter": max_iter}, source):
            return iterate(
                lambda run: self if self.has_parameters or not by_iterations else self.begin(X, weight),
                step,
                stop=small_change(tol),
                max_iter=max_iter if by_iterations else 1,
                minimise=False,
                kept=Kept(instance(type(self), d=X.shape[1])),
            )

    # -- many at once, as the components of a mixture -----------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Sequence[Any], X: Any) -> Floats:
        """log p(x) of every row under every part, (n, k)."""
        return np.stack([part.log_prob(X) for part in parts], axis=1)

    @staticmethod
    def share(parts: Sequence[Any], log_weight: Floats, X: Any, weight: Any, rule: Rule) -> Shared:
        """Share the rows out among the parts of a mixture, and sum each part's up."""

        def of_block(rows: slice) -> Shared:
            block, w = X[rows], 1.0 if weight is None else weight[rows, None]
            log_joint = type(parts[0]).log_probs(parts, block) + log_weight  # (n, k)
            share, log_prob = responsibilities(log_joint, rule.rows(rows))
            share = share * w
            statistics = type(parts[0]).shared_statistics(parts, block, share)
            total = float(np.sum(log_prob) if weight is None else weight[rows] @ log_prob)
            return Shared(share.sum(axis=0), statistics, total)

        return reduce(add, map(of_block, blocks(X.shape[0], max(X.shape[1], len(parts)))))

    @staticmethod
    def shared_statistics(parts: Sequence[Any], X: Any, responsibilities: Floats) -> tuple[Any, ...]:
        """The summary of each part, whose weights of the rows are a column of `responsibilities` (n, k)."""
        return tuple(part.statistic(X, own) for part, own in zip(parts, responsibilities.T.copy(), strict=True))

    def grouped_statistics(self, X: Any, group: Any, groups: int, weight: Any = None) -> tuple[Any, ...]:
        """One summary for each group of rows, which `group` (n,) numbers from 0."""
        parts = [np.flatnonzero(group == g) for g in range(groups)]
        return tuple(self.statistic(X[rows], None if weight is None else weight[rows]) for rows in parts)

    @staticmethod
    def mle_together(parts: Sequence[Any], statistics: Sequence[Any]) -> tuple[Any, ...]:
        """The parts that follow from one summary each; a family whose parts share a parameter finds it here."""
        return tuple(part.mle(statistic) for part, statistic in zip(parts, statistics, strict=True))

    @staticmethod
    def total_log_probs(parts: Sequence[Any], statistics: Sequence[Any]) -> float:
        """Σ over the parts of Σ w log p(x) over the rows of the summary of each."""
        return float(sum(part.total_log_prob(own) for part, own in zip(parts, statistics, strict=True)))

    @staticmethod
    def n_parameters_together(parts: Sequence[Any]) -> int:
        """How many free parameters the parts have; fewer than each by itself where they share some."""
        return sum(part.n_parameters for part in parts)

    # -- checks -----------------------------------------------------------------------------------------------------
    def admits(self, X: Any) -> Any:
        """Which cells of X, or of the values of sparse rows, are in the support; NaN may be either."""
        return np.isfinite(X)

    def check(self, X: Any, owner: str, first_row: int = 0, columns: Sequence[int] | None = None) -> None:
        """Raise `InvalidData` for the first cell outside the support; `columns` are the places of those of X."""
        if hasattr(X, "tocsr"):
            rows = X.tocsr()
            bad = np.flatnonzero(~self.admits(rows.data))
            if not len(bad):
                return
            i, j = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1, rows.indices[bad[0]]
            value = rows.data[bad[0]]
        else:
            outside = ~self.admits(X) & ~np.isnan(X) if self.missing else ~self.admits(X)
            if not outside.any():
                return
            i, j = np.argwhere(outside)[0]
            value = X[i, j]
        place = f"row {first_row + i}, column {j if columns is None else columns[j]}"
        raise InvalidData(f"{owner}: {place} holds {value:g}; {type(self).__name__} needs {self.support}.")

    def _rows(self, X: Any) -> Any:
        """X as a table of cells in the support."""
        X = self._table(X)
        if not X.shape[0]:
            raise InvalidData(f"{type(self).__name__}: X has no rows; at least 1 is needed.")
        self.check(X, type(self).__name__)
        return X

    def _fitted_to(self, X: Any, weight: Any) -> tuple[Any, Any]:
        """Rows and weights of a fit: neither their sums nor the sums of their squares are infinite."""
        X, owner = self._rows(X), type(self).__name__
        weight = None if weight is None else check_weight(weight, X.shape[0], owner, "weight")
        check_size(X, weight, owner)
        return X, weight

    def _table(self, X: Any) -> Any:
        """X as rows of as many columns as a member has."""
        X, d = as_rows(X, type(self).__name__, self.sparse), self.n_columns
        if d is not None and X.shape[1] != d:
            raise InvalidData(f"{type(self).__name__}: rows must have {d} columns; got an array of shape {X.shape}.")
        return X

    def _require_parameters(self) -> None:
        if not self.has_parameters:
            raise InvalidParameter(
                f"{type(self).__name__}() is the whole family; give it parameters, or fit it to rows first."
            )


def _array(owner: Distribution, name: str, value: Any) -> Floats:
    try:
        return np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidParameter(f"{type(owner).__name__}: {name} must hold numbers; got {value!r}.") from None


def _agree(owner: Distribution, field: dataclasses.Field[Any], values: Floats, sizes: dict[str, int]) -> None:
    """Refuse a parameter whose sizes are not those of the others."""
    shape: Shape = field.metadata["shape"]
    known = [size if isinstance(size, int) else sizes.get(size.removesuffix(" or 1")) for size in shape]
    fits = values.ndim == len(shape) and all(
        want is None or got == want or (got == 1 and str(size).endswith(" or 1"))
        for size, want, got in zip(shape, known, values.shape, strict=True)
    )
    if not fits:
        words = ", ".join(str(size if want is None else want) for size, want in zip(shape, known, strict=True))
        raise InvalidParameter(
            f"{type(owner).__name__}: {field.name} must have the shape ({words}{',' if len(shape) == 1 else ''}); got "
            f"{values.shape}."
        )
    sizes.update({size: got for size, got in zip(shape, values.shape, strict=True) if isinstance(size, str)})


def _of_rows(method: Any) -> Any:
    @wraps(method)
    def checked(self: Distribution, X: Any) -> Any:
        return method(self, self._table(X))

    return checked


def _of_another(method: Any) -> Any:
    @wraps(method)
    def checked(self: Distribution, other: Any) -> Any:
        owner = next(base for base in type(self).__mro__ if "kl" in vars(base))
        if not isinstance(other, owner):
            raise NoClosedForm(
                f"{type(self).__name__}: there is a formula for KL within one family only; got {type(other).__name__}. "
                "Use suffice.distributions.kl, which draws rows where there is none."
            )
        return method(self, other)

    return checked


def _of_weighted_rows(method: Any) -> Any:
    @wraps(method)
    def checked(self: Distribution, X: Any, weight: Any = None, *more: Any, **named: Any) -> Any:
        X = self._table(X)
        return method(self, X, as_weight(weight, X.shape[0], type(self).__name__), *more, **named)

    return checked


def _of_grouped_rows(method: Any) -> Any:
    @wraps(method)
    def checked(self: Distribution, X: Any, group: Any, groups: int, weight: Any = None) -> Any:
        X, owner = self._table(X), type(self).__name__
        codes = as_groups(group, X.shape[0], groups, owner)
        return method(self, X, codes, groups, as_weight(weight, X.shape[0], owner))

    return checked


# What takes rows from outside, in every family: rows, weights and groups are checked before it runs.
_ENTRIES = {
    "log_prob": _of_rows,
    "given": _of_rows,
    "latents": _of_rows,
    "log_joint": _of_rows,
    "kl": _of_another,
    "statistic": _of_weighted_rows,
    "begin": _of_weighted_rows,
    "grouped_statistics": _of_grouped_rows,
}


FAMILIES: Choices[Distribution] = Choices("distribution", Distribution)


def parameters_of(distribution: Distribution) -> tuple[dataclasses.Field[Any], ...]:
    """The fields that are its parameters."""
    kind: Any = type(distribution)
    return _declared(kind)


@cache
def _declared(cls: Any) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(field for field in dataclasses.fields(cls) if "parameter" in field.metadata)


def _total(log_prob: Floats, weight: Any) -> float:
    return float(np.sum(log_prob) if weight is None else np.dot(weight, log_prob))


def _has_missing(X: Any) -> bool:
    return not hasattr(X, "tocsr") and bool(np.isnan(X).any())


def stacked(parts: Sequence[Distribution], name: str) -> Floats:
    """One vector parameter of each part, side by side, (d, k)."""
    for part in parts:
        part._require_parameters()
    return np.stack([getattr(part, name) for part in parts], axis=1)


def kept(found: Floats, before: Any, otherwise: float) -> Floats:
    """What was found, and where nothing was seen (NaN) what it was before, or else a value that says nothing."""
    if not np.isnan(found).any():
        return found
    return np.where(np.isnan(found), otherwise if before is None else before, found)


def blocks(n: int, columns: int) -> list[slice]:
    """Slices of rows, at least one, that together are all n, each of about a million cells of `columns` columns."""
    height = max(1, _BLOCK_CELLS // max(1, columns))
    return [slice(first, min(n, first + height)) for first in range(0, max(1, n), height)]


def entropy_of(p: Any) -> float:
    """The entropy −Σ p log p of a table of probabilities; 0 log 0 is 0."""
    from scipy.special import xlogy

    return -float(np.sum(xlogy(p, p)))


def drawn(n: int, random_state: Any) -> np.random.Generator:
    """The generator for n draws, checked."""
    if not isinstance(n, Integral) or isinstance(n, bool) or not 0 <= n < _MOST_DRAWS:
        raise InvalidParameter(f"sample: n must be an integer, at least 0, below {_MOST_DRAWS:.3g}; got {n!r:.80}.")
    return generator(random_state)
