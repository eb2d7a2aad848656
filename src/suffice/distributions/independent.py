"""A family for each column, or group of columns, independent of each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InvalidParameter, NoClosedForm, did_you_mean
from ..holds import Kind, Sizes, either, flag, instance, mapping, require, sometimes, text, tuples, whole
from ..statistics import Statistic
from ..typing import Flags, Floats, Numbers, RandomState, Reals
from .base import Distribution, drawn
from .exponential import Exponential
from .information import closed_kl
from .log_linear import product_of
from .named import as_distribution
from .poisson import Poisson
from .sharing import Members
from .support import Support

Columns = tuple[int | str, ...]
_PLAIN = {int, str}


class _Families(Kind):
    """A distribution of as many columns as its key has."""

    _named = mapping(tuples(either(whole(), text())), instance(Distribution))

    def measure(self, value: Any, sizes: Sizes) -> None:
        self._named.measure(value, sizes)
        for key, part in value.items():
            require(key, "must have keys with columns")
            Sizes({"d": len(key)}).agree("d", sizes.inside.get(id(part), {}).get("d", len(key)))


@dataclass(frozen=True)
class PartStatistics(Statistic):
    """One statistic for each part of an `Independent`."""

    parts: tuple[Any, ...]

    holds: ClassVar = {"parts": tuples(instance(Statistic))}

    def is_finite(self) -> bool:
        return all(part.is_finite() for part in self.parts)

    def __add__(self, other: PartStatistics) -> PartStatistics:
        return PartStatistics(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: PartStatistics) -> PartStatistics:
        """The statistics without the rows of `other`, which must be among them."""
        return PartStatistics(tuple(a - b for a, b in zip(self.parts, other.parts, strict=True)))


@dataclass(frozen=True)
class Independent(Distribution):
    """Independent groups of columns, each with its own family: p(x) = ∏_g p_g(x_g).

    `families` is a mapping from a column, or a tuple of columns, to its family, or the name of one; or a list, one for
    each column. A column is a position or a name; names become positions by `named(schema)`.

    Examples
    --------
    >>> from suffice.distributions import Bernoulli, Independent, Poisson
    >>> member = Independent({0: "poisson", (1, 2): Bernoulli()}).fit(np.array([[3.0, 0.0, 1.0], [5.0, 1.0, 1.0]]))
    >>> member.parts[0].rate, member.parts[1].probability
    (array([4.]), array([0.5, 1. ]))
    >>> Independent({"visits": Poisson()}).named(["age", "visits"]).columns
    ((1,),)
    """

    support = Support("what the family of its column needs")
    composed = True

    families: Any = None

    holds: ClassVar = {
        "families": _Families(),
        "latent": sometimes(flag()),
        "missing": sometimes(flag()),
        "sparse": sometimes(flag()),
    }

    def __post_init__(self) -> None:
        given = {} if self.families is None else self.families
        pairs = given.items() if isinstance(given, Mapping) else enumerate(given)
        columns = ((_columns(key), family) for key, family in pairs)
        families = {key: _family(key, own) for key, own in columns}
        _check_disjoint(list(families))
        object.__setattr__(self, "families", families)
        object.__setattr__(self, "latent", any(part.latent for part in self.parts))
        object.__setattr__(self, "sparse", bool(self.parts) and all(part.sparse for part in self.parts))
        object.__setattr__(self, "missing", all(part.missing for part in self.parts))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls({0: Poisson(rng.uniform(0.5, 6.0, 1)), (2, 1): Exponential(rng.uniform(0.5, 6.0, 2))})

    @property
    def parts(self) -> tuple[Distribution, ...]:
        """The distribution of each group of columns."""
        return tuple(self.families.values())

    @property
    def columns(self) -> tuple[Columns, ...]:
        """The columns of each group."""
        return tuple(self.families)

    @property
    def has_parameters(self) -> bool:
        return bool(self.parts) and all(part.has_parameters for part in self.parts)

    @property
    def n_parameters(self) -> int:
        return sum(part.n_parameters for part in self.parts)

    def named(self, schema: Any) -> Self:
        """The same with positions in place of names; `schema` is a `Schema`, whose columns there must be, or names."""
        names = list(getattr(schema, "names", schema))
        placed = {tuple(_place(c, names) for c in key): part for key, part in self.families.items()}
        for key in placed if hasattr(schema, "names") else ():
            _check_places(key, len(names))
        return type(self)(placed)

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Numbers) -> Floats:
        return product_of((part.log_prob(own) for part, own in self._split(X)), (X.shape[0],))

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        rng = drawn(n, random_state)
        rows = np.full((n, self._width()), np.nan)
        for key, part in self.families.items():
            rows[:, list(key)] = part.sample(n, rng)
        return rows

    def moments(self) -> tuple[Floats, Floats]:
        both = np.full((2, self._width()), np.nan)
        for key, part in self.families.items():
            both[:, list(key)] = part.moments()
        return both[0], both[1]

    def entropy(self) -> float:
        return sum(part.entropy() for part in self.parts)

    def kl(self, other: Self) -> float:
        if set(self.columns) != set(other.columns):
            raise NoClosedForm("KL of Independent has a closed form only where both group the columns alike.")
        return float(sum(closed_kl(part, other.families[key]) for key, part in self.families.items()))

    # -- learning ---------------------------------------------------------------------------------------------------
    def statistic(self, X: Numbers, weight: Numbers | None = None) -> PartStatistics:
        return PartStatistics(tuple(part.statistic(own, weight) for part, own in self._split(X)))

    def mle(self, statistic: PartStatistics) -> Self:
        return self._with(part.mle(own) for part, own in zip(self.parts, statistic.parts, strict=True))

    def total_log_prob(self, statistic: PartStatistics) -> float:
        return sum(part.total_log_prob(own) for part, own in zip(self.parts, statistic.parts, strict=True))

    def begin(self, X: Numbers, weight: Numbers | None = None) -> Self:
        return self._with(part.begin(own, weight) for part, own in self._split(X))

    def posterior(self, statistic: PartStatistics, prior: Any) -> Any:
        """The priors, one for each part in a list, updated by the summary of theirs."""
        each = zip(self.parts, statistic.parts, prior, strict=True)
        return [part.posterior(own, belief) for part, own, belief in each]

    def map_estimate(self, statistic: PartStatistics, prior: Any) -> Self:
        """The member at the mode of the posterior; `prior` lists one for each part, None for its `mle`."""
        each = zip(self.parts, statistic.parts, prior, strict=True)
        return self._with(part.mle(own) if p is None else part.map_estimate(own, p) for part, own, p in each)

    # -- many at once -------------------------------------------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        alike = list(zip(*(part.parts for part in parts), strict=True))
        if len(alike) == 1:
            return np.asarray(type(alike[0][0]).log_probs(alike[0], _take(X, parts[0].columns[0])))
        pairs = zip(alike, parts[0].columns, strict=True)
        each = (type(own[0]).log_probs(own, _take(X, key)) for own, key in pairs)
        return product_of(each, (X.shape[0], len(parts)))

    @staticmethod
    def shared_statistics(parts: Members, X: Numbers, responsibilities: Floats) -> tuple[PartStatistics, ...]:
        columns = []
        for g, key in enumerate(parts[0].columns):
            alike = [part.parts[g] for part in parts]
            columns.append(type(alike[0]).shared_statistics(alike, _take(X, key), responsibilities))
        return tuple(PartStatistics(own) for own in zip(*columns, strict=True))

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[PartStatistics, ...]:
        columns = [part.grouped_statistics(own, group, groups, weight) for part, own in self._split(X)]
        return tuple(PartStatistics(own) for own in zip(*columns, strict=True))

    @staticmethod
    def total_log_probs(parts: Members, statistics: Sequence[Any]) -> float:
        alike = zip(*(part.parts for part in parts), strict=True)
        sums = zip(*(statistic.parts for statistic in statistics), strict=True)
        return float(sum(type(own[0]).total_log_probs(own, summed) for own, summed in zip(alike, sums, strict=True)))

    @staticmethod
    def mle_together(parts: Members, statistics: Sequence[Any]) -> tuple[Any, ...]:
        columns = []
        for g in range(len(parts[0].parts)):
            alike = [part.parts[g] for part in parts]
            columns.append(type(alike[0]).mle_together(alike, [statistic.parts[g] for statistic in statistics]))
        return tuple(part._with(own) for part, own in zip(parts, zip(*columns, strict=True), strict=True))

    # -- checks -------------------------------------------------------------------------------------------------------
    def admits(self, X: Reals) -> Flags:
        inside = np.ones(X.shape, dtype=bool)
        for key, part in self.families.items():
            inside[:, list(key)] = part.admits(_take(X, key))
        return inside

    def outside(self, X: Numbers) -> Flags:
        return np.asarray(np.any([part.outside(own) for part, own in self._split(X)], axis=0))

    def possible(self, X: Numbers) -> Flags:
        return np.asarray(np.all([part.possible(own) for part, own in self._split(X)], axis=0))

    def supports(self) -> tuple[Support, ...]:
        found = [self.support] * self._width()
        for key, part in self.families.items():
            for column, own in zip(key, part.supports(), strict=True):
                found[column] = own
        return tuple(found)

    def check(
        self, X: Numbers, owner: str, number: Callable[[int], int] = int, columns: Sequence[int] | None = None
    ) -> None:
        for key, part in self.families.items():
            places = key if columns is None else [columns[c] for c in key]
            part.check(_take(X, key), owner, number, places)

    def _split(self, X: Numbers) -> list[tuple[Any, Any]]:
        return [(part, _take(X, key)) for key, part in self.families.items()]

    def _with(self, parts: Any) -> Self:
        return self.with_arrays(families=dict(zip(self.families, parts, strict=True)))

    def _width(self) -> int:
        return 1 + max((c for key in self.columns for c in key), default=-1)  # type: ignore[operator]


def _columns(key: object) -> Columns:
    columns = tuple(key) if isinstance(key, tuple | list) else (key,)
    if columns and _PLAIN.issuperset(map(type, columns)):
        return columns
    if not columns or not all(isinstance(column, int | str | np.integer) for column in columns):
        raise InvalidParameter(f"Independent: a family belongs to a column, or to some of them; got {key!r}.")
    return tuple(int(column) if isinstance(column, np.integer) else column for column in columns)


def _family(key: Columns, own: object) -> Distribution:
    if isinstance(own, Distribution):
        return own
    return as_distribution(own, "Independent", f"the family of {_words(key)}")


def _words(key: Columns) -> str:
    return ", ".join(f"column {column!r}" for column in key)


def _take(X: Numbers, key: Columns) -> object:
    first, width = key[0], X.shape[1]
    if isinstance(first, int) and 0 <= first <= width - len(key) and key == tuple(range(first, first + len(key))):
        return X if len(key) == width else X[:, first : first + len(key)]  # neighbours, which need no copy
    if any(isinstance(column, str) for column in key):
        raise InvalidParameter(f"Independent: {_words(key)} is a name; use `named(schema)` to say where it stands.")
    _check_places(key, width)
    return X[:, list(key)]


def _check_places(key: tuple[Any, ...], width: int) -> None:
    beyond = [column for column in key if not 0 <= column < width]
    if beyond:
        raise InvalidParameter(
            f"Independent: there is no column {beyond[0]}; the rows have {width} columns, numbered from 0."
        )


def _place(column: int | str, names: list[str]) -> int:
    if not isinstance(column, str):
        return int(column)
    if not names:
        raise InvalidParameter(f"Independent: the columns have no names, such as {column!r}; give positions from 0.")
    if column not in names:
        hint = did_you_mean(column, names)
        raise InvalidParameter(f"Independent: there is no column {column!r} among {', '.join(names)}.{hint}")
    return names.index(column)


def _check_disjoint(keys: list[Columns]) -> None:
    seen: set[int | str] = set()
    if len(seen.union(*keys)) == sum(map(len, keys)):
        return
    for column in (column for key in keys for column in key):
        if column in seen:
            raise InvalidParameter(f"Independent: {_words((column,))} has two families; give each column one.")
        seen.add(column)
