"""More clusters than rows are refused, before anything is made for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from .. import params
from ..errors import InvalidData
from ..estimator import Clusterer, Estimator
from .results import fresh


def cluster_count_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For clusterers that are told how many clusters there are."""
    if issubclass(cls, Clusterer) and "n_clusters" in params.declared(cls):
        yield "more_clusters_than_rows", partial(more_clusters_than_rows, cls)


def more_clusters_than_rows(cls: type[Estimator]) -> None:
    """One cluster more than rows, or than rows with a weight, and very many, are refused in one sentence."""
    X, _ = cls.example(np.random.default_rng(0), 10)
    few = np.where(np.arange(len(X)) < 3, 1.0, 0.0)
    for k, weight in [(len(X) + 1, None), (10**9, None), (4, few)]:
        model = fresh(cls).set_params(n_clusters=k)
        try:
            model.fit(X, sample_weight=weight)
        except InvalidData as error:
            words = str(error)
            assert words.startswith(cls.__name__), words
            assert "n_samples=" in words, words
            assert f"n_clusters={k}" in words, words
        else:
            raise AssertionError(f"{cls.__name__}: {k} clusters of {len(X)} rows were taken")
