"""Explicit features of kernels: near the kernel, exact with all landmarks, and the same from any source."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded
from suffice.kernels import (
    CategoryKernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    MaternKernel,
    PolynomialKernel,
    RationalQuadraticKernel,
)

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(200, 3)), RNG.normal(size=(50, 3))
MAPS = [
    sf.RBFSampler(n_components=7, random_state=0),
    sf.Nystroem(n_components=7, random_state=0),
    sf.Nystroem(n_components=7, landmarks="k-means++", random_state=0),
    sf.Nystroem(n_components=7, landmarks="leverage", random_state=0),
    sf.PolynomialCountSketch(n_components=7, random_state=0),
]


@pytest.mark.parametrize(
    "kernel",
    [
        GaussianKernel(0.3),
        GaussianKernel(bandwidth=(1.0, 2.0, 3.0)),
        LaplacianKernel(0.3),
        MaternKernel(2.0, nu=0.5),
        MaternKernel((1.0, 2.0, 3.0), nu=1.5),
        MaternKernel(2.0, nu=np.inf),
        RationalQuadraticKernel(2.0, alpha=0.5),
        GaussianKernel(0.3) * MaternKernel(2.0, nu=1.5),
    ],
    ids=repr,
)
def test_random_fourier_features_are_near_the_kernel(kernel):
    phi = sf.RBFSampler(kernel=kernel, n_components=20_000, random_state=0).fit(X)
    error = phi.transform(X) @ phi.transform(Y).T - kernel(X, Y)
    assert np.abs(error).max() < 6 / np.sqrt(20_000)


def test_a_kernel_without_frequencies_is_refused():
    with pytest.raises(InvalidParameter, match="LinearKernel has no density of frequencies"):
        sf.RBFSampler(kernel="linear").fit(X)


def test_gamma_scale_counts_rows_by_weight():
    weight = RNG.integers(0, 3, 200)
    by_weight = sf.RBFSampler(gamma="scale", random_state=0).fit(X, sample_weight=weight)
    repeated = sf.RBFSampler(gamma="scale", random_state=0).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(by_weight.random_weights_, repeated.random_weights_)
    gamma = 1 / (3 * np.repeat(X, weight, axis=0).var())
    unit = sf.RBFSampler(gamma=1.0, random_state=0).fit(X)
    np.testing.assert_allclose(by_weight.random_weights_, np.sqrt(gamma) * unit.random_weights_)


@pytest.mark.parametrize("landmarks", ["uniform", "k-means++", "leverage"])
@pytest.mark.parametrize("kernel", [GaussianKernel(0.5), PolynomialKernel(2), MaternKernel(1.0)], ids=repr)
def test_nystroem_with_every_row_is_the_kernel(kernel, landmarks):
    phi = sf.Nystroem(kernel, n_components=200, landmarks=landmarks, random_state=0).fit(X)
    np.testing.assert_allclose(phi.transform(X) @ phi.transform(X).T, kernel(X), atol=1e-6)
    np.testing.assert_array_equal(phi.components_, X[phi.component_indices_])


def test_nystroem_is_the_projection_on_its_landmarks():
    phi, kernel = sf.Nystroem(GaussianKernel(0.5), n_components=20, random_state=0).fit(X), GaussianKernel(0.5)
    Z = phi.components_
    projected = kernel(Y, Z) @ np.linalg.solve(kernel(Z), kernel(Z, X))
    np.testing.assert_allclose(phi.transform(Y) @ phi.transform(X).T, projected, atol=1e-8)


def test_redundant_landmarks_are_left_out():
    assert sf.Nystroem("linear", n_components=50, random_state=0).fit_transform(X).shape == (200, 3)
    twice = np.repeat(X[:5], 10, axis=0)
    assert sf.Nystroem(n_components=50, random_state=0).fit_transform(twice).shape == (50, 5)


@pytest.mark.parametrize("landmarks", ["k-means++", "leverage"])
def test_chosen_landmarks_are_better_where_rows_are_uneven(landmarks):
    rows = np.vstack([0.01 * RNG.normal(size=(1000, 2)), 5 * RNG.normal(size=(50, 2))])
    kernel = GaussianKernel(0.5)

    def error(way, seed):
        phi = sf.Nystroem(kernel, n_components=40, landmarks=way, random_state=seed).fit_transform(rows)
        return np.abs(phi @ phi.T - kernel(rows)).mean()

    assert np.mean([error(landmarks, s) for s in range(3)]) < 0.8 * np.mean([error("uniform", s) for s in range(3)])


@pytest.mark.parametrize("model", MAPS, ids=str)
def test_maps_are_the_same_from_a_file_and_by_weight(model, tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    rows, new = pd.read_csv(tmp_path / "rows.csv"), pd.DataFrame(Y, columns=["a", "b", "c"])
    here, there = (clone(model).fit(table).transform(new) for table in (rows, sf.scan(tmp_path / "rows.csv")))
    np.testing.assert_allclose(here, there, atol=1e-9)
    weight, rows = RNG.integers(0, 3, 200), rows.to_numpy()
    weighted = clone(model).fit(rows, sample_weight=weight).transform(Y)
    repeated = clone(model).fit(np.repeat(rows, weight, axis=0)).transform(Y)
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)


@pytest.mark.parametrize("model", MAPS, ids=str)
def test_maps_go_into_files_and_keep_precision(model, tmp_path):
    model.fit(X)
    sf.save(model, tmp_path / "map.sff")
    np.testing.assert_array_equal(sf.load(tmp_path / "map.sff").transform(Y), model.transform(Y))
    single = model.transform(Y.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, model.transform(Y), atol=2e-3)


def test_nystroem_of_categories():
    frame = pd.DataFrame({"size": [1.0, 2.0, 9.0], "colour": ["red", "red", "blue"]})
    kernel = GaussianKernel(0.5).on(0) * CategoryKernel(0.1).on(1)
    phi = sf.Nystroem(kernel, n_components=3).fit_transform(frame)
    np.testing.assert_allclose(phi @ phi.T, kernel(frame), atol=1e-12)


def test_kernel_ridge_by_nystroem_with_every_row_is_ridge_in_the_space_of_the_kernel():
    y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=200)
    kernel = GaussianKernel(0.5)
    phi = sf.Nystroem(kernel, n_components=200, random_state=0).fit(X)
    ridge = sf.Ridge(0.1, fit_intercept=False).fit(phi.transform(X), y)
    by_gram = kernel(Y, X) @ np.linalg.solve(kernel(X) + 0.1 * np.eye(200), y)
    np.testing.assert_allclose(ridge.predict(phi.transform(Y)), by_gram, atol=1e-6)


def test_tensor_sketch_is_near_the_polynomial_and_exact_for_degree_one():
    exact = sf.PolynomialCountSketch(degree=1, coef0=2.0, n_components=10, random_state=0).fit(X)
    np.testing.assert_allclose(exact.transform(X) @ exact.transform(Y).T, X @ Y.T + 2, atol=1e-12)
    cubic = sf.PolynomialCountSketch(degree=3, gamma=0.3, coef0=1.0, n_components=5000, random_state=0).fit(X)
    wanted = (0.3 * X @ Y.T + 1) ** 3
    assert np.abs(cubic.transform(X) @ cubic.transform(Y).T - wanted).mean() < 0.1 * np.abs(wanted).mean()


@pytest.mark.parametrize("cls", [sf.RBFSampler, sf.PolynomialCountSketch])
def test_sparse_rows_have_the_features_of_dense_ones(cls):
    model = cls(n_components=9, random_state=0, columns=[0, 2]).fit(X)
    np.testing.assert_allclose(model.transform(sp.csr_array(Y)), model.transform(Y), atol=1e-12)
    sparse = cls(n_components=9, random_state=0, columns=[0, 2]).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.transform(Y), model.transform(Y), atol=1e-12)


def test_additive_chi2_features_are_near_the_kernel():
    rows = RNG.dirichlet(np.ones(6), 40)
    phi = sf.AdditiveChi2Sampler(sample_steps=30, sample_interval=0.1).fit_transform(rows)
    np.testing.assert_allclose(phi @ phi.T, sf.kernels.AdditiveChi2Kernel()(rows), atol=2e-3)
    assert sf.AdditiveChi2Sampler().fit_transform([[0.0, 1.0]])[0, [0, 2, 4]].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sf.Nystroem(GaussianKernel(), gamma=1.0).fit(X), "gamma are of kernels by name"),
        (lambda: sf.Nystroem("spectrum").fit(X), "SpectrumKernel reads texts"),
        (lambda: sf.Nystroem(lambda X, Y: X).fit(X), r"shape \(100, 100\)"),
        (lambda: sf.Nystroem(LinearKernel()).fit(np.zeros((5, 2))), "is 0 for all 1 landmarks"),
        (lambda: sf.AdditiveChi2Sampler().fit(X), "cells must be at least 0"),
        (lambda: sf.AdditiveChi2Sampler(sample_steps=5).fit(np.abs(X)), "sample_interval must be given"),
        (lambda: sf.SkewedChi2Sampler(skewedness=0.1).fit(X), "cells must be above -0.1"),
        (lambda: sf.PolynomialCountSketch(degree=3).fit(X).transform(1e200 * X), "overflow; scale the columns down"),
    ],
)
def test_what_cannot_be_mapped_is_refused(make, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        make()


def test_so_many_features_that_they_fill_the_memory_are_refused():
    many = np.zeros((20_000, 1))
    with pytest.raises(MemoryNeeded, match="lower n_components"):
        sf.RBFSampler(n_components=1_000_000).fit(many).transform(many)
