"""Kernel ridge regression: the linear kernel, leave-one-out, weights, many rows, refusals."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as Theirs

import suffice as sf
from suffice.errors import IllConditioned, InvalidData, InvalidParameter, MemoryNeeded
from suffice.kernels import GaussianKernel, LaplacianKernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] + 2.0]) + 0.1 * RNG.normal(size=(40, 2))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_linear_kernel_is_ridge(fit_intercept):
    weight = RNG.integers(0, 3, 40).astype(float)
    ours = sf.KernelRidge([0.3, 2.0], fit_intercept=fit_intercept).fit(X, Y, weight)
    ridge = sf.Ridge([0.3, 2.0], fit_intercept=fit_intercept).fit(X, Y, weight)
    np.testing.assert_allclose(ours.predict(X), ridge.predict(X), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kernel", ["gaussian", LaplacianKernel(0.5), GaussianKernel(0.2) + 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_left_out_have_the_errors_of_fits_without_them(kernel, fit_intercept):
    y = Y[:, 0]
    model = sf.KernelRidge("cv", kernel=kernel, fit_intercept=fit_intercept, n_alphas=7).fit(X, y)
    for alpha, error in zip(model.alphas_[2:5], model.loo_errors_[2:5], strict=True):
        squares = []
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            fit = sf.KernelRidge(alpha, kernel=kernel, fit_intercept=fit_intercept).fit(X[rest], y[rest])
            squares.append((y[i] - fit.predict(X[i : i + 1])[0]) ** 2)
        np.testing.assert_allclose(error, np.mean(squares), rtol=1e-8)
    assert model.alpha_ == model.alphas_[np.argmin(model.loo_errors_)]


def test_a_copy_is_left_out_of_a_row_with_a_weight():
    weight = RNG.integers(1, 4, 40)
    weighted = sf.KernelRidge("cv", kernel="gaussian").fit(X, Y, weight)
    repeated = sf.KernelRidge("cv", kernel="gaussian").fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    np.testing.assert_allclose(weighted.loo_errors_, repeated.loo_errors_, rtol=1e-7)


def test_many_rows_by_single_precision_have_the_digits_of_double():
    rows = RNG.normal(size=(1200, 4))
    y = np.sin(rows[:, 0]) + rows[:, 1]
    ours = sf.KernelRidge(0.01, kernel="rbf").fit(rows, y)
    theirs = Theirs(alpha=0.01, kernel="rbf").fit(rows, y)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-9)
    hard = sf.KernelRidge(1e-4, kernel="linear").fit(rows, y)  # too ill-conditioned for single precision
    linear = sf.Ridge(1e-4, fit_intercept=False).fit(rows, y)
    np.testing.assert_allclose(hard.predict(rows), linear.predict(rows), atol=1e-7)


def test_precomputed_matrices_and_functions():
    kernel = GaussianKernel(gamma=0.5)
    known = sf.KernelRidge(0.1, kernel=kernel).fit(X[:30], Y[:30]).predict(X[30:])
    given = sf.KernelRidge(0.1, kernel="precomputed").fit(kernel(X[:30]), Y[:30]).predict(kernel(X[30:], X[:30]))
    function = sf.KernelRidge(0.1, kernel=lambda A, B: kernel(A, B)).fit(X[:30], Y[:30]).predict(X[30:])
    np.testing.assert_allclose(given, known, rtol=1e-10)
    np.testing.assert_allclose(function, known, rtol=1e-10)


def test_a_singular_system_has_the_smallest_answer():
    with pytest.warns(IllConditioned, match="rank 3 of 40"):
        model = sf.KernelRidge(0.0).fit(X, X @ [1.0, -2.0, 0.5])
    np.testing.assert_allclose(model.predict(X), X @ [1.0, -2.0, 0.5], rtol=1e-8)


def test_what_is_refused():
    with pytest.raises(MemoryNeeded, match=r"12,800 bytes.*Nystroem"):
        sf.KernelRidge(memory=10_000).fit(X, Y)
    with pytest.raises(InvalidData, match="negative eigenvalue"):
        sf.KernelRidge(0.1, kernel="precomputed").fit(-np.eye(5), np.arange(5.0))
    with pytest.raises(InvalidData, match=r"square matrix; got shape \(40, 3\)"):
        sf.KernelRidge(kernel="precomputed").fit(X, Y)
    with pytest.raises(InvalidData, match="symmetric"):
        sf.KernelRidge(kernel="precomputed").fit(np.triu(np.ones((4, 4))), np.arange(4.0))
    with pytest.raises(InvalidParameter, match="gamma must be"):
        sf.KernelRidge(kernel="gaussian", gamma=np.inf).fit(X, Y)
    with pytest.raises(InvalidParameter, match="bandwidth must be a finite number above 0"):
        GaussianKernel(bandwidth=0.0)
    with pytest.raises(InvalidParameter, match=r"alpha.*one for each target"):
        sf.KernelRidge([1.0, 2.0, 3.0]).fit(X, Y)
    with pytest.raises(TypeError, match=r"kernel_params.*give the kernel itself"):
        sf.KernelRidge(kernel_params={"gamma": 2.0})


def test_later_changes_of_the_rows_change_nothing():
    rows = X.copy()
    model = sf.KernelRidge(kernel="gaussian").fit(rows, Y)
    known = model.predict(X)
    rows[:] = 7.0
    np.testing.assert_array_equal(model.predict(X), known)
