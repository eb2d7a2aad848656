"""Columns that are chosen again and again, from halves of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.base import clone

from ...data import ArraySource, Chunk, Needs, Source
from ...data.labels import encode
from ...data.rows import is_sparse
from ...engine import Outcome, Step, iterate, unless_early
from ...engine.keeping import Kept
from ...errors import InvalidData, NothingSelected, warn
from ...estimator import Attributes, estimator
from ...holds import floats, integers, number, whole
from ...params import check_argument, learned, param
from ...randomness import generator, random_state_param
from ...resampling.intervals import wilson
from ...statistics import row_uniforms
from ...text import aligned, figure
from ...typing import AxesLike, Codes, Flags, Floats, Labels, RandomState, Whole
from ..cluster.alternation import memory_param
from ..decision.held_out import rows_that_count
from ..inner import named
from .base import FeatureSelector
from .l1_selection import L1Selection

if TYPE_CHECKING:
    from ...plots import IntervalsDisplay

_SEEDS = 1 << 62


@dataclass(frozen=True)
class _Counts:
    """How often each column was chosen, of so many halves, and how many columns were in all."""

    chosen: Whole
    halves: int


@estimator
class StabilitySelection(FeatureSelector):
    """Columns that a selection chooses again and again: those with frequency Π_j ≥ τ over random halves of the rows.

    Rows are cut in two halves `pairs` times, and the selector is fitted to each half. It chooses q columns of a half.
    If none without effect is chosen more often than by chance, at most q² / ((2τ − 1) d) of these are expected among
    those chosen, which `bound_` says (Meinshausen and Bühlmann, 2010; Shah and Samworth, 2013). A selector without
    `n_features_to_select` gets the q for which the bound is `false_positives`. The half that a row is in depends on its
    cells, its target and the seed, so that equal rows are in one.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 40))
    >>> y = X[:, 3] - X[:, 7] + rng.normal(size=200)
    >>> model = sf.StabilitySelection(pairs=20, random_state=0).fit(X, y)
    >>> model.get_support(indices=True), round(model.bound_, 2)
    (array([3, 7]), 0.8)
    """

    needs = Needs(target="numbers", sparse=True)
    compound = True
    small: ClassVar = {"pairs": 2}

    selector: object = param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda value: isinstance(value, FeatureSelector) and not isinstance(value, StabilitySelection),
        allowed="a selection such as `L1Selection()`",
        doc="What chooses columns of a half; None: `L1Selection`.",
    )
    threshold: float = param(
        0.75, number=True, above=0.5, at_most=1, doc="τ, in what share of the halves a column must be chosen."
    )
    false_positives: float = param(
        1.0, number=True, above=0, at_most=1e6,
        doc="How many columns without effect may be expected at most among those chosen.",
    )  # fmt: skip
    pairs: int = param(50, integer=True, at_least=1, at_most=100_000, doc="How often rows are cut in two halves.")
    random_state: RandomState = random_state_param()
    memory: int = memory_param("rows gathered from files or Dask")

    frequencies_: Floats = learned(
        "In what share of the halves each column was chosen, (d,).", holds=floats("d", at_least=0, at_most=1)
    )
    n_selected_: float = learned("q, how many columns were chosen in a half, on average.", holds=number(at_least=0))
    bound_: float = learned("How many columns without effect are expected at most.", holds=number(at_least=0))
    n_halves_: int = learned("How many halves there were.", holds=whole(at_least=1))

    def _inner(self) -> FeatureSelector:
        return self.selector if isinstance(self.selector, FeatureSelector) else L1Selection()

    def _needs(self) -> Needs:
        return self._inner()._needs().but(owner=type(self).__name__)

    # -- learning -----------------------------------------------------------------------------------------------------
    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = rows_that_count(source, self.memory)
        codes = encode(np.asarray(rows.y))[1] if source.needs.target == "classes" else None
        rng, d = generator(self.random_state), len(source.schema)
        seeds = [int(seed) for seed in rng.integers(_SEEDS, size=self.pairs)]
        selector = self._counting(d)

        def step(so_far: _Counts) -> Step[_Counts]:
            first = halves(rows, seeds[so_far.halves // 2], codes, source.needs.owner)
            chosen = so_far.chosen.copy()
            for half in (np.flatnonzero(first), np.flatnonzero(~first)):
                own = ArraySource(rows.at(half), source.schema, source.needs)
                chosen += unless_early(clone(selector).fit_source(own)).support_
            after = _Counts(chosen, so_far.halves + 2)
            return Step(after, math.sqrt(0.25 / after.halves), done=after.halves == 2 * self.pairs)

        with named(source.needs.owner):
            start = _Counts(np.zeros(d, dtype=np.int64), 0)
            kept = Kept.fields(_Counts, chosen=integers(d, at_least=0), halves=whole(at_least=0))
            return iterate(lambda run: start, step, max_iter=self.pairs, kept=kept).then(self._found)

    def _counting(self, d: int) -> FeatureSelector:
        """The selector with the number of columns for which the bound holds, where it has none of its own."""
        selector = clone(self._inner())
        if selector.get_params().get("n_features_to_select", 0) is None:
            most = math.sqrt(self.false_positives * (2 * self.threshold - 1) * d)
            selector.set_params(n_features_to_select=min(d, max(1, math.floor(most))))
        found: FeatureSelector = selector
        return found

    def _found(self, counts: _Counts) -> Attributes:
        frequencies = counts.chosen / counts.halves
        support = frequencies >= self.threshold
        if not support.any():
            warn(
                f"{type(self).__name__}: no column is chosen in {self.threshold:g} of the halves; the most frequent "
                f"one, in {frequencies.max():.2g}, is kept. Lower threshold, or take more rows.",
                NothingSelected,
            )
            support[np.argmax(frequencies)] = True
        q = float(counts.chosen.sum() / counts.halves)
        return {
            "support_": support,
            "frequencies_": frequencies,
            "n_selected_": q,
            "bound_": q**2 / ((2 * self.threshold - 1) * len(support)),
            "n_halves_": counts.halves,
        }

    # -- what was found -----------------------------------------------------------------------------------------------
    @property
    def table(self) -> dict[str, Labels]:
        """Columns by name, the most frequent first: name, frequency, and whether it was chosen."""
        self._check_fitted("frequencies_")
        order = np.argsort(-self.frequencies_, kind="stable")
        names = self._names()
        return {
            "column": np.array([names[j] for j in order], dtype=object),
            "frequency": self.frequencies_[order],
            "chosen": self.support_[order],
        }

    def _first(self, most: int) -> list[Labels]:
        """The columns of `table`, down to so many rows."""
        check_argument(type(self).__name__, "most", most, integer=True, at_least=1)
        return [values[:most] for values in self.table.values()]

    def _names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])]

    def summary(self, most: int = 20) -> str:
        """The first columns as text."""
        rows = [
            (str(name), figure(float(share)), "chosen" if chosen else "")
            for name, share, chosen in zip(*self._first(most), strict=True)
        ]
        return aligned([("column", "frequency", ""), *rows])

    def plot(self, ax: AxesLike = None, most: int = 20) -> IntervalsDisplay:
        """Draw the frequencies of the first columns with Wilson's intervals; dashes are the threshold."""
        from ...plots import IntervalsDisplay

        names, shares, _ = (values.tolist() for values in self._first(most))
        ends = [wilson(share * self.n_halves_, self.n_halves_) for share in shares]
        return IntervalsDisplay(
            names, shares, [end.low for end in ends], [end.high for end in ends], "share of the halves",
            reference=self.threshold,
        ).drawn(ax)  # fmt: skip


def halves(rows: Chunk, seed: int, codes: Codes | None, owner: str) -> Flags:
    """Whether each row is in the first of two halves, by its contents and the seed; each has its share of classes."""
    X = rows.X.toarray() if is_sparse(rows.X) else rows.X
    y = np.asarray(rows.y if codes is None else codes, dtype=np.float64).reshape(len(rows), -1)
    drawn = (row_uniforms(X, seed) + row_uniforms(y, seed)) % 1.0
    found = np.zeros(len(drawn), dtype=bool)
    for own in [np.arange(len(drawn))] if codes is None else [np.flatnonzero(codes == c) for c in np.unique(codes)]:
        distinct, place = np.unique(drawn[own], return_inverse=True)
        odd = len(distinct) % 2 and distinct[0] < 0.5  # of an odd number the one in the middle goes to either half
        found[own] = place < (len(distinct) + int(bool(odd))) // 2
    if found.all() or not found.any():
        raise InvalidData(f"{owner}: at least 2 rows that differ are needed, to cut them in two; got one sample.")
    return found
