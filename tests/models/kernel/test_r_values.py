"""Support vector machines against the values of e1071 and kernlab."""

import json
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.kernels import LaplacianKernel

VALUES = json.loads((Path(__file__).parents[2] / "reference" / "svm_values.json").read_text())
IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), np.asarray(IRIS["species"])
TWO = Y != "setosa"
FINE = {"tol": 1e-10}
pytestmark = pytest.mark.native


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("rbf", {"gamma": 0.2}),
        ("poly", {"kernel": "poly", "C": 0.5, "gamma": 0.1, "degree": 3, "coef0": 1.0}),
        ("linear", {"kernel": "linear"}),
    ],
)
def test_classes_are_those_of_e1071(name, given):
    """libsvm keeps its kernel matrix in single precision, so that large products have fewer digits."""
    model = sf.SVC(decision_function_shape="ovo", **FINE, **given).fit(X, Y)
    wanted = VALUES[name]
    assert wanted["names"] == ["setosa/versicolor", "setosa/virginica", "versicolor/virginica"]
    np.testing.assert_allclose(model.decision_function(X), wanted["decisions"], atol=2e-6 if name == "rbf" else 3e-4)
    assert model.n_support_.tolist() == wanted["support"]


def test_share_of_errors_is_that_of_e1071():
    model = sf.NuSVC(nu=0.3, gamma=0.2, **FINE).fit(X[TWO], Y[TWO])
    wanted = VALUES["nu"]
    assert wanted["names"] == "versicolor/virginica"
    np.testing.assert_allclose(-model.decision_function(X[TWO]), wanted["decisions"], atol=2e-6)
    assert len(model.support_) == wanted["support"]


@pytest.mark.parametrize(
    ("name", "model"), [("svr", sf.SVR(C=2, epsilon=0.2)), ("nu_svr", sf.NuSVR(C=2, nu=0.4))], ids=["svr", "nu_svr"]
)
def test_numbers_are_those_of_e1071(name, model):
    fitted = model.set_params(gamma=0.2, **FINE).fit(X[:, 1:], X[:, 0])
    np.testing.assert_allclose(fitted.predict(X[:, 1:]), VALUES[name]["predicted"], atol=2e-6)
    assert len(fitted.support_) == VALUES[name]["support"]


def test_one_class_is_that_of_e1071():
    model = sf.OneClassSVM(nu=0.2, gamma=0.3, **FINE).fit(X)
    np.testing.assert_allclose(model.decision_function(X), VALUES["one_class"]["decisions"], atol=2e-6)


@pytest.mark.parametrize(
    ("name", "given"),
    [("kernlab_rbf", {"gamma": 0.3, "C": 5}), ("kernlab_laplace", {"kernel": "laplace", "C": 2})],
)
def test_decisions_are_those_of_kernlab(name, given):
    if name == "kernlab_laplace":  # with distances that are not squared, exp(−σ ‖x − y‖)
        given["kernel"] = lambda A, B: np.exp(-0.5 * np.linalg.norm(A[:, None] - B, axis=2))
    model = sf.SVC(**FINE, **given).fit(X[TWO], Y[TWO])
    np.testing.assert_allclose(np.abs(model.decision_function(X[TWO])), np.abs(VALUES[name]["decisions"]), atol=1e-4)


def test_kernels_are_taken_as_objects():
    by_object = sf.SVC(kernel=LaplacianKernel(gamma=0.5), **FINE).fit(X, Y)
    by_name = sf.SVC(kernel="laplacian", gamma=0.5, **FINE).fit(X, Y)
    np.testing.assert_array_equal(by_object.decision_function(X), by_name.decision_function(X))
