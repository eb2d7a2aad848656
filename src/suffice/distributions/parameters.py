"""The parameters of distributions: how they are declared, checked and stacked."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import InvalidParameter
from ..holds import Kind, floats, optional, sometimes, text, tuples
from ..typing import ArrayLike, Floats

if TYPE_CHECKING:
    from .base import Distribution

Shape = tuple[str | int, ...]  # sizes by name, which all parameters of a member share; "d or 1" may also be 1


class ArrayParameter(Protocol):
    """The type of a parameter with a shape: lists or one number are taken, and an array is what it holds."""

    def __get__(self, owner: object, kind: type) -> Floats: ...
    def __set__(self, owner: object, value: ArrayLike | None) -> None: ...


def parameter(doc: str, shape: Shape | None = None, holds: Kind | None = None) -> Any:
    """Declare a parameter that `mle` finds; None until then.

    One with a shape may be given as lists or one number, and is an array. `holds` says what it may be in a model file
    (see `suffice.holds`): finite numbers of its shape, where nothing is said.
    """
    kind = floats(*shape) if holds is None and shape is not None else holds
    held = None if kind is None else optional(kind)
    return dataclasses.field(default=None, metadata={"parameter": doc, "shape": shape, "holds": held})


def fixed_field() -> Any:
    """The names of the parameters that stay as they are given."""
    held = sometimes(tuples(text()))
    return dataclasses.field(default=(), kw_only=True, repr=False, metadata={"holds": held})


def parameters_of(distribution: Distribution) -> tuple[dataclasses.Field[object], ...]:
    """The fields that are its parameters."""
    kind: object = type(distribution)
    return _declared(kind)


@cache
def _declared(cls: Any) -> tuple[dataclasses.Field[object], ...]:
    return tuple(field for field in dataclasses.fields(cls) if "parameter" in field.metadata)


def set_arrays(distribution: Distribution) -> None:
    """Turn the parameters that have a shape into arrays, and refuse those whose sizes do not agree."""
    sizes: dict[str, int] = {}
    given = distribution.__dict__
    for field in parameters_of(distribution):
        value, shape = given.get(field.name), field.metadata["shape"]
        if shape is None or value is None:
            continue
        if type(value) is not np.ndarray or value.dtype != np.float64 or not value.ndim:
            given[field.name] = value = _array(distribution, field.name, value)
        is_column = value.ndim == 1 and shape == ("d",)  # most are
        if not is_column or sizes.setdefault("d", len(value)) != len(value):
            _agree(distribution, field, value, sizes)


def set_fixed(distribution: Distribution) -> None:
    """The parameters that stay fixed: those named, and those given where others are not."""
    names = [field.name for field in parameters_of(distribution)]
    given = [name for name in names if getattr(distribution, name) is not None]
    known = [name for name in given if name not in distribution.starting] if len(given) < len(names) else []
    if not known and not distribution.fixed:
        return
    fixed = tuple(name for name in names if name in known or name in distribution.fixed)
    _check_fixed(distribution, fixed, given)
    object.__setattr__(distribution, "fixed", fixed)


def _check_fixed(distribution: Distribution, fixed: tuple[str, ...], given: list[str]) -> None:
    """Refuse names of what is no parameter, was not given, or cannot stay while others are found."""
    owner, allowed = type(distribution).__name__, distribution.fixable
    bad = next((name for name in (*distribution.fixed, *fixed) if name not in allowed or name not in given), None)
    if bad is None:
        return
    if bad in allowed:
        raise InvalidParameter(f"{owner}: fixed names {bad}, which is not given; give its value too.")
    can = f"these can: {', '.join(allowed)}" if allowed else "no parameter of it can"
    raise InvalidParameter(
        f"{owner}: {bad} cannot stay fixed while other parameters are found; {can}. Give all parameters, or leave it "
        "out."
    )


def _array(owner: Distribution, name: str, value: ArrayLike) -> Floats:
    try:
        return np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidParameter(f"{type(owner).__name__}: {name} must hold numbers; got {value!r}.") from None


def _agree(owner: Distribution, field: dataclasses.Field[object], values: Floats, sizes: dict[str, int]) -> None:
    """Refuse a parameter whose sizes are not those of the others."""
    shape: Shape = field.metadata["shape"]
    known = [size if isinstance(size, int) else sizes.get(size.removesuffix(" or 1")) for size in shape]
    if not _fits(shape, known, values.shape):
        words = ", ".join(str(size if want is None else want) for size, want in zip(shape, known, strict=True))
        raise InvalidParameter(
            f"{type(owner).__name__}: {field.name} must have the shape ({words}{',' if len(shape) == 1 else ''}); got "
            f"{values.shape}."
        )
    sizes.update({size: got for size, got in zip(shape, values.shape, strict=True) if isinstance(size, str)})


def _fits(shape: Shape, known: list[int | None], sizes: tuple[int, ...]) -> bool:
    """Whether an array has the declared shape, whose sizes are known in part."""
    if len(sizes) != len(shape):
        return False
    for size, want, got in zip(shape, known, sizes, strict=True):
        if want is not None and got != want and not (got == 1 and str(size).endswith(" or 1")):
            return False
    return True


def stacked(parts: Sequence[Distribution], name: str) -> Floats:
    """One vector parameter of each part, side by side, (d, k)."""
    for part in parts:
        part._require_parameters()
    return np.stack([getattr(part, name) for part in parts], axis=1)


def kept(found: Floats, before: Floats | None, otherwise: float) -> Floats:
    """What was found, and where nothing was seen (NaN) what it was before, or else a value that says nothing."""
    if not np.isnan(found).any():
        return found
    return np.where(np.isnan(found), otherwise if before is None else before, found)
