"""The base of k-modes and k-prototypes: iterations over coded rows of any source."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data import Needs, Schema, Source
from ...engine import Kept, Outcome, Step
from ...estimator import Attributes, Clusterer, declares
from ...holds import floats, instance, label_array, require, tuples
from ...params import learned
from ...randomness import generator
from ...typing import Codes, Floats, TableLike
from .alternation import alternated, moved, padded, stepped
from .categories import Coding, learn_coding
from .distinct import OnlinePasses
from .prototypes import Metric, Rows


@declares
class MixedClusterer(Clusterer):
    """Base: a subclass says which columns are categorical, how much a mismatch counts, and where centres start."""

    needs = Needs(missing=True, categories=True)

    cluster_centers_: NDArray[np.generic] = learned(
        "The centres, (k, d), in the values of the table.", holds=label_array("k", "d")
    )
    inertia_: float = learned("The objective at the end.")
    n_iter_: int = learned("The iterations of the start that was kept.")
    categories_: tuple[NDArray[np.generic], ...] = learned(
        "The values of each categorical column, sorted.", holds=tuples(label_array(None, distinct=True))
    )
    holds: ClassVar = {
        "_schema": instance(Schema, d="d"),
        "_metric": instance(Metric),
        "_centres": floats("k", "d", finite=False),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        coding, kinds = self._metric.coding, [column.kind for column in self._schema.columns]
        require(len(coding.numbers) + len(coding.codes) == len(kinds), "the coding must have every column")
        for j, values in zip(coding.codes, coding.categories, strict=True):
            require(
                (kinds[j] == "categorical") == (values.dtype.kind == "U"), f"column {j} must have values of its kind"
            )
        require(len(self._centres), "_centres must have a row")

    def _categorical(self, source: Source) -> tuple[int, ...]:
        """The positions of the categorical columns."""
        raise TypeError(f"{type(self).__name__} does not define _categorical")

    def _gamma(self, source: Source, coding: Coding) -> float:
        return 1.0

    def _starts(self, rows: Rows, rng: np.random.Generator) -> list[Floats]:
        """Up to k different rows."""
        raise TypeError(f"{type(self).__name__} does not define _starts")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner, setup = type(self).__name__, vars(self)
        coding, counted = learn_coding(source, self._categorical(source))
        counted.check_enough(owner, setup["n_clusters"])
        metric = Metric(coding, self._gamma(source, coding))
        rows, rng = Rows.of(source, metric), generator(setup["random_state"])

        def start(run: int) -> Floats:
            if not isinstance(setup["init"], str):
                return coding.encoded(setup["init"], setup["n_clusters"], owner)
            return padded(owner, self._starts(rows, rng), setup["n_clusters"])

        online = OnlinePasses(rows)

        def step(centres: Floats) -> Step[Floats]:
            after, objective = metric.updated(rows.assigned(centres), centres)
            if not moved(centres, after):  # all rows at once change nothing any more
                better = online.improved(after)
                lower = metric.updated(rows.assigned(better), better)[1] if moved(after, better) else objective
                if lower < objective * (1 - 1e-12):
                    return stepped(better, lower, moved(centres, better))
            return stepped(after, objective, moved(centres, after))

        draws = isinstance(setup["init"], str) and setup["init"] != "cao"  # the others start at one place only
        outcome = alternated(
            owner,
            start,
            step,
            max_iter=setup["max_iter"],
            restarts=setup["n_init"] if draws else 1,
            snapshot=lambda centres: {"cluster_centers_": coding.decoded(centres)},
            kept=Kept(floats(setup["n_clusters"], len(source.schema), finite=False)),
            rng=rng,
        )
        return outcome.then(lambda centres: self._attributes(rows, centres, len(outcome.history)))

    def _attributes(self, rows: Rows, centres: Floats, iterations: int) -> Attributes:
        coding = rows.metric.coding
        whole = rows.source.in_memory
        labels: Attributes = {} if whole is None else {"labels_": rows.metric.nearest(whole, centres)[0]}
        return {
            "cluster_centers_": coding.decoded(centres),
            "inertia_": rows.assigned(centres).cost,
            "n_iter_": iterations,
            "categories_": coding.categories,
            "_metric": rows.metric,
            "_centres": centres,
            **labels,
        }

    def predict(self, X: TableLike) -> Codes:
        """The cluster with the nearest centre; a category that the fit did not see matches none."""
        self._check_fitted()
        metric, centres = self._metric, self._centres
        code = metric.coding.coder(self._schema)
        return self._rows(X, lambda chunk: metric.nearest(code(chunk), centres)[0])
