"""What a family declares: its estimator, the peers that do the same work, and how large a table may be."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from .tables import Cell, Rows, Table, groups, make_table

Shape = tuple[int, int]
UNGROUPED = ("rows", "columns")  # the axes where there are no groups
Equal = Callable[[Any, Any, Table], None]  # asserts that our fitted model is as good as the peer's


class Differs(AssertionError):
    """Two answers differ, and nobody says which is the better one."""


def at_most(rows: int = 10**9, columns: int = 10**9) -> Callable[[int, int], Shape]:
    """Larger shapes are cut to this."""
    return lambda n, d: (min(n, rows), min(d, columns))


def as_it_is(n: int, d: int) -> Shape:
    """Any shape."""
    return n, d


def no_options(table: Table) -> dict[str, Any]:
    """The defaults."""
    return {}


@dataclass(frozen=True)
class Contest:
    """An estimator against its peers on the same work.

    All are made with the same options; a peer that names them otherwise is given as a function. Every method that we
    and the peer both have is compared.
    """

    ours: type
    peers: Mapping[str, Callable[..., Any]]
    equal: Equal
    rows: Rows = groups
    options: Callable[[Table], Mapping[str, Any]] = no_options
    variant: str = ""  # tells apart the contests of one estimator
    k: int = 5
    shape: Callable[[int, int], Shape] = as_it_is
    cut: str = ""  # why tables are cut to that shape, where the line of `fit` says so
    shared: tuple[str, ...] = ()  # parameters that a peer takes over from us before anything but `fit` is compared
    alike_after_fit: bool = True  # peers that differ in how they fit only: one is enough for the other methods
    free_signs: bool = False  # the answers are equal up to the sign of each column
    few_asked: bool = False  # predictions for some of the rows only
    sparse: bool = False  # scikit-learn takes CSR
    only_fit: bool = False  # the other methods are compared in another contest of the estimator
    unlike: Mapping[str, str] = field(default_factory=dict)  # methods whose answers differ, and why: only timed
    # What the line of a method does not show by itself where this peer is the best one.
    remarks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    in_single: Mapping[str, str] = field(default_factory=dict)  # the same for any peer, of rows in single precision
    unlike_in_single: tuple[str, ...] = ()  # methods whose answers differ there, as the remark says: only timed
    axes: tuple[str, ...] = ("rows", "columns", "groups")  # along which the growth of time and memory is drawn
    operations: Mapping[str, Callable[[Table], float]] = field(default_factory=dict)  # of the best known algorithm

    @property
    def name(self) -> str:
        """The estimator, and the variant if there are several."""
        return self.ours.__name__ + (f" ({self.variant})" if self.variant else "")

    def remark(self, method: str, peer: str, table: Table) -> str:
        """What the line of a method does not show by itself, where this peer is the best one."""
        single = self.in_single.get(method, "") if table.X.dtype == np.float32 else ""
        return "; ".join(filter(None, (self.remarks.get(method, {}).get(peer, ""), single)))

    def cell(self, cell: Cell) -> Cell | None:
        """The cell cut to what this family can do; None where it is not for it."""
        if cell.layout == "CSR" and not self.sparse:
            return None
        n, d = self.shape(cell.n, cell.d)
        return Cell(n, d, cell.layout, cell.dtype)

    def table(self, cell: Cell) -> Table:
        """The table of a cell."""
        return make_table(self.rows, cell, self.k, self.few_asked)


def is_installed(package: str) -> bool:
    """Whether an optional peer is there."""
    return importlib.util.find_spec(package) is not None


def installed(label: str, module: str, name: str) -> dict[str, Callable[..., Any]]:
    """A peer of another package, if that is installed."""
    if not is_installed(module.partition(".")[0]):
        return {}
    return {label: getattr(importlib.import_module(module), name)}


def same(*names: str, tolerance: float = 1e-6) -> Equal:
    """The fitted attributes are equal, relative to the largest number in them."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        for name in names:
            close(getattr(ours, name), getattr(theirs, name), tolerance, table, name)

    return check


def no_more(cost: str, tolerance: float = 0.05) -> Equal:
    """Our cost, the mean over some seeds if the table is small, is at most the peer's, but for a small part."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        mine, other = (_mean_cost(model, cost, table) for model in (ours, theirs))
        assert mine <= other + tolerance * abs(other) + 1e-9, f"{cost} {mine:.6g} against {other:.6g}"

    return check


def _mean_cost(model: Any, cost: str, table: Table) -> float:
    seeded = hasattr(model, "get_params") and isinstance(model.get_params().get("random_state"), int)
    if not seeded or table.nbytes > 2**23:
        return float(getattr(model, cost))
    fits = (clone(model).set_params(random_state=seed).fit(table.X) for seed in range(5))
    return float(np.mean([getattr(fit, cost) for fit in fits]))


def no_less(gain: str, tolerance: float = 0.01) -> Equal:
    """Our gain, a log-likelihood per row, is at least the peer's, but for a small part."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        mine, other = float(getattr(ours, gain)), float(getattr(theirs, gain))
        assert mine >= other - tolerance * (1 + abs(other)), f"{gain} {mine:.6g} against {other:.6g}"

    return check


def as_accurate(tolerance: float = 0.01) -> Equal:
    """Our score on the rows, accuracy or R², is at least the peer's, but for a small part."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        mine, other = (float(model.score(table.X, *table.target)) for model in (ours, theirs))
        assert mine >= other - tolerance, f"score {mine:.6g} against {other:.6g}"

    return check


def answers(method: str, tolerance: float = 1e-6) -> Equal:
    """The answers to some of the rows are equal."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        close(getattr(ours, method)(table.queries), getattr(theirs, method)(table.queries), tolerance, table, method)

    return check


def close(mine: Any, other: Any, tolerance: float, table: Table, what: str) -> None:
    """Numbers are equal relative to the largest of them, more loosely in single precision; of labels nearly all are."""
    mine, other = np.asarray(mine), np.asarray(other)
    _agree(mine.shape == other.shape, f"{what}: {mine.shape} against {other.shape}")
    if other.dtype.kind not in "fc" or mine.dtype.kind not in "fc":
        share = float(np.mean(mine == other))
        _agree(share >= 0.999, f"{what}: only {share:.2%} are equal")
        return
    known = np.isfinite(other) & np.isfinite(mine)
    scale = float(np.abs(other[known]).max(initial=1e-300))
    tolerance = max(tolerance, 2e-3) if table.X.dtype == np.float32 else tolerance
    error = float(np.abs(mine[known].astype(float) - other[known]).max(initial=0.0)) / scale
    _agree(error <= tolerance, f"{what} differs by {error:.2g} of its size")


def _agree(good: bool, text: str) -> None:
    if not good:
        raise Differs(text)
