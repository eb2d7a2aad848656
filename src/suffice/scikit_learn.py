"""Scikit-learn's class of the same name: what becomes of its parameters that an estimator does not declare.

A parameter that says only how the work is done is taken and left aside; any other is refused with the reason, unless it
has the value that scikit-learn gives it by default.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field

from .errors import UnknownParameter, did_you_mean

COPY = "rows are never changed in place"
JOBS = "all cores are used; see `sf.threads`"
VERBOSE = "see `sf.progress`"


@dataclass(frozen=True)
class Counterpart:
    """Where scikit-learn's class stands, which of its parameters are taken without effect, and which are refused."""

    module: str
    ignored: Mapping[str, str] = field(default_factory=dict)  # why the answer does not depend on it
    absent: Mapping[str, str] = field(default_factory=dict)  # the reason, or the remedy

    def parameters(self, name: str) -> Mapping[str, inspect.Parameter]:
        """The parameters of scikit-learn's class of that name."""
        return inspect.signature(getattr(importlib.import_module(self.module), name)).parameters

    def knows(self, name: str) -> bool:
        """Whether it says what becomes of a parameter."""
        return name in self.ignored or name in self.absent

    def document(self, name: str) -> str:
        """The section of a docstring that compares the two."""
        lines = ["Notes", "-----", f"Stands in for `{self.module}.{name}`."]
        lines += [f"`{parameter}` is taken without effect: {reason}." for parameter, reason in self.ignored.items()]
        lines += [f"`{parameter}` is refused: {reason}." for parameter, reason in self.absent.items()]
        return "\n".join(lines)


def admitted(cls: type, declared: Mapping[str, object], given: dict[str, object]) -> dict[str, object]:
    """The arguments that a class declares; others are left aside, or refused in one sentence."""
    if given.keys() <= declared.keys():
        return given
    counterpart: Counterpart = getattr(cls, "counterpart", None) or Counterpart("")
    for name in given.keys() - declared.keys():
        if name in counterpart.absent:
            _check_default(cls, counterpart, name, given[name])
        elif name not in counterpart.ignored:
            raise UnknownParameter(
                f"{cls.__name__}: there is no parameter {name!r}.{did_you_mean(name, list(declared))} "
                f"Known: {', '.join(declared)}."
            )
    return {name: value for name, value in given.items() if name in declared}


def _check_default(cls: type, counterpart: Counterpart, name: str, value: object) -> None:
    theirs = next(base.__name__ for base in cls.__mro__ if vars(base).get("counterpart") is counterpart)
    default = counterpart.parameters(theirs)[name].default
    if value is default or (type(value) is type(default) and value == default):
        return
    raise UnknownParameter(
        f"{cls.__name__}: {name} is a parameter of scikit-learn's that is not here; got {value!r}: "
        f"{counterpart.absent[name]}."
    )
