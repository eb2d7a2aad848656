"""Families for columns that are not there, in every model that takes them."""

import numpy as np
import pytest

import suffice as sf
from suffice.distributions import Independent
from suffice.errors import InvalidParameter

X = np.random.default_rng(0).poisson(3.0, (40, 2)).astype(float)
CLASSES = np.resize(["a", "b"], 40)
MODELS = {
    "MixtureModel": lambda families: sf.MixtureModel(2, component=families),
    "MixtureModel_member": lambda families: sf.MixtureModel(2, component=Independent(families)),
    "DensityBayes": lambda families: sf.DensityBayes(Independent(families)),
    "DensityAnomaly": lambda families: sf.DensityAnomaly(Independent(families)),
    "NaiveBayes": lambda families: sf.NaiveBayes(families),
    "NaiveBayes_member": lambda families: sf.NaiveBayes(Independent(families)),
}


@pytest.mark.parametrize("families", [{5: "poisson"}, {(0, 7): "gaussian"}, {-1: "poisson"}, {"age": "poisson"}])
@pytest.mark.parametrize("model", MODELS)
def test_columns_that_are_not_there_are_refused(model, families):
    with pytest.raises(InvalidParameter, match=r"column|columns have no names"):
        MODELS[model](families).fit(X, CLASSES)


def test_naive_bayes_takes_the_families_of_a_distribution():
    given = {0: "poisson", 1: "exponential"}
    one, other = (sf.NaiveBayes(families).fit(X, CLASSES) for families in (given, Independent(given)))
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
