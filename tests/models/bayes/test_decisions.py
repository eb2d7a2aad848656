"""`decision_function` of classifiers by Bayes' rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import naive_bayes as theirs

import suffice as sf

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]


def test_two_classes_have_log_odds():
    model = sf.GaussianNB().fit(X[50:], Y[50:])
    joint = theirs.GaussianNB().fit(X[50:], Y[50:]).predict_joint_log_proba(X[50:])
    assert_allclose(model.decision_function(X[50:]), joint[:, 1] - joint[:, 0], rtol=1e-7)


def test_more_classes_have_log_posteriors():
    found = sf.GaussianNB().fit(X, Y).decision_function(X)
    assert_allclose(found, theirs.GaussianNB().fit(X, Y).predict_log_proba(X), rtol=1e-6, atol=1e-12)


def test_an_impossible_row_has_the_odds_of_the_priors():
    counts = np.array([[2, 0, 0], [1, 0, 0], [0, 3, 0], [0, 2, 0]])
    model = sf.MultinomialNB(alpha=0, class_prior=[0.2, 0.8]).fit(counts, list("aabb"))
    with pytest.warns(sf.errors.SufficeWarning, match="row 1 is impossible in every class"):
        found = model.decision_function([[1, 0, 0], [1, 1, 0], [0, 1, 0]])
    assert_allclose(found, [-np.inf, np.log(4), np.inf])


def test_odds_of_single_precision_far_away_decide_as_predict_does():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(80, 3)).astype(np.float32), np.repeat([0, 1], 40)
    rows[y == 1] += 0.5
    far = (rows * 1e5).astype(np.float32)
    for model in (sf.LinearDiscriminantAnalysis(), sf.QuadraticDiscriminantAnalysis()):
        model.fit(rows, y)
        assert_array_equal(model.decision_function(far) > 0, model.predict(far) == 1)
