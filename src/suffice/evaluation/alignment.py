"""How well clusters agree with known classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.rows import as_array
from ..data.source import Needs
from ..data.validate import check_some_weight, check_target, check_weight
from ..errors import InvalidData
from ..resampling.contingency import Contingency, Pairs
from ..text import aligned, figure
from ..typing import TargetLike, WeightLike

_NEEDS = Needs(owner="align", target="classes")


@dataclass(frozen=True, eq=False)
class Alignment:
    """Clusters beside classes; print it, or take the figures.

    Matched clusters and classes stand first in `table`, so that what agrees stands on its diagonal.
    """

    clusters: tuple[object, ...]  # the rows of the table
    classes: tuple[object, ...]  # its columns
    table: NDArray[np.number]  # (clusters, classes): the weight of their common rows
    noise: NDArray[np.number]  # (classes,): the weight of rows in no cluster
    one_to_one: dict[object, object]  # cluster to class, each used once
    many_to_one: dict[object, object]  # cluster to its most frequent class
    accuracy: float  # the share of all rows that one_to_one gets right
    greedy_accuracy: float  # the share of all rows that many_to_one gets right
    purity: float  # the share of the rows in clusters that many_to_one gets right; NaN without clusters
    pairs: Pairs | None  # None where weights are not whole numbers, as pairs are counted

    @property
    def rand(self) -> float:
        """The Rand index; NaN where pairs cannot be counted."""
        return math.nan if self.pairs is None else self.pairs.rand

    @property
    def adjusted_rand(self) -> float:
        """The Rand index adjusted for chance; NaN where pairs cannot be counted."""
        return math.nan if self.pairs is None else self.pairs.adjusted_rand

    def __str__(self) -> str:
        header = ("cluster", *map(str, self.classes), "class")
        rows = [
            (str(cluster), *map(figure, counts), str(self.one_to_one.get(cluster, "")))
            for cluster, counts in zip(self.clusters, self.table, strict=True)
        ]
        if self.noise.any():
            rows.append(("noise", *map(figure, self.noise), ""))
        names = {
            "accuracy, one to one": self.accuracy,
            "accuracy, many to one": self.greedy_accuracy,
            "purity of the clusters": self.purity,
            **({} if self.pairs is None else _of_pairs(self.pairs)),
        }
        figures = [(name, f"{x:.4f}") for name, x in names.items() if not math.isnan(x)]
        return f"{aligned([header, *rows])}\n\n{aligned(figures)}"


def _of_pairs(pairs: Pairs) -> dict[str, float]:
    return {
        "pairs, accuracy (Rand index)": pairs.accuracy,
        "pairs, precision": pairs.precision,
        "pairs, recall": pairs.recall,
        "pairs, F1": pairs.f1,
        "adjusted Rand index": pairs.adjusted_rand,
    }


def align(labels: TargetLike, classes: TargetLike, sample_weight: WeightLike = None) -> Alignment:
    """Compare clusters with classes: max Σₖ n(k, π(k)) over one-to-one maps π, by the Hungarian method.

    `labels` are the clusters of the rows and `classes` what they are, as numbers or text. A label of -1 is noise:
    such a row is in no cluster, together with no other row, and counts as wrong. Every pair of rows is counted by
    whether it is together in the clusters, and whether in the classes: `pairs` holds the four counts and their rates.

    >>> print(align([1, 1, 1, 0, 0, -1], ["ant", "ant", "bee", "bee", "bee", "bee"]))
    cluster  ant  bee  class
    1          2    1    ant
    0          0    2    bee
    noise      0    1
    <BLANKLINE>
    accuracy, one to one          0.6667
    accuracy, many to one         0.6667
    purity of the clusters        0.8000
    pairs, accuracy (Rand index)  0.5333
    pairs, precision              0.5000
    pairs, recall                 0.2857
    pairs, F1                     0.3636
    adjusted Rand index           0.0367
    """
    return _alignment(Contingency.of(*_checked(labels, classes, sample_weight)))


def _checked(
    labels: Any, classes: Any, sample_weight: WeightLike
) -> tuple[NDArray[np.generic], NDArray[np.generic], NDArray[np.float64]]:
    labels, classes = (as_array(a, "align", "labels and classes must have one entry a row") for a in (labels, classes))
    n, other = (len(a) if a.ndim else 1 for a in (labels, classes))
    if n != other:
        raise InvalidData(f"align: there are {n} labels but {other} classes; give one of each a row.")
    if n == 0:
        raise InvalidData("align: labels and classes have no rows; at least 1 is needed.")
    labels = check_target(labels, n, _NEEDS, place="labels")
    classes = check_target(classes, n, _NEEDS, place="classes")
    if sample_weight is None:
        return labels, classes, np.ones(n)
    weight = check_weight(sample_weight, n, "align")
    check_some_weight(weight, "align")
    return labels, classes, weight


def _alignment(of: Contingency) -> Alignment:
    """The figures, with the rows and columns of the table in the order of the classes that are matched."""
    names, class_names, matched, top = of.clusters, of.classes, of.matched, of.table.argmax(axis=1)
    rows = sorted(range(len(names)), key=lambda i: (matched.get(i, len(class_names) + int(top[i])), i))
    columns = sorted(range(len(class_names)), key=lambda j: (j not in matched.values(), j))
    return Alignment(
        clusters=tuple(names[i] for i in rows),
        classes=tuple(class_names[j] for j in columns),
        table=of.table[np.ix_(rows, columns)],
        noise=of.noise[columns],
        one_to_one={names[i]: class_names[matched[i]] for i in rows if i in matched},
        many_to_one={names[i]: class_names[top[i]] for i in rows},
        accuracy=of.accuracy,
        greedy_accuracy=of.greedy_accuracy,
        purity=of.purity,
        pairs=of.pairs,
    )
