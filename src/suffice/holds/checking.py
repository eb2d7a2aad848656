"""The attributes of an object compared with what its class declares."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidData
from .kinds import Kind, Sizes, at_place, flag, number, optional, require, text, whole, words

_PLAIN = {"int": whole(), "float": number(), "bool": flag(), "str": text()}
_ANNOTATED = {**_PLAIN, **{f"{name} | None": optional(kind) for name, kind in _PLAIN.items()}}
_PACKAGE = __name__.partition(".")[0]
_NOTHING_INSIDE: Mapping[int, Mapping[str, int]] = {}


@dataclasses.dataclass(frozen=True)
class _Parameter(Kind):
    rule: Any  # what `params.param` declared

    def measure(self, value: object, sizes: Sizes) -> None:
        require(not isinstance(value, int) or abs(value) < 2**64, "must be a number of at most 64 bits")
        if not self.rule.allows(value):
            raise InvalidData(f"must be {self.rule}; got {words(value)}")


class _Undeclared(Kind):
    """Of a field of which nothing is said."""


@functools.cache
def declared(cls: Any) -> dict[str, Kind]:
    """What each attribute of a class may be, by name."""
    kinds = {field.name: _kind_of(cls, field) for field in dataclasses.fields(cls)}
    for base in reversed(cls.__mro__):
        kinds.update(vars(base).get("holds", {}))
    return kinds


def _kind_of(cls: type, field: dataclasses.Field[object]) -> Kind:
    if "rule" in field.metadata:
        return _Parameter(field.metadata["rule"])
    plain = _ANNOTATED.get(str(field.type)) if _is_ours(cls, field) else None
    return field.metadata.get("holds") or plain or _Undeclared()


def _is_ours(cls: type, field: dataclasses.Field[object]) -> bool:
    """Whether a class of Suffice has the field: annotations of others may be wishes."""
    owners = (base for base in reversed(cls.__mro__) if _fields(base).get(field.name) is field)
    return next(owners).__module__.partition(".")[0] == _PACKAGE


def _fields(cls: type) -> dict[str, object]:
    found: dict[str, object] = vars(cls).get("__dataclass_fields__", {})
    return found


def undeclared(cls: type) -> list[str]:
    """The fields of a class of which nothing is said."""
    return [name for name, kind in declared(cls).items() if isinstance(kind, _Undeclared)]


def is_fitted(cls: type, state: Mapping[str, object]) -> bool:
    """Whether attributes are those of a fitted estimator, or of a class without parameters."""
    kinds = declared(cls)
    learned = {name: kind for name, kind in kinds.items() if name in state and not isinstance(kind, _Parameter)}
    has_parameters = any(isinstance(kind, _Parameter) for kind in kinds.values())
    return not has_parameters or any(name.endswith("_") or kind.needed for name, kind in learned.items())


def check(
    cls: type,
    state: Mapping[str, object],
    inside: Mapping[int, Mapping[str, int]] = _NOTHING_INSIDE,
    strict: bool = True,
) -> Sizes:
    """The named dimensions of the attributes of an object; `InvalidData` where they are not what its class declares.

    `inside` has the dimensions of the objects among them, by identity. Where it is not `strict`, attributes that the
    class does not declare may be there.
    """
    kinds, fitted = declared(cls), is_fitted(cls, state)
    unknown = next((name for name in state if name not in kinds), None)
    if strict and unknown is not None:
        raise InvalidData(f"{unknown} is no attribute of {cls.__name__}.")
    for name, kind in kinds.items():
        if name not in state and (isinstance(kind, _Parameter) or (fitted and kind.needed)):
            raise InvalidData(f"{name} is missing.")
    sizes = Sizes()
    sizes.inside = inside
    known = {name: kind for name, kind in kinds.items() if name in state}
    try:
        for name, kind in known.items():
            at_place(name, kind.measure, state[name], sizes)
        for name, kind in known.items():
            at_place(name, kind.look, state[name], sizes)
    except InvalidData as error:
        raise InvalidData(f"{error}.") from None
    return sizes
