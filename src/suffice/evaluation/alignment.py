"""How well clusters agree with known classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ..data.labels import encode
from ..data.source import Needs
from ..data.validate import check_some_weight, check_target, check_weight
from ..errors import InvalidData
from ..text import aligned, figure

NOISE = -1
_NEEDS = Needs(owner="align", target="classes")


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows by whether they are together: in both (a), in the clusters only (b), in the classes only (c),
    in neither (d)."""

    a: int
    b: int
    c: int
    d: int

    @property
    def rand(self) -> float:
        """(a + d) / (a + b + c + d): the share of pairs that clusters and classes agree on; 1 without pairs."""
        total = self.a + self.b + self.c + self.d
        return (self.a + self.d) / total if total else 1.0

    @property
    def adjusted_rand(self) -> float:
        """2 (ad − bc) / ((a + b)(b + d) + (a + c)(c + d)): 0 for chance, 1 for the same groups."""
        a, b, c, d = self.a, self.b, self.c, self.d
        if b == c == 0:
            return 1.0
        return 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))


@dataclass(frozen=True, eq=False)
class Alignment:
    """Clusters beside classes; print it, or take the figures.

    Matched clusters and classes stand first in `table`, so that what agrees stands on its diagonal.
    """

    clusters: tuple[Any, ...]  # the rows of the table
    classes: tuple[Any, ...]  # its columns
    table: NDArray[Any]  # (clusters, classes): the weight of their common rows
    noise: NDArray[Any]  # (classes,): the weight of rows in no cluster
    one_to_one: dict[Any, Any]  # cluster to class, each used once
    many_to_one: dict[Any, Any]  # cluster to its most frequent class
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
            "Rand index": self.rand,
            "adjusted Rand index": self.adjusted_rand,
        }
        figures = [(name, f"{x:.4f}") for name, x in names.items() if not math.isnan(x)]
        return f"{aligned([header, *rows])}\n\n{aligned(figures)}"


def align(labels: Any, classes: Any, sample_weight: Any = None) -> Alignment:
    """Compare clusters with classes: max Σₖ n(k, π(k)) over one-to-one maps π, by the Hungarian method.

    `labels` are the clusters of the rows and `classes` what they are, as numbers or text. A label of -1 is noise:
    such a row is in no cluster, together with no other row, and counts as wrong.

    >>> print(align([1, 1, 1, 0, 0, -1], ["ant", "ant", "bee", "bee", "bee", "bee"]))
    cluster  ant  bee  class
    1          2    1    ant
    0          0    2    bee
    noise      0    1
    <BLANKLINE>
    accuracy, one to one    0.6667
    accuracy, many to one   0.6667
    purity of the clusters  0.8000
    Rand index              0.5333
    adjusted Rand index     0.0367
    """
    labels, classes, weight = _checked(labels, classes, sample_weight)
    clustered = labels != NOISE if labels.dtype.kind in "if" else np.ones(len(labels), dtype=bool)
    (names, codes), (class_names, class_codes) = _encoded(labels[clustered], "labels"), _encoded(classes, "classes")
    k, m = len(names), len(class_names)
    table = np.bincount(codes * m + class_codes[clustered], weight[clustered], k * m).reshape(k, m)
    noise = np.bincount(class_codes[~clustered], weight[~clustered], m)
    whole = bool((weight == np.floor(weight)).all())
    if whole:
        table, noise = table.astype(np.int64), noise.astype(np.int64)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return _alignment(names, class_names, table, noise, dict(zip(rows.tolist(), columns.tolist(), strict=True)), whole)


def _checked(labels: Any, classes: Any, sample_weight: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    labels, classes = np.asarray(labels), np.asarray(classes)
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
    check_some_weight(float(weight.sum()), "align")
    present = weight > 0  # a row that weighs nothing is not there
    return labels[present], classes[present], weight[present]


def _encoded(values: NDArray[Any], place: str) -> tuple[list[Any], NDArray[np.int64]]:
    try:
        names, codes = encode(values)
    except TypeError:
        raise InvalidData(f"align: {place} mix text with other values; turn all of them into text.") from None
    return names.tolist(), codes


def _alignment(
    names: list[Any],
    class_names: list[Any],
    table: NDArray[Any],
    noise: NDArray[Any],
    matched: dict[int, int],
    whole: bool,
) -> Alignment:
    """The figures, with the rows and columns of the table in the order of the classes that are matched."""
    top = table.argmax(axis=1)
    total, right = float(table.sum() + noise.sum()), float(table.max(axis=1, initial=0).sum())
    rows = sorted(range(len(names)), key=lambda i: (matched.get(i, len(class_names) + int(top[i])), i))
    columns = sorted(range(len(class_names)), key=lambda j: (j not in matched.values(), j))
    return Alignment(
        clusters=tuple(names[i] for i in rows),
        classes=tuple(class_names[j] for j in columns),
        table=table[np.ix_(rows, columns)],
        noise=noise[columns],
        one_to_one={names[i]: class_names[matched[i]] for i in rows if i in matched},
        many_to_one={names[i]: class_names[top[i]] for i in rows},
        accuracy=float(sum(table[i, j] for i, j in matched.items())) / total,
        greedy_accuracy=right / total,
        purity=right / float(table.sum()) if table.size else math.nan,
        pairs=_pairs(table, noise) if whole else None,
    )


def _pairs(table: NDArray[Any], noise: NDArray[Any]) -> Pairs:
    """The pairs from a table of counts; a row of noise is together with none."""
    both = _twos(table.ravel())
    in_clusters, in_classes = _twos(table.sum(axis=1)), _twos(table.sum(axis=0) + noise)
    n = int(table.sum() + noise.sum())
    everything = n * (n - 1) // 2
    return Pairs(both, in_clusters - both, in_classes - both, everything - in_clusters - in_classes + both)


def _twos(counts: NDArray[Any]) -> int:
    """Σ n (n − 1) / 2, in whole numbers of any size."""
    return sum(n * (n - 1) // 2 for n in counts.tolist())
