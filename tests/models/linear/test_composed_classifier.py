"""Any composition of a loss of classes, a penalty and a solver, against the models of their names and scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as sk
import sklearn.svm
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidParameter, Separated
from suffice.penalties import L1, L2, ElasticNetPenalty

pytestmark = pytest.mark.native
RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4))
SCORES = X @ RNG.normal(size=(4, 3)) + RNG.gumbel(size=(150, 3))
Y = np.array(["a", "b", "c"])[np.argmax(SCORES, axis=1)]
TWO = np.where(Y == "c", "b", Y)
WEIGHT = RNG.integers(0, 4, 150).astype(float)


@pytest.mark.parametrize(("loss", "y"), [("logistic", TWO), ("softmax", Y)])
@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_logistic_regression_is_a_composition(loss, y, ratio):
    penalty = L2(0.01) if ratio == 0 else ElasticNetPenalty(0.01, ratio)
    model = sf.LinearModelClassifier(loss, penalty=penalty, tol=1e-12, max_iter=5000).fit(X, y)
    peer = sf.LogisticRegression(C=1 / (0.01 * 150), l1_ratio=ratio, tol=1e-12, max_iter=5000).fit(X, y)
    assert_allclose(model.coef_, peer.coef_, atol=1e-6)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)


def test_two_classes_by_softmax_are_logistic_with_half_the_penalty():
    model = sf.LinearModelClassifier("softmax", penalty=L2(0.02)).fit(X, TWO)
    assert model.coef_.shape == (1, 4)
    peer = sf.LinearModelClassifier(penalty=L2(0.01)).fit(X, TWO)  # ‖w‖² is shared by two vectors w / 2 and −w / 2
    assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("y", [Y, TWO])
def test_support_vector_machines_are_compositions(loss, y):
    model = sf.LinearModelClassifier(loss, penalty=L2(0.01), tol=1e-8).fit(X, y)
    peer = sf.LinearSVC(loss=loss, C=1 / (0.01 * 150), tol=1e-8).fit(X, y)
    assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-3)
    assert not hasattr(model, "predict_proba")


def test_all_classes_at_once():
    model = sf.LinearModelClassifier("crammer_singer", penalty=L2(0.01), tol=1e-8).fit(X, Y)
    peer = sf.LinearSVC(multi_class="crammer_singer", C=1 / (0.01 * 150), tol=1e-8).fit(X, Y)
    assert_allclose(model.coef_, peer.coef_, atol=1e-4)


def test_costs_by_class_are_weights():
    costs = {"a": 3.0, "b": 0.5}
    model = sf.LinearModelClassifier("squared_hinge", penalty=L2(0.05), class_weight=costs).fit(X, TWO, WEIGHT)
    each = np.where(TWO == "a", 3.0, 0.5) * WEIGHT
    assert_allclose(model.coef_, sf.LinearModelClassifier("squared_hinge", penalty=L2(0.05)).fit(X, TWO, each).coef_)
    peer = sk.LogisticRegression(C=1 / (0.05 * 150), class_weight="balanced", tol=1e-10, max_iter=1000).fit(X, TWO)
    model = sf.LinearModelClassifier(penalty=L2(0.05), class_weight="balanced").fit(X, TWO)
    assert_allclose(model.coef_, peer.coef_, atol=1e-5)


def test_solvers_that_can_agree():
    known = sf.LinearModelClassifier(penalty=L2(0.05), tol=1e-13).fit(X, TWO).coef_
    for solver in ("newton", "lbfgs", "fista", "coordinate"):
        found = sf.LinearModelClassifier(penalty=L2(0.05), solver=solver, tol=1e-13, max_iter=10_000).fit(X, TWO)
        assert_allclose(found.coef_, known, atol=1e-5)
    peer = sklearn.svm.LinearSVC(penalty="l1", C=0.2, dual=False, tol=1e-10, max_iter=100_000, fit_intercept=False)
    found = sf.LinearModelClassifier("squared_hinge", penalty=L1(1 / (0.2 * 150)), fit_intercept=False).fit(X, TWO)
    assert_allclose(found.coef_, peer.fit(X, TWO).coef_, atol=1e-4)


def test_what_lacks_is_said():
    with pytest.raises(InvalidParameter, match="its targets are numbers; take LinearModel"):
        sf.LinearModelClassifier("huber").fit(X, Y)
    with pytest.raises(InvalidParameter, match="Solvers that can: sgd"):
        sf.LinearModelClassifier("hinge", penalty="l1").fit(X, Y)
    with pytest.raises(InvalidParameter, match="Newton needs one predictor a row"):
        sf.LinearModelClassifier("crammer_singer", penalty="l2", solver="newton").fit(X, Y)
    with pytest.raises(AttributeError, match="no attribute 'predict_proba'"):
        sf.LinearModelClassifier("hinge").predict_proba  # noqa: B018
    with pytest.warns(Separated, match="Use a penalty"):
        sf.LinearModelClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_paths():
    found = sf.LinearModelClassifier("squared_hinge", penalty="l1").path(X, TWO, n_alphas=5)
    one = sf.LinearModelClassifier("squared_hinge", penalty=L1(found.alphas[3])).fit(X, TWO)
    assert_allclose(found.coef[3], one.coef_[0], atol=1e-5)
    assert found.nonzero[0] == 0
    several = sf.LinearModelClassifier("softmax", penalty="l1").path(X, Y, n_alphas=3)
    assert several.coef.shape == (3, 3, 4)
    with pytest.raises(InvalidParameter, match="3 classes take one each"):
        sf.LinearModelClassifier("squared_hinge", penalty="l1").path(X, Y)
