"""Measures of clusters: how well they agree with classes, and how well they are apart."""

from __future__ import annotations

import numpy as np

from .answers import Answers
from .contingency import Contingency
from .measure_registry import MEASURES, Measure, measure


def _aligned(name: str, figure: str, doc: str) -> None:
    def compute(answers: Answers) -> float:
        if not answers.total > 0:
            return float("nan")
        return float(getattr(Contingency.of(answers.predicted, answers.truth, answers.weight), figure))

    bounds = (-1.0 if name == "adjusted_rand" else 0.0, 1.0)
    MEASURES[name] = Measure(name, "clusters", compute, bounds=bounds, zone=0.01, pooled=False, doc=doc)


_aligned("alignment_accuracy", "accuracy", "The share of rows right when each cluster is one class, as well as can be.")
_aligned("greedy_accuracy", "greedy_accuracy", "The share of rows in the most frequent class of their cluster.")
_aligned("purity", "purity", "The same among the rows that are in clusters.")
_aligned("rand", "rand", "The share of pairs of rows that clusters and classes agree on.")
_aligned("adjusted_rand", "adjusted_rand", "The Rand index, 0 for chance and 1 for the same groups.")


@measure("silhouette", "clusters", needs="silhouette", bounds=(-1.0, 1.0), zone=0.01, truth=False)
def silhouette(answers: Answers) -> float:
    """The mean of (b − a) / max(a, b): a is the mean distance to the own cluster, b to the nearest other."""
    known = ~np.isnan(answers.silhouette)
    if not float(answers.weight[known].sum()) > 0:
        return float("nan")
    return float(np.average(answers.silhouette[known], weights=answers.weight[known]))
