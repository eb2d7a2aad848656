"""The table of operations: which array work there is, and which code does it for which arrays.

An operation is called like a function. One of its arguments decides, the first unless `by` names another: the entries
are asked in their order, and the first that takes that array runs. `Native` is C++ for NumPy arrays; `Portable` is
plain array code, comes last, takes what is left, and is the definition that the others are tested against. Nobody
asks which entry it was; who has another way to the same answer asks `operation.takes(array)`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar

import numpy as np
from numpy import ndarray

from ..errors import InvalidData
from ..typing import Labels

if TYPE_CHECKING:
    from .examples import Example

P = ParamSpec("P")
R = TypeVar("R")

DOUBLE, SINGLE, LONG, BYTE = (np.dtype(kind) for kind in (np.float64, np.float32, np.int64, np.uint8))
_ORDER = ("native", "portable")
_passed_over: ContextVar[tuple[str, ...]] = ContextVar("suffice_passed_over", default=())
_table: dict[str, Operation[..., Any]] = {}


class Entry(Generic[P, R]):
    """One way to run an operation."""

    name: ClassVar[str]
    dtypes_alone: tuple[np.dtype[np.generic], ...] = ()  # of aligned NumPy arrays that it takes without looking further

    def __init__(self, run: Callable[P, R]) -> None:
        self.run = run

    def takes(self, array: object) -> bool:
        """Whether it can work on this array."""
        raise NotImplementedError

    @property
    def supports(self) -> str:
        """What it can work on, in words."""
        raise NotImplementedError


class Native(Entry[P, R]):
    """A C++ kernel for aligned NumPy arrays of some types, laid out in memory in any way."""

    name = "native"

    def __init__(
        self,
        run: Callable[P, R],
        dtypes: tuple[np.dtype[np.generic], ...] = (DOUBLE, SINGLE),
        most_columns: int | None = None,
        least_columns: int = 0,
        contiguous_rows: bool = False,
    ) -> None:
        super().__init__(run)
        self.dtypes, self.most_columns, self.least_columns = dtypes, most_columns, least_columns
        self.contiguous_rows = contiguous_rows
        any_shape = most_columns is None and not least_columns and not contiguous_rows
        self.dtypes_alone = dtypes if any_shape else ()

    def takes(self, array: object) -> bool:
        return (
            isinstance(array, ndarray)
            and array.dtype in self.dtypes
            and array.flags.aligned
            and (bool(self.dtypes_alone) or self._takes_shape(array))
        )

    def _takes_shape(self, array: Labels) -> bool:
        columns = array.shape[1]
        if columns < self.least_columns or (self.most_columns is not None and columns > self.most_columns):
            return False
        return not self.contiguous_rows or array.strides[1] == array.itemsize

    @property
    def supports(self) -> str:
        words = [", ".join(sorted(dtype.name for dtype in self.dtypes))]
        if self.most_columns is not None:
            words.append(f"at most {self.most_columns} columns")
        if self.least_columns:
            words.append(f"at least {self.least_columns} columns")
        if self.contiguous_rows:
            words.append("contiguous rows")
        return "; ".join(words)


class NativeCSR(Entry[P, R]):
    """A C++ kernel for the CSR matrices of SciPy, of doubles or singles."""

    name = "native"

    def takes(self, array: object) -> bool:
        return getattr(array, "format", None) == "csr" and getattr(array, "dtype", None) in (DOUBLE, SINGLE)

    @property
    def supports(self) -> str:
        return "CSR of float32, float64"


class Portable(Entry[P, R]):
    """Plain array code: for every array that follows the array API standard, or only for what NumPy can read.

    `in_memory` says that it is not for rows on a device: what it works on (small sums, trees, files, the sparse
    matrices of SciPy) is in memory in any case.
    """

    name = "portable"

    def __init__(self, run: Callable[P, R], any_array: bool = False, in_memory: bool = False) -> None:
        super().__init__(run)
        self.any_array, self.in_memory = any_array, in_memory

    def takes(self, array: object) -> bool:
        return True

    @property
    def supports(self) -> str:
        return "array API" if self.any_array else "NumPy"


class Operation(Generic[P, R]):
    """A function with several entries, of which the deciding array picks one.

    Its name, signature and docstring are those of the last entry. `by` names the parameter that decides, or an
    attribute of it ("X.data"). Where no entry is portable, `elsewhere` says what happens to other arrays. Examples of
    its arguments are drawn by the function of the same name in `examples.py` beside it.
    """

    __name__: str
    __module__: str
    __slots__ = ("__dict__", "_first_decides", "_usual_dtypes", "_usual_run")  # read at every call

    def __init__(self, *entries: Entry[P, R], by: str = "", elsewhere: str = "") -> None:
        definition: Any = entries[-1].run
        update_wrapper(self, definition)
        self.__module__ = definition.__module__.rpartition(".")[0]  # the family, where it is declared
        self.entries, self.elsewhere = entries, elsewhere
        self.family = self.__module__.rpartition(".")[2]
        self.name = f"{self.family}.{self.__name__}"
        parameters: tuple[str, ...] = definition.__code__.co_varnames
        self._parameter, _, self._attribute = (by or parameters[0]).partition(".")
        self._place = parameters.index(self._parameter)
        self._first_decides = not self._place and not self._attribute
        self._usual_run, self._usual_dtypes = entries[0].run, entries[0].dtypes_alone
        _table[self.name] = self

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        array = args[0] if self._first_decides and args else self.deciding(args, named)
        # What is asked of nearly every call, written out here: `takes` of the first entry, and no `using`.
        if (
            isinstance(array, ndarray)
            and array.dtype in self._usual_dtypes
            and array.flags.aligned
            and not _passed_over.get()
        ):
            return self._usual_run(*args, **named)
        for entry in self._open_entries():
            if entry.takes(array):
                return entry.run(*args, **named)
        raise InvalidData(self._refusal(array))

    def takes(self, array: object) -> bool:
        """Whether an entry works on this array; the operation must not be called with it otherwise."""
        return any(entry.takes(array) for entry in self._open_entries())

    def deciding(self, args: tuple[object, ...], named: Mapping[str, object]) -> object:
        """The array among the arguments of a call that decides which entry runs."""
        argument = args[self._place] if len(args) > self._place else named[self._parameter]
        return getattr(argument, self._attribute) if self._attribute else argument

    def _open_entries(self) -> list[Entry[P, R]]:
        passed_over = _passed_over.get()
        return [entry for entry in self.entries if entry.name not in passed_over]

    def _refusal(self, array: object) -> str:
        got = f"{type(array).__name__} of {getattr(array, 'dtype', 'objects')}"
        known = ", ".join(f"{entry.name} code takes {entry.supports}" for entry in self.entries)
        return f"{self.name}: no code for an array of type {got}: {known}. Instead: {self.elsewhere}."

    @property
    def summary(self) -> str:
        """The first sentence of its docstring."""
        return (self.__doc__ or "").strip().partition("\n")[0]

    @property
    def device(self) -> str:
        """What an array on another device, such as a GPU, meets."""
        last = self.entries[-1]
        if not isinstance(last, Portable):
            return self.elsewhere
        return "runs" if last.any_array else "in memory" if last.in_memory else "to supply"

    @property
    def example(self) -> Example:
        """What draws arguments for it."""
        drawn: Example = getattr(importlib.import_module(f"{self.__module__}.examples"), self.__name__)
        return drawn

    def __reduce__(self) -> str:
        return self.__name__  # pickled by its place, as a function is

    def __repr__(self) -> str:
        return f"<operation {self.name}: {', '.join(entry.name for entry in self.entries)}>"


def operations() -> list[Operation[..., object]]:
    """Every operation of the back-end, by name.

    >>> [operation.name for operation in operations() if operation.family == "scaling"]
    ['scaling.guttman', 'scaling.isotonic', 'scaling.placed']
    """
    package = importlib.import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__, f"{__package__}."):
        if module.ispkg:
            importlib.import_module(module.name)
    return [_table[name] for name in sorted(_table)]


@contextmanager
def using(name: str) -> Iterator[None]:
    """Pass over, within the block, all entries that come before "native" or "portable"."""
    token = _passed_over.set(_ORDER[: _ORDER.index(name)])
    try:
        yield
    finally:
        _passed_over.reset(token)
