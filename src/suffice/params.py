"""Declared parameters: constraint, default and doc in one place, checked once when a fit begins.

>>> from dataclasses import dataclass
>>> @dataclass
... class Model:
...     n_clusters: int = param(8, integer=True, at_least=1, doc="How many clusters.")
>>> check(Model(n_clusters=0))
Traceback (most recent call last):
...
suffice.errors.InvalidParameter: Model: n_clusters must be an integer, at least 1; got 0.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from .choices import Choices, refused
from .errors import InvalidParameter, shown
from .holds import Kind

T = TypeVar("T")
_LARGEST = 1e150  # the squares of larger numbers overflow


@dataclasses.dataclass(frozen=True)
class Rule:
    """What one parameter may be: any of the listed choices or types, a registered name, or a number within bounds."""

    doc: str = ""
    integer: bool = False
    number: bool = False
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[object, ...] = ()
    names: Choices[Any] | None = None  # registered names, or the members themselves
    types: tuple[type, ...] = ()
    accept: Callable[[Any], bool] | None = None
    allowed: str = ""

    def allows(self, value: object) -> bool:
        """Whether `value` satisfies the rule."""
        value = bool(value) if isinstance(value, np.bool_) else value
        if any(value is choice for choice in self.choices if choice is None or isinstance(choice, bool)):
            return True
        if isinstance(value, str) and value in self.choices:
            return True
        if self.names is not None and value in self.names:
            return True
        if self.types and isinstance(value, self.types):
            return True
        if self.accept is not None and self._accepts(value):
            return True
        return self._is_number(value) and not self._is_endless(value) and self._in_bounds(as_float(value))

    def _accepts(self, value: object) -> bool:
        try:
            return self.accept is not None and self.accept(value)
        except (TypeError, ValueError):  # such as lists of different lengths where an array is expected
            return False

    def _is_number(self, value: object) -> bool:
        if isinstance(value, bool) or not (self.integer or self.number):
            return False
        if isinstance(value, Integral) and self.number:
            return math.isfinite(as_float(value))  # else it has more digits than a number may have
        return isinstance(value, Integral) or (self.number and isinstance(value, Real))

    def _is_endless(self, value: object) -> bool:
        """Whether an integer is larger than any double, where a number is asked for."""
        return self.number and isinstance(value, Integral) and math.isinf(as_float(value))

    def _in_bounds(self, value: float) -> bool:
        return (
            not math.isnan(value)
            and (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    @property
    def words(self) -> tuple[object, ...]:
        """Every choice that is a value by itself, registered names last."""
        return (*self.choices, *(self.names or ()))

    def refusal(self, value: object) -> str:
        """The end of the sentence that refuses a value: the reason, or the word that was perhaps meant."""
        return refused(value, self.names, self.choices)

    def __str__(self) -> str:
        """The rule in words, as error messages and documentation show it."""
        words = []
        if self.integer or self.number:
            words.append(", ".join(["a number" if self.number else "an integer", *self._bounds()]))
        words += [t.__name__ for t in self.types]
        words += [repr(choice) for choice in self.choices]
        if self.names is not None:
            words.append(f"{self.names.one} or one of {', '.join(map(repr, self.names))}")
        if self.allowed:
            words.append(self.allowed)
        return (", or " if any("," in word for word in words) else " or ").join(words)

    def _bounds(self) -> list[str]:
        bounds = {"at least": self.at_least, "at most": self.at_most, "above": self.above, "below": self.below}
        return [f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None]


def as_float(value: Any) -> float:
    """The number; infinite where it has too many digits."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def plain_number(value: object) -> int | float | None:
    """A number, also one of NumPy's, as Python's own; None for what is none, such as text, an array, or True.

    >>> plain_number(np.int64(3)), plain_number(0.5), plain_number(True), plain_number("3")
    (3, 0.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    return int(value) if isinstance(value, Integral) else float(value)


def are_numbers(value: object, *dimensions: int) -> bool:
    """Whether a value is an array or lists of numbers, with one of these numbers of dimensions.

    >>> are_numbers([[1.0, 2.0]], 1, 2), are_numbers(["1"], 1), are_numbers([[1, 2], [3]], 1, 2)
    (True, False, False)
    """
    return has_dimensions(value, *dimensions) and np.asarray(value).dtype.kind in "biuf"


def is_share(value: object) -> bool:
    """Whether it is a part of the whole, above 0 and at most 1, and not a whole number of things.

    >>> is_share(0.5), is_share(1.0), is_share(1), is_share(1.5)
    (True, True, False, False)
    """
    return isinstance(value, float | np.floating) and bool(0 < value <= 1)


def has_dimensions(value: object, *dimensions: int) -> bool:
    """Whether a value is an array, or lists of equal lengths, of anything, with one of these numbers of dimensions.

    >>> has_dimensions([["red"], ["blue"]], 2), has_dimensions([[1, 2], [3]], 1, 2), has_dimensions("ab", 1)
    (True, False, False)
    """
    try:
        return np.ndim(value) in dimensions  # type: ignore[arg-type]
    except (TypeError, ValueError):  # lists of unequal lengths, columns without a common type
        return False


def param(default: object, *, positional: bool = False, **rule: Any) -> Any:
    """Declare a parameter of an estimator: its default, what it allows (see `Rule`) and its doc."""
    return dataclasses.field(default=default, kw_only=not positional, metadata={"rule": Rule(**rule)})


def learned(doc: str, *, holds: Kind | None = None, init: Literal[False] = False) -> Any:
    """Declare an attribute that `fit` sets; `holds` says what it may be (see `suffice.holds`)."""
    return dataclasses.field(init=init, metadata={"learned": doc, "holds": holds})


class derived(functools.cached_property[T]):  # noqa: N801 (used as a decorator, as `property` is)
    """Declare an attribute that follows from what `fit` set, computed when it is first read; its docstring is its doc.

    Model files do not hold it, and every fit forgets it. What it is computed from must be state, never a parameter,
    which may have changed since the fit.
    """


def declared(owner: object) -> dict[str, Rule]:
    """The rules of a class or instance, by parameter name."""
    return _rules(owner if isinstance(owner, type) else type(owner))


@functools.cache
def _rules(cls: type) -> dict[str, Rule]:
    return {field.name: field.metadata["rule"] for field in dataclasses.fields(cls) if "rule" in field.metadata}


@functools.cache
def _defaults(cls: type) -> dict[str, object]:
    return {field.name: field.default for field in dataclasses.fields(cls) if "rule" in field.metadata}


def attributes(owner: object) -> tuple[str, ...]:
    """The names of the attributes that a fit gives, of a class or instance; those computed when read come last."""
    return _attributes(owner if isinstance(owner, type) else type(owner))


def forget_derived(owner: object) -> None:
    """Drop the attributes that were computed when they were read."""
    cls: type = type(owner)
    for name in _derived(cls):
        vars(owner).pop(name, None)


@functools.cache
def _derived(cls: type) -> dict[str, str]:
    """The doc of each attribute that is computed when it is read, by name."""
    found = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
    return {name: str(value.__doc__) for name, value in found.items() if isinstance(value, derived)}


@functools.cache
def _attributes(cls: type) -> tuple[str, ...]:
    set_by_fit = (field.name for field in dataclasses.fields(cls) if "learned" in field.metadata)
    return (*set_by_fit, *(name for name in _derived(cls) if not name.startswith("_")))


def check(owner: object) -> None:
    """Raise `InvalidParameter` for the first parameter whose value its declaration does not allow.

    NumPy's scalars become Python's numbers, which do not overflow: ``np.int8(3) ** 9`` has no room in its own type.
    """
    kind: type = type(owner)
    defaults = _defaults(kind)
    for name, rule in declared(owner).items():
        value = getattr(owner, name)
        if value is not defaults[name]:  # most are the defaults, which are allowed
            _refuse_unless(rule, kind.__name__, name, value)
        if isinstance(value, np.generic):
            setattr(owner, name, value.item())


def check_argument(owner: str, name: str, value: object, **rule: Any) -> None:
    """Raise `InvalidParameter` for an argument of a function that a rule (see `Rule`) does not allow.

    >>> check_argument("sample_pairs", "border", "wide", number=True, above=0, at_most=1)
    Traceback (most recent call last):
    ...
    suffice.errors.InvalidParameter: sample_pairs: border must be a number, at most 1, above 0; got 'wide'.
    """
    _refuse_unless(Rule(**rule), owner, name, value)


def _refuse_unless(rule: Rule, owner: str, name: str, value: object) -> None:
    if not rule.allows(value):
        raise InvalidParameter(f"{owner}: {name} must be {rule}; got {shown(value)}{rule.refusal(value)}")


def numbers(owner: str, name: str, value: object, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    """What a parameter, or a function given as one, holds: finite numbers of this shape, copied as doubles.

    >>> numbers("KMeans", "init", [[1, 2, 3]], (2, 3), "one row a cluster")
    Traceback (most recent call last):
    ...
    suffice.errors.InvalidParameter: KMeans: init must have one row a cluster, shape (2, 3); got shape (1, 3).
    """
    found = _doubles(value)
    if found is None:
        got = getattr(value, "dtype", None) or type(value).__name__
        raise InvalidParameter(f"{owner}: {name} must be real numbers, shape {shape}; got {got}.")
    if found.shape != shape:
        raise InvalidParameter(f"{owner}: {name} must have {what}, shape {shape}; got shape {found.shape}.")
    if not np.isfinite(found).all():
        raise InvalidParameter(f"{owner}: {name} must be finite numbers; got NaN or infinity.")
    if np.abs(found).max(initial=0.0) > _LARGEST:
        raise InvalidParameter(f"{owner}: {name} must be at most {_LARGEST:g} in size; got {np.abs(found).max():g}.")
    return found


def _doubles(value: object) -> NDArray[np.float64] | None:
    """A copy in double, None where a value is no array of real numbers; masked cells become NaN."""
    try:
        found = np.asanyarray(value)
        if found.dtype.kind not in "fiubO":
            return None
        return np.array(np.ma.filled(found.astype(np.float64), np.nan))
    except (TypeError, ValueError, OverflowError):
        return None


def document(cls: type) -> str:
    """The Parameters and Attributes sections of a class's docstring, from its declarations."""
    lines = ["Parameters", "----------"]
    for field in dataclasses.fields(cls):
        if "rule" in field.metadata:
            rule = field.metadata["rule"]
            lines += [f"{field.name} : {rule}, default {field.default!r}", f"    {rule.doc}"]
    lines += ["", "Attributes", "----------"]
    for field in dataclasses.fields(cls):
        if "learned" in field.metadata:
            lines += [field.name, f"    {field.metadata['learned']}"]
    for name, doc in _derived(cls).items():
        if not name.startswith("_"):
            lines += [name, f"    {doc}"]
    return "\n".join(lines)
