"""Weights that stand for far fewer rows than there are stop growth, and the fit says so."""

import warnings

import numpy as np
import pytest

import suffice as sf
from suffice.errors import TooFewRows

pytestmark = pytest.mark.native

MODELS = [
    sf.DecisionTreeClassifier(), sf.ID3Classifier(), sf.C45Classifier(), sf.ExtraTreesClassifier(3, random_state=0),
    sf.HistGradientBoostingClassifier(max_iter=3),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_shares_for_weights(model):
    iris = sf.datasets.load("iris")
    X, y = iris.matrix(), iris["species"]
    with pytest.warns(TooFewRows, match=r"the weights of 150 rows sum up to 1, and .* counts? weight"):
        model.fit(X, y, sample_weight=np.full(150, 1 / 150))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y, sample_weight=np.repeat([0.0, 1.0, 2.0], 50))


def test_shares_of_weight_are_limits_of_any_scale():
    iris = sf.datasets.load("iris")
    X, y, light = iris.matrix(), iris["species"], np.full(150, 1 / 150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = sf.DecisionTreeClassifier(min_samples_split=1e-9, min_samples_leaf=0).fit(X, y, sample_weight=light)
        sf.AdaBoostClassifier(n_estimators=3).fit(X, y, sample_weight=light)
    assert np.array_equal(model.predict(X), sf.DecisionTreeClassifier().fit(X, y).predict(X))
