"""What every statistic is: an immutable value that adds up."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, Union

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..holds import require
from ..registry import register_member
from ..typing import Floats
from .affine import Affine

_FEW = 1000  # cells, which NumPy looks at before a kernel is called
_LARGEST_SQUARED = float(np.sqrt(np.finfo(np.float64).max))
Arrays = dict[str, NDArray[Any]]
Scalable = Union[float, Floats, "Statistic", tuple["Scalable", ...]]  # what a field holds


class Statistic:
    """Base of the statistics: frozen dataclasses of numbers, arrays and other statistics.

    A subclass gives `of(*rows)`, the summary of some rows (each argument has one entry a row; no rows give the
    zero), and `+`, which merges: `of(a and b) == of(a) + of(b)`. Subclasses register themselves, so the contract
    tests find them.
    """

    members: ClassVar[list[type[Statistic]]] = []
    intensive: ClassVar[tuple[str, ...]] = ("mean", "shift")  # fields that stay when all weights are scaled
    leaves_out_missing: ClassVar[bool] = False  # so that a missing cell does not make the sums NaN

    def __init_subclass__(cls, saved: bool = True) -> None:
        Statistic.members.append(cls)
        if saved:  # those that only pass through a computation are not
            register_member(cls, "statistic")

    def __add__(self, other: Self) -> Self:
        raise TypeError(f"{type(self).__name__} does not define +")

    @classmethod
    def of(cls, *rows: Any) -> Self:
        """The summary of some rows."""
        raise TypeError(f"{cls.__name__} does not define of()")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        """Arguments of `of` with n rows, for the contract tests."""
        return (rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float))

    def scaled(self, factor: float) -> Self:
        """The summary of the same rows with all weights multiplied; what a running average fades by."""
        kept = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        return type(self)(**{k: v if k in self.intensive else _scaled(v, factor) for k, v in kept.items()})

    def after(self, change: Affine) -> Self | None:
        """The summary of the same rows after an affine map; None where it does not say."""
        return None

    def to_arrays(self) -> Arrays:
        """The fields as arrays; those of a nested statistic are named `field.inner`."""
        arrays: Arrays = {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            _put(arrays, field.name, getattr(self, field.name))
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> Self:
        """The statistic that `to_arrays` was called on."""
        hints = typing.get_type_hints(cls)
        names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: _get(arrays, name, hints[name]) for name in names})

    def check_loaded(self) -> None:
        """Raise an error where the fields of a statistic from a file do not fit together."""

    def is_finite(self) -> bool:
        """Whether no number in it is NaN or infinite, as one bad cell among the rows would make some.

        Nor may the square of a mean overflow: a huge column that does not vary has no scatter.
        """
        return all(_is_finite(name, getattr(self, name), self.intensive) for name in self.__dataclass_fields__)  # type: ignore[attr-defined]

    def hides_missing(self) -> bool:
        """Whether missing cells are left out of some of its sums, so that they do not show in them."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return self.leaves_out_missing or any(_hides_missing(getattr(self, field.name)) for field in fields)

    def comparable(self) -> Arrays:
        """The arrays by which two statistics count as equal; differs where a form is not unique."""
        return self.to_arrays()


def check_alike(parts: Sequence[object]) -> None:
    """Raise an error where parts that are added or stacked together are not of one class."""
    kinds = sorted({type(part).__name__ for part in parts})
    require(len(kinds) <= 1, f"parts must be of one class; got {', '.join(kinds)}")


def _hides_missing(value: object) -> bool:
    if isinstance(value, tuple):
        return any(_hides_missing(item) for item in value)
    return isinstance(value, Statistic) and value.hides_missing()


def _is_finite(name: str, value: object, intensive: tuple[str, ...]) -> bool:
    """Whether no number in a field is NaN or infinite, nor the square of an intensive one."""
    if isinstance(value, Statistic):
        return all(_is_finite(inner, getattr(value, inner), intensive) for inner in value.__dataclass_fields__)  # type: ignore[attr-defined]
    if isinstance(value, tuple):
        return all(_is_finite("", item, intensive) for item in value)
    cells = np.asarray(value)
    if cells.dtype.kind != "f":
        return True
    if name in intensive:
        return bool((np.abs(cells) <= _LARGEST_SQUARED).all())
    if cells.ndim == 2 and cells.size > _FEW:  # without a truth value for each cell
        return backend.first_bad(cells) is None
    return bool(np.isfinite(cells).all())


def _scaled(value: Scalable, factor: float) -> Scalable:
    if isinstance(value, tuple):
        return tuple(_scaled(item, factor) for item in value)
    return value.scaled(factor) if isinstance(value, Statistic) else value * factor


def _put(arrays: Arrays, name: str, value: object) -> None:
    if isinstance(value, Statistic):
        arrays.update({f"{name}.{inner}": array for inner, array in value.to_arrays().items()})
    elif isinstance(value, tuple):
        arrays[name] = np.array(len(value))
        for i, item in enumerate(value):
            _put(arrays, f"{name}.{i}", item)
    else:
        arrays[name] = np.asarray(value)


def _get(arrays: Mapping[str, NDArray[np.generic]], name: str, hint: object) -> object:
    kind = typing.get_origin(hint) or hint
    if kind is tuple:
        inner = typing.get_args(hint)[0]
        return tuple(_get(arrays, f"{name}.{i}", inner) for i in range(int(arrays[name])))
    if isinstance(kind, type) and issubclass(kind, Statistic):
        own = {key[len(name) + 1 :]: value for key, value in arrays.items() if key.startswith(f"{name}.")}
        return kind.from_arrays(own)
    value = arrays[name]
    return value.item() if kind in (int, float, str, bool) else value
