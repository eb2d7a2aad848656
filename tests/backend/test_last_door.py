"""The last door before memory, of every kernel: arrays of other lengths, and numbers that lead nowhere, are refused.

The calls that the examples of operations make are made again, one argument changed at a time. What a kernel may take
stands below with the reason, so that a new one refuses everything or says why it need not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from suffice import contracts
from suffice.backend import native as loaded
from suffice.backend.examples import Case

pytestmark = pytest.mark.native

CASES = (Case(12, 3), Case(40, 7), Case(90, 17), Case(30, 20, np.float32))
BEYOND = 2**30  # of every example

SPARSE = "the matrix was checked where it came in, by data/rows.py, or when its file was read"
ONCE = "looked at once, and not at every call: backend/followed.py"
SAME_FIT = "made in the same fit, and nobody else holds it"
# Integers that no kernel follows, or that lead somewhere in any case, by the names of parameters and by kernel.
LEADS_NOWHERE = {
    "seeds": "of random numbers",
    "times": "how often a row counts",
    "learned": "whether a row counts",
    "mass": "weights up to each row, the last of which must be above 0",
    "monotone": "directions",
    "same": "compared with each other",
    "sums": "added up; classes among them are refused",
    "sets": "bits",
    "whole": "settings of a descent",
    "category_places.places": "what is written for a category",
    "category_places.missing": "what is written for a gap",
    "category_places.unknown": "what is written for another number",
    "flags.places": "those of no column set no flag",
    "random_orders.rows": "only put into order",
    "mode_moves.codes": "below 0: a gap",
    "split_from_sums.cells": "added up",
    "split_from_sums.columns": "those asked for are looked for among them",
    "fall_to_children.column": "each step looks where it leads",
    "fall_to_children.child": "each step looks where it leads",
    "fall_to_children.at": "each step looks where it leads",
    "add_to_nodes.out": "added to",
    "sum_out_of_bag.count": "added to",
    "add_to_nodes.at": "each row looks where it leads",
    "add_to_nodes.slot": "each row looks where it leads",
    "leaf_paths.leaf": "each step looks where it leads",
    "leaf_paths.parent": "each step looks where it leads",
    "group_medians.order": SAME_FIT,
    "kmeans_round.label": SAME_FIT,
    "sum_of_leaves.kind": "made from the values by `leaf_kinds`, and kept beside them",
    "words": ONCE,
}  # fmt: skip
LEADS_NOWHERE |= {f"{kernel}.indices": SPARSE for kernel in (
    "descend_sparse", "dual_crammer_singer_csr", "dual_sweeps_csr", "sgd_epoch_csr", "sparse_affine",
    "sparse_column_moments", "sparse_count_logs", "sparse_curved", "sparse_group_sums", "sparse_kmeans_look",
    "sparse_nearest",
)}  # fmt: skip
LEADS_NOWHERE |= dict.fromkeys(("kd_nearest.nodes", "kd_nearest.rows", "kd_within.nodes", "kd_within.rows", "hash_nearest.starts", "hash_nearest.order", "hash_within.starts", "hash_within.order", "inverted_nearest.row_columns", "inverted_nearest.list_rows", "inverted_nearest.order", "inverted_within.row_columns", "inverted_within.list_rows", "inverted_within.order"), ONCE)  # fmt: skip
LENGTHS_KNOWN = {
    f"{kernel}.sets": ONCE
    for kernel in (
        "leaf_kinds",
        "sum_of_leaves",
        "fall_to_leaves",
        "sum_out_of_bag",
        "tree_contributions",
        "code_forest",
    )
} | {"sum_of_leaves.value": "of kinds that `leaf_kinds` numbered"}
# Arrays whose lengths alone say how many rows, columns, trees or results there are: no other array of the call does.
SAYS_HOW_MANY = set(
    [
        "add_to_nodes.codes",
        "add_to_nodes.slot",
        "assign.centres",
        "assign.x",
        "boost_rounds.seeds",
        "cell_products.other",
        "centroid_linkage.x",
        "column_ranges.x",
        "count_logs.small",
        "count_logs.x",
        "count_terms.small",
        "descend_columns.x",
        "descend_sparse.starts",
        "draw_rows.out",
        "embedding_pull.points",
        "embedding_push.points",
        "embedding_read_off.field",
        "embedding_spread.out",
        "embedding_spread.points",
        "embedding_tree.points",
        "expect_forest.sets",
        "expect_forest.words",
        "fall_to_children.codes",
        "filter_pack.y",
        "first_bad.x",
        "flags.places",
        "gram_pack.y",
        "grouped_moments.x",
        "grow_boosted.together",
        "grow_coded.seeds",
        "grow_forest.seeds",
        "grow_isolating.seeds",
        "grow_isolating.x",
        "grow_sorted.seeds",
        "inverted_nearest.list_starts",
        "inverted_within.list_starts",
        "isotonic.ends",
        "kd_build.x",
        "kd_within.x",
        "kmeans_swaps.centres",
        "kmeans_swaps.uniform",
        "kmeans_swaps.x",
        "largest.x",
        "largest_codes.x",
        "leaf_kinds.starts",
        "leaf_paths.parent",
        "leaf_quantiles.levels",
        "leaf_quantiles.nodes",
        "leaf_quantiles.starts",
        "linkage_chain_rows.x",
        "log_totals.log_joint",
        "medoid_build.medoids",
        "medoid_pass.medoids",
        "mix_rows.topics",
        "mixture_sums.x",
        "mode_moves.counts",
        "moments.rows",
        "moments.x",
        "monomials.x",
        "nearest_filtered.y",
        "nearest_rows.y",
        "random_orders.orders",
        "ratio_sums.other",
        "records_end.text",
        "row_equations.matrix",
        "row_uniforms.x",
        "rows_within.x",
        "rows_within.y",
        "seed.uniform",
        "seed.x",
        "sgd_epoch.order",
        "spanning_prim_rows.x",
        "spanning_tree.x",
        "sparse_column_moments.starts",
        "sparse_count_logs.small",
        "sparse_group_sums.starts",
        "split_from_sums.pool",
        "subtract_rows.rows",
        "within_filtered.x",
        "within_filtered.y",
        "code_forest.words",
        "leaf_kinds.words",
        "leaf_kinds.value",
    ]
)


class Call(NamedTuple):
    """A kernel and its arguments, with their names; those of `written` are results."""

    kernel: str
    arguments: list[object]
    names: list[str]
    written: set[str]

    def with_one(self, place: int, value: object) -> list[object]:
        """Copies of the arguments, one of them another."""
        return [value if i == place else _copied(one) for i, one in enumerate(self.arguments)]


class Recorder:
    """The module of kernels, which keeps what they are called with."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.calls = module, []

    def __getattr__(self, name: str):
        kernel = getattr(self.module, name)

        def call(*arguments: object) -> object:
            self.calls.append((name, [_copied(one) for one in arguments]))
            return kernel(*arguments)

        return call


def _copied(argument: object) -> object:
    return argument.copy(order="K") if isinstance(argument, np.ndarray) else argument


def calls(operation: contracts.operations) -> list[Call]:
    """A call of each kernel for each types of arguments, as far as the examples of an operation make them."""
    module, found = loaded._kernels, {}
    entry = operation.entries[0]
    for arguments in (each for case in CASES for each in operation.example(case)):
        if entry.name != "native" or not entry.takes(operation.deciding(arguments, {})):
            continue
        loaded._kernels = recorder = Recorder(module)
        try:
            entry.run(*arguments)
        finally:
            loaded._kernels = module
        for name, given in recorder.calls:
            kinds = [(one.dtype, one.ndim) if isinstance(one, np.ndarray) else type(one) for one in given]
            found.setdefault((name, *kinds), Call(name, given, *_parameters(getattr(module, name))))
    return list(found.values())


def _parameters(kernel: object) -> tuple[list[str], set[str]]:
    """The names of its parameters, and of the arrays that it writes, as the binding tells them."""
    first = str(kernel.__doc__).strip().splitlines()[0]
    parts = re.split(r", (?=\w+: )", first[first.index("(") + 1 : first.rindex(") ->")])
    kinds = dict(part.split(": ", 1) for part in parts if part)
    return list(kinds), {name for name, kind in kinds.items() if "ndarray" in kind and "writable=False" not in kind}


def run(call: Call, arguments: list[object]) -> object:
    return getattr(loaded._kernels, call.kernel)(*arguments)


each_operation = pytest.mark.parametrize("operation", contracts.operations(), ids=lambda operation: operation.name)


def refused(call: Call, place: int, value: object) -> bool:
    """Whether a kernel does not take an array in one place."""
    try:
        run(call, call.with_one(place, value))
    except (ValueError, TypeError, IndexError, RuntimeError):
        return True
    return False


def arrays(call: Call) -> Iterator[tuple[int, str, np.ndarray]]:
    """The arrays among the arguments that have cells: place, name, array."""
    for place, (name, one) in enumerate(zip(call.names, call.arguments, strict=True)):
        if isinstance(one, np.ndarray) and one.size:
            yield place, f"{call.kernel}.{name}", one


def lengths(array: np.ndarray) -> Iterator[np.ndarray]:
    for axis in range(array.ndim):
        last = np.take(array, [-1], axis)
        yield np.concatenate([array, last], axis)
        yield np.ascontiguousarray(np.delete(array, -1, axis))


@each_operation
def test_other_lengths_are_refused(operation):
    taken = {
        name
        for call in calls(operation)
        for place, name, array in arrays(call)
        if name not in SAYS_HOW_MANY | LENGTHS_KNOWN.keys()
        and not all(refused(call, place, other) for other in lengths(array))
    }
    assert not taken


@each_operation
def test_numbers_that_lead_nowhere_are_refused(operation):
    taken = set()
    for call in calls(operation):
        for place, name, array in arrays(call):
            known = name in LEADS_NOWHERE or name.partition(".")[2] in LEADS_NOWHERE
            if known or array.dtype.kind not in "iu" or array.itemsize == 1 or not _is_read(call, place, array):
                continue
            for wrong in (-7, BEYOND) if array.dtype.kind == "i" else (BEYOND,):
                other = array.copy()
                other.flat[array.size // 2] = wrong
                if not refused(call, place, other):
                    taken.add(name)
    assert not taken


def _is_read(call: Call, place: int, array: np.ndarray) -> bool:
    """Whether a kernel reads an array, which it may also write; what it only writes is the same from any beginning."""
    if call.names[place] not in call.written:
        return True
    ends = []
    for begin in (array, np.zeros_like(array)):
        given = call.with_one(place, begin.copy())
        found = run(call, given)
        ends.append((repr(found), [one for one in given if isinstance(one, np.ndarray)]))
    same = all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(ends[0][1], ends[1][1], strict=True))
    return ends[0][0] != ends[1][0] or not same
