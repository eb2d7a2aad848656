"""The last door before memory, of every kernel: what it cannot read is refused, and nothing else does harm.

The calls that the examples of operations make are made again, one argument changed at a time. What a kernel may take
stands in `kernel_arguments.py` with the reason, so that a new one refuses everything or says why it need not. What is
taken is called as well, and `make sanitize` sees where it reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kernel_arguments import FOLLOWED, HARMLESS, LENGTHS_KNOWN, SAYS_HOW_MANY, Call, all_calls, calls, stands_in
from suffice import contracts
from suffice.backend import native

pytestmark = pytest.mark.native

BEYOND = 2**30  # of every example
MORE = "a dimension more"

each_operation = pytest.mark.parametrize("operation", contracts.operations(), ids=lambda operation: operation.name)


def test_examples_call_every_kernel():
    assert {name for name in dir(native.kernels()) if name[0] != "_"} - {call.kernel for call in all_calls()} == set()


def lengths(array: np.ndarray) -> Iterator[np.ndarray]:
    for axis in range(array.ndim):
        last = np.take(array, [-1], axis)
        yield np.concatenate([array, last], axis)
        yield np.ascontiguousarray(np.delete(array, -1, axis))
    yield array[:0].copy()


@each_operation
def test_other_lengths_are_refused(operation):
    taken = set()
    for call in calls(operation):
        for place, name, array in call.arrays():
            if stands_in(LENGTHS_KNOWN, name):
                continue
            refused = [call.is_refused(place, other) for other in lengths(array)]
            if not all(refused) and not stands_in(SAYS_HOW_MANY, name):
                taken.add(name)
    assert not taken


@each_operation
def test_numbers_that_lead_nowhere_are_refused(operation):
    taken = set()
    for call in calls(operation):
        sizes = {n for _, _, array in call.arrays() for n in array.shape}
        for place, name, array in call.arrays():
            if array.dtype.kind not in "iu" or array.itemsize == 1 or stands_in(FOLLOWED, name):
                continue
            wrong = {BEYOND} if array.dtype.kind == "u" else {-7, BEYOND}
            refused = {
                at: call.is_refused(place, _with(array, at)) for at in wrong | sizes | ({-1} if -7 in wrong else set())
            }
            if not all(refused[at] for at in wrong) and not stands_in(HARMLESS, name) and _is_read(call, place, array):
                taken.add(name)
    assert not taken


def _with(array: np.ndarray, cell: int) -> np.ndarray:
    other = array.copy()
    other.flat[array.size // 2] = cell
    return other


def _is_read(call: Call, place: int, array: np.ndarray) -> bool:
    """Whether a kernel reads an array, which it may also write; what it only writes is the same from any beginning."""
    return call.names[place] not in call.written or not same(
        call.results(place, array.copy()), call.results(place, np.zeros_like(array))
    )


def same(found: object, others: object) -> bool:
    if isinstance(found, list | tuple):
        return len(found) == len(others) and all(map(same, found, others))
    return np.array_equal(found, others, equal_nan=np.asarray(found).dtype.kind == "f")


@each_operation
def test_other_types_and_places_in_memory_are_refused(operation):
    taken = set()
    for call in calls(operation):
        for place, name, array in call.arrays():
            for what, other in forms(array):
                if not call.is_refused(place, other) and not (what == MORE and stands_in(SAYS_HOW_MANY, name)):
                    taken.add(f"{name}: {what}")
            if array.ndim == 2 and not call.is_refused(place, strided(array)):  # then strides are followed
                assert same(call.results(place, strided(array)), call.results(place, array.copy())), name
            if call.names[place] in call.written and not call.is_refused(place, _locked(array)):
                taken.add(f"{name}: locked")
    assert not taken


def forms(array: np.ndarray) -> Iterator[tuple[str, object]]:
    """The same numbers as a kernel does not read them."""
    yield "nothing but numbers", array.tolist()
    yield "swapped", array.view(array.dtype.newbyteorder()) if array.itemsize > 1 else array.astype(">i2")
    yield "another type", np.zeros(array.shape, np.complex128)
    yield MORE, np.stack([array] * 2)[None]
    if array.ndim == 1 and array.size > 1:
        yield "strided", np.repeat(array, 2)[::2]
    if array.itemsize > 1:
        bytes_ = np.zeros(array.nbytes + 1, np.uint8)
        other = bytes_[1:].view(array.dtype).reshape(array.shape)
        other[...] = array
        yield "unaligned", other


def strided(array: np.ndarray) -> np.ndarray:
    return np.repeat(np.repeat(array, 2, axis=0), 2, axis=1)[::2, ::2]


def _locked(array: np.ndarray) -> np.ndarray:
    other = array.copy()
    other.flags.writeable = False
    return other


LASTS = {"most", "epochs", "drawn", "degree", "most_depth", "times", "threads"}  # a huge one would take long


@each_operation
def test_no_size_does_harm(operation):
    """Sizes that the arrays do not have are refused, or asked nothing of the arrays."""
    for call in calls(operation):
        for place, name, number in call.numbers():
            for other in (-1, 0, number - 1, number + 1, *(() if name in LASTS else (2**61, 2**63 - 1))):
                call.is_refused(place, other)
