"""Kernel principal components: the linear kernel, weights, the way back, many rows, equal eigenvalues."""

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA as Theirs

import suffice as sf
from suffice.errors import InvalidParameter, MemoryNeeded, NotEstimated

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [3.0, 2.0, 1.0]


def test_the_linear_kernel_is_pca():
    weight = RNG.integers(0, 3, 60).astype(float)
    ours, pca = sf.KernelPCA(2).fit(X, sample_weight=weight), sf.PCA(2).fit(X, sample_weight=weight)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(pca.transform(X)), atol=1e-9)
    np.testing.assert_allclose(ours.eigenvalues_, pca.explained_variance_ * (weight.sum() - 1))


@pytest.mark.parametrize("n", [200, 800])  # by the whole decomposition, and by Lanczos' method
def test_components_of_scikit_learn(n):
    rows = RNG.normal(size=(n, 4))
    given = {"n_components": 3, "kernel": "rbf", "gamma": 0.1, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = sf.KernelPCA(**given).fit(rows), Theirs(**given).fit(rows)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), atol=1e-8)
    Z = ours.transform(rows[:5])
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-7)


def test_equal_eigenvalues_are_all_found():
    corners = np.repeat(np.eye(6), 200, axis=0)  # five directions alike
    model = sf.KernelPCA(5).fit(corners + 0.0)
    np.testing.assert_allclose(model.eigenvalues_, 200.0, rtol=1e-9)


def test_what_is_refused():
    with pytest.raises(MemoryNeeded, match="Nystroem"):
        sf.KernelPCA(memory=1000).fit(X)
    with pytest.raises(NotEstimated, match="fit_inverse_transform=True"):
        sf.KernelPCA(2).fit(X).inverse_transform(np.zeros((2, 2)))
    with pytest.raises(InvalidParameter, match="precomputed"):
        sf.KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(np.eye(4))


def test_columns_have_names():
    assert sf.KernelPCA(2).fit(X).get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1"]


def test_equal_rows_have_no_direction():
    model = sf.KernelPCA(2).fit(np.ones((10, 2)))
    np.testing.assert_array_equal(model.transform(np.ones((3, 2))), np.zeros((3, 2)))
