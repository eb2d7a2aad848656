"""Distances in every model that takes one: parameters for other columns, and remedies that are true."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice import contracts, params
from suffice.distances import DISTANCES, Mahalanobis, StandardizedEuclidean
from suffice.errors import InvalidParameter

MEASURING = [cls for cls in contracts.estimators() if "metric" in params.declared(cls)]


@pytest.mark.parametrize("distance", [Mahalanobis(np.eye(7)), StandardizedEuclidean(np.ones(7))], ids=["M", "V"])
@pytest.mark.parametrize("cls", MEASURING, ids=lambda cls: cls.__name__)
def test_parameters_of_a_distance_for_other_columns_are_refused(cls, distance):
    X, y = cls.example(np.random.default_rng(0), 40)
    more = {"linkage": "average"} if "linkage" in params.declared(cls) else {}
    with pytest.raises(InvalidParameter, match=r"is for 7 columns, but X has \d"):
        cls(metric=distance, **more).fit(X, y)


def test_k_means_sends_only_distances_to_k_medoids_that_it_takes():
    refused = 0
    for name in DISTANCES:
        with_centres = params.declared(sf.KMeans)["metric"].names
        reason = with_centres.why_not(name)
        refused += reason != ""
        if reason.endswith("use `KMedoids`"):
            assert name in params.declared(sf.KMedoids)["metric"].names
    assert refused > 5
    with pytest.raises(InvalidParameter, match=r"KullbackLeibler has no centres.*with a symmetric distance"):
        sf.KMeans(2, metric="kl").fit(np.ones((5, 2)))
