"""The kernel perceptron and kernel logistic regression: with the linear kernel the linear models."""

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, NotConverged

IRIS = sf.datasets.load("iris")
X, SPECIES = IRIS.matrix(), IRIS["species"]
TARGETS = {"two": SPECIES == "setosa", "three": SPECIES}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
def test_the_linear_kernel_is_the_perceptron(target, weighted):
    weight = (np.arange(150) % 3).astype(float) if weighted else None
    ours = sf.KernelPerceptron(kernel="linear").fit(X, TARGETS[target], weight)
    linear = sf.Perceptron().fit(X, TARGETS[target], weight)
    np.testing.assert_allclose(ours.decision_function(X), linear.decision_function(X), atol=1e-9)
    assert (ours.mistakes_, ours.n_iter_) == (linear.mistakes_, linear.n_iter_)


def test_rows_one_after_another_are_those_of_the_perceptron():
    ours, linear = sf.KernelPerceptron(kernel="linear"), sf.Perceptron()
    for rows in (slice(0, 150, 3), slice(1, 150, 3), slice(2, 150, 3)):
        for model in (ours, linear):
            model.partial_fit(X[rows], SPECIES[rows], classes=np.unique(SPECIES))
    np.testing.assert_allclose(ours.decision_function(X), linear.decision_function(X), atol=1e-10)
    assert len(ours.X_fit_) <= 150


@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
def test_a_budget_bounds_the_support_vectors():
    model = sf.KernelPerceptron(gamma=0.5, budget=20).fit(X, SPECIES)
    assert model.dual_coef_.shape == (20, 3)
    assert model.score(X, SPECIES) > 0.9
    for rows in (slice(0, 75), slice(75, 150)):
        model.partial_fit(X[rows], SPECIES[rows])
    assert len(model.X_fit_) <= 20


def test_the_perceptron_says_where_it_did_not_end():
    with pytest.warns(NotConverged, match="not every row was on its side"):
        sf.KernelPerceptron(kernel="linear", max_iter=3).fit(X, SPECIES == "versicolor")


@pytest.mark.parametrize("target", TARGETS)
def test_the_linear_kernel_is_logistic_regression(target):
    weight = (np.arange(150) % 3).astype(float)
    ours = sf.KernelLogisticRegression(C=2.0, kernel="linear").fit(X, TARGETS[target], weight)
    linear = sf.LogisticRegression(C=2.0).fit(X, TARGETS[target], weight)
    np.testing.assert_allclose(ours.predict_proba(X), linear.predict_proba(X), atol=1e-9)


def test_logistic_regression_is_best_among_its_neighbours():
    """The objective in the space of the kernel is least at the answer."""
    kernel, y = sf.kernels.GaussianKernel(gamma=0.5), (SPECIES == "virginica").astype(float)
    model = sf.KernelLogisticRegression(C=3.0, kernel=kernel).fit(X, y)
    K, rng = kernel(X), np.random.default_rng(0)

    def objective(c, b):
        f = K @ c + b
        return 3.0 * np.sum(np.logaddexp(0.0, np.where(y > 0, -f, f))) + 0.5 * c @ K @ c

    c, b = model.dual_coef_[:, 0], model.intercept_[0]
    for _ in range(20):
        step = 1e-2 * rng.normal(size=151)
        assert objective(c + step[:-1], b + step[-1]) > objective(c, b)


def test_what_is_refused():
    with pytest.raises(InvalidData, match="one class"):
        sf.KernelLogisticRegression().fit(X[:50], SPECIES[:50])
    with pytest.raises(InvalidParameter, match="classes must be passed"):
        sf.KernelPerceptron().partial_fit(X, SPECIES)
    with pytest.raises(InvalidParameter, match="precomputed"):
        sf.KernelPerceptron(kernel="precomputed").partial_fit(np.eye(3), [0, 1, 1], classes=[0, 1])
