"""The arguments that kernels are called with by the examples of operations, and what a binding may take unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import NamedTuple

import numpy as np

from suffice import contracts
from suffice.backend import native as loaded
from suffice.backend.dispatch import Operation
from suffice.backend.examples import Case

CASES = (Case(9, 1), Case(12, 3), Case(40, 7), Case(90, 17), Case(30, 20, np.float32))

SPARSE = "the matrix was checked where it came in, by data/rows.py, or when its file was read"
ONCE = "looked at once, and not at every call: backend/followed.py"
SAME_FIT = "made in the same fit, and nobody else holds it"
LOOKS = "each step looks where it leads"
# Integers that no kernel follows, or that lead somewhere in any case, by the names of parameters and by kernel.
HARMLESS = {
    "seeds": "of random numbers",
    "times": "how often a row counts",
    "learned": "whether a row counts",
    "mass": "weights up to each row, the last of which must be above 0",
    "monotone": "directions",
    "same": "compared with each other",
    "sums": "added up; classes among them are refused",
    "whole": "settings of a descent",
    "category_places.places": "what is written for a category",
    "category_places.missing": "what is written for a gap",
    "category_places.unknown": "what is written for another number",
    "flags.places": "those of no column set no flag",
    "softmax.y": "those of no class have probability 0",
    "random_orders.rows": "only put into order",
    "mode_moves.codes": "below 0: a gap",
    "embedding_sampled.rate": "of a turn, how far an epoch takes an edge",
    "embedding_sampled.phase": "of a turn, where an edge begins",
    "split_from_sums.cells": "added up",
    "split_from_sums.columns": "those asked for are looked for among them",
    "add_to_nodes.out": "added to",
    "sum_out_of_bag.count": "added to",
    "fall_to_children.column": LOOKS, "fall_to_children.child": LOOKS, "fall_to_children.at": LOOKS,
    "add_to_nodes.at": LOOKS, "add_to_nodes.slot": LOOKS, "leaf_paths.leaf": LOOKS, "leaf_paths.parent": LOOKS,
}  # fmt: skip
# Integers that kernels follow unseen.
FOLLOWED = {
    "words": ONCE,
    "sets": ONCE,
    "group_medians.order": SAME_FIT,
    "kmeans_round.label": SAME_FIT,
    "sum_of_leaves.kind": "made from the values by `leaf_kinds`, and kept beside them",
    **{f"{kernel}.indices": SPARSE for kernel in (
        "descend_sparse", "dual_crammer_singer_csr", "dual_sweeps_csr", "sgd_epoch_csr", "sparse_affine",
        "sparse_column_moments", "sparse_column_products", "sparse_count_logs", "sparse_curved", "sparse_group_sums",
        "sparse_kmeans_look", "sparse_nearest",
    )},
    **{f"{kernel}.starts": ONCE for kernel in (
        "sum_of_leaves", "fall_to_leaves", "sum_out_of_bag", "tree_contributions", "leaf_kinds", "code_forest",
    )},
    **{f"{index}_{asked}.{name}": ONCE for index, names in (
        ("kd", "nodes rows"), ("hash", "starts order"), ("inverted", "row_columns list_rows order"),
    ) for asked in ("nearest", "within") for name in names.split()},
}  # fmt: skip
# Arrays whose lengths alone say how many rows, columns, trees or results there are: no other array of the call does.
SAYS_HOW_MANY = {
    "add_to_nodes": "codes slot", "assign": "centres x", "boost_rounds": "seeds", "cell_products": "other",
    "centroid_linkage": "x", "code_forest": "words", "column_ranges": "x", "count_logs": "small x",
    "count_terms": "small", "descend_columns": "x", "descend_sparse": "starts", "draw_rows": "out",
    "embedding_pull": "points", "embedding_push": "points", "embedding_read_off": "field",
    "embedding_sampled": "points", "embedding_spread": "out points", "embedding_tree": "points",
    "expect_forest": "sets words",
    "fall_to_children": "codes", "filter_pack": "y", "first_bad": "x", "flags": "places", "gram_pack": "y",
    "gram_rows": "out", "input_rows": "x", "moments_of_column": "x", "sgd_epoch_csr": "order",
    "sparse_column_products": "starts",
    "sparse_nearest": "centres",
    "grouped_moments": "x", "grow_boosted": "together", "grow_coded": "seeds", "grow_forest": "seeds",
    "grow_isolating": "seeds x", "grow_sorted": "seeds", "inverted_nearest": "list_starts",
    "inverted_within": "list_starts", "isotonic": "ends", "kd_build": "x", "kd_within": "x",
    "kmeans_swaps": "centres uniform x", "largest": "x", "largest_codes": "x", "leaf_kinds": "starts words value",
    "leaf_paths": "parent", "leaf_quantiles": "levels nodes starts", "linkage_chain_rows": "x",
    "log_totals": "log_joint", "medoid_build": "medoids", "medoid_pass": "medoids", "mix_rows": "topics",
    "mixture_sums": "x", "mode_moves": "counts", "moments": "rows x", "monomials": "x", "nearest_filtered": "y",
    "nearest_rows": "y", "random_orders": "orders", "ratio_sums": "other", "records_end": "text",
    "row_equations": "matrix", "row_uniforms": "x", "rows_within": "x y", "seed": "uniform x", "sgd_epoch": "order",
    "spanning_prim_rows": "x", "spanning_tree": "x", "sparse_column_moments": "starts",
    "sparse_count_logs": "small", "sparse_group_sums": "starts", "split_from_sums": "pool", "subtract_rows": "rows",
    "within_filtered": "x y",
}  # fmt: skip
LENGTHS_KNOWN = {"sets": ONCE, "sum_of_leaves.value": "of kinds that `leaf_kinds` numbered"}


def stands_in(table: dict[str, str], name: str) -> bool:
    """Whether a table names a parameter of a kernel, or its parameter in every kernel."""
    kernel, _, parameter = name.partition(".")
    return name in table or parameter in table or parameter in table.get(kernel, "").split()


class Call(NamedTuple):
    """A kernel and its arguments, with their names; those of `written` are results."""

    kernel: str
    arguments: list[object]
    names: list[str]
    written: set[str]

    def run(self, place: int, value: object) -> tuple[list[object], object]:
        """Calls the kernel with one argument in place of another; the arguments afterwards, and what it gives."""
        given = [value if i == place else _copied(one) for i, one in enumerate(self.arguments)]
        return given, getattr(loaded.kernels(), self.kernel)(*given)

    def is_refused(self, place: int, value: object) -> bool:
        """Whether the kernel does not take a value in one place."""
        try:
            self.run(place, value)
        except (ValueError, TypeError, IndexError, RuntimeError, MemoryError):
            return True
        return False

    def results(self, place: int, value: object) -> list[object]:
        """What it gives and writes for a value in one place."""
        given, found = self.run(place, value)
        parts = found if isinstance(found, tuple) else (found,)
        return [*parts, *(one for one, name in zip(given, self.names, strict=True) if name in self.written)]

    def arrays(self) -> Iterator[tuple[int, str, np.ndarray]]:
        """The arrays among the arguments that have cells: place, name, array."""
        for place, (name, one) in enumerate(zip(self.names, self.arguments, strict=True)):
            if isinstance(one, np.ndarray) and one.size:
                yield place, f"{self.kernel}.{name}", one

    def numbers(self) -> Iterator[tuple[int, str, int]]:
        """The whole numbers among the arguments, as `arrays` has them."""
        for place, (name, one) in enumerate(zip(self.names, self.arguments, strict=True)):
            if isinstance(one, int) and not isinstance(one, bool):
                yield place, name, one


class _Recorder:
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


@cache
def calls(operation: Operation) -> list[Call]:
    """A call of each kernel for each types of arguments, as far as the examples of an operation make them."""
    module, found = loaded._kernels, {}
    for arguments in (each for case in CASES for each in operation.example(case)):
        for entry in operation.entries:
            if entry.name != "native" or not entry.takes(operation.deciding(arguments, {})):
                continue
            loaded._kernels = recorder = _Recorder(module)
            try:
                getattr(entry.run(*arguments), "comparable", object)()
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


def all_calls() -> Iterator[Call]:
    """The calls that the examples of all operations make."""
    for operation in contracts.operations():
        yield from calls(operation)
