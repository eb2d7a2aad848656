"""The table of operations: its entries agree, the right one is picked, and the page says what it holds."""

import importlib
import pickle
import re
from functools import wraps
from pathlib import Path

import numpy as np
import pytest
from suffice.backend._cpu import level

from foreign_arrays import Foreign
from suffice import backend, contracts
from suffice.backend import dense
from suffice.backend import native as loaded
from suffice.backend.dispatch import Native, Operation, Portable
from suffice.backend.examples import Case
from suffice.errors import InvalidData

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]
PAGE = Path(__file__).parents[2] / "docs" / "backends.md"
SOURCE = Path(backend.__file__).parents[1]

pytestmark = pytest.mark.native

each_operation = pytest.mark.parametrize("operation", contracts.operations(), ids=lambda operation: operation.name)


@each_operation
def test_entries_agree(operation):
    contracts.check_operation(operation)


@each_operation
@pytest.mark.parametrize("instructions", LEVELS)
def test_entries_agree_on_every_instruction_set(operation, instructions, monkeypatch):
    monkeypatch.setattr(loaded, "_kernels", importlib.import_module(f"suffice.backend._native_{instructions}"))
    contracts.check_operation(operation, [(70, 9)])


def test_the_contract_notices_an_entry_that_differs(monkeypatch):
    monkeypatch.setattr("suffice.backend.dispatch._table", {})

    @wraps(dense.native.moments)
    def off(*args, **named):
        total, mean, scatter = dense.native.moments(*args, **named)
        return total, mean + 1e-6, scatter

    with pytest.raises(AssertionError, match=r"dense\.moments \(native\), example 0 of Case"):
        contracts.check_operation(Operation(Native(off), Portable(dense.portable.moments)))
    with pytest.raises(AssertionError, match="the native entry has parameters"):
        contracts.check_operation(Operation(Native(dense.native.affine), Portable(dense.portable.moments)))
    unused = Native(dense.native.moments, dtypes=())
    with pytest.raises(AssertionError, match="nothing was compared with the native entry"):
        contracts.check_operation(Operation(unused, Portable(dense.portable.moments)))
    with pytest.raises(AssertionError, match="does not say what happens elsewhere"):
        contracts.check_operation(Operation(Native(dense.native.moments)))


# ---- other array libraries ----


ANY_ARRAY = [o for o in contracts.operations() if getattr(o.entries[-1], "any_array", False)]


@pytest.mark.parametrize("operation", ANY_ARRAY, ids=lambda operation: operation.name)
def test_what_is_said_to_take_any_array_does(operation):
    for case in (Case(20, 5), Case(1, 1), Case(20, 5, np.float32)):
        for arguments in operation.example(case):
            wanted = operation.entries[-1].run(*arguments)
            found = operation(Foreign(arguments[0]), *arguments[1:])
            for mine, theirs in zip(_flat(found), _flat(wanted), strict=True):
                np.testing.assert_array_equal(mine, theirs)


def _flat(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [part.values if isinstance(part, Foreign) else part for part in parts]


# ---- picking an entry ----


def _times(X, factor=2.0, out=None):
    """The rows times a number."""
    return "portable", factor


def _times_native(X, factor=2.0, out=None):
    return "native", factor


@pytest.fixture
def times(monkeypatch):
    monkeypatch.setattr("suffice.backend.dispatch._table", {})
    return Operation(Native(_times_native, most_columns=3), Portable(_times))


def test_the_first_entry_that_takes_the_array_runs(times):
    assert times(np.ones((2, 3))) == ("native", 2.0)
    assert times(np.ones((2, 3), np.float32), factor=3.0) == ("native", 3.0)
    assert times(X=np.ones((2, 3)), factor=3.0) == ("native", 3.0)
    assert times(np.ones((2, 4))) == ("portable", 2.0)
    assert times(np.ones((2, 3), int)) == ("portable", 2.0)
    assert times(np.ones((2, 3), ">f8")) == ("portable", 2.0)
    unaligned = np.frombuffer(bytearray(49), np.float64, 6, 1).reshape(2, 3)
    assert times(unaligned) == ("portable", 2.0)
    with backend.using("portable"):
        assert times(np.ones((2, 3))) == ("portable", 2.0)
        with backend.using("native"):
            assert times(np.ones((2, 3))) == ("native", 2.0)


def test_another_argument_may_decide(monkeypatch):
    monkeypatch.setattr("suffice.backend.dispatch._table", {})
    by_out = Operation(Native(_times_native), Portable(_times), by="out")
    assert by_out(None, 1.0, np.ones(3)) == ("native", 1.0)
    assert by_out(np.ones(3), out=np.ones(3, int)) == ("portable", 2.0)
    by_data = Operation(Native(_times_native), Portable(_times), by="X.data")
    from scipy import sparse

    assert by_data(sparse.csr_array(np.eye(2))) == ("native", 2.0)
    assert by_data(sparse.csr_array(np.eye(2, dtype=int))) == ("portable", 2.0)


def test_without_an_entry_the_error_says_what_happens_instead(monkeypatch):
    monkeypatch.setattr("suffice.backend.dispatch._table", {})
    alone = Operation(Native(_times_native), elsewhere="rows are compared one by one")
    assert alone.takes(np.ones((2, 3)))
    assert not alone.takes(np.ones((2, 3), int))
    with pytest.raises(InvalidData, match=r"ndarray of int64: native code takes float32, float64\. Instead: rows are"):
        alone(np.ones((2, 3), int))
    with backend.using("portable"):
        assert not alone.takes(np.ones((2, 3)))


def test_operations_travel_by_name():
    for operation in backend.operations():
        assert pickle.loads(pickle.dumps(operation)) is operation


def test_columns_beyond_the_room_of_a_kernel_are_refused():
    from suffice.backend import linkage

    with pytest.raises(InvalidData, match=r"at most 16 columns\. Instead: `prim_tree`"):
        linkage.euclidean_tree(np.ones((40, 17)))


def test_nobody_outside_asks_which_code_runs():
    asked = re.compile(r"is_native|backend\.native|backend import native|\.entries\b|kernels\(\)")
    outside = [p for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0] not in ("backend", "contracts")]
    assert outside
    assert [p.name for p in outside if asked.search(p.read_text(encoding="utf-8"))] == []


# ---- the page ----


def row_of(operation):
    entries = {entry.name: entry.supports for entry in operation.entries}
    words = operation.summary.replace("|", "\\|")
    return [f"`{operation.name}`", words, entries.get("native", "–"), entries.get("portable", "–"), operation.device]


def test_the_page_lists_every_operation():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    found = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    wanted = [row_of(operation) for operation in backend.operations()]
    expected = "\n".join("| " + " | ".join(row) + " |" for row in wanted)
    assert found == wanted, f"the table of docs/backends.md should be\n{expected}"
