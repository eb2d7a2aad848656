"""Standardising against scikit-learn."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.preprocessing as sk
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidData


@pytest.mark.parametrize("with_mean", [True, False])
@pytest.mark.parametrize("with_std", [True, False])
def test_scikit_learn(rng, with_mean, with_std):
    X, w = rng.normal(5, 3, (80, 4)), rng.random(80)
    X[rng.random(X.shape) < 0.2] = np.nan
    ours = sf.StandardScaler(with_mean=with_mean, with_std=with_std).fit(X, sample_weight=w)
    theirs = sk.StandardScaler(with_mean=with_mean, with_std=with_std).fit(X, sample_weight=w)
    Z = ours.transform(X)
    assert_allclose(Z, theirs.transform(X), rtol=1e-10, atol=1e-12)
    assert_allclose(ours.inverse_transform(Z), X, rtol=1e-10)


def test_sparse_rows_keep_their_zeros(rng):
    X = scipy.sparse.random_array((200, 6), density=0.2, rng=rng, format="csc")
    w = rng.integers(0, 3, 200).astype(float)
    sparse = sf.StandardScaler(with_mean=False).fit(X, sample_weight=w)
    dense = sf.StandardScaler(with_mean=False).fit(X.toarray(), sample_weight=w)
    assert_allclose(sparse.mean_, dense.mean_, rtol=1e-12)
    assert_allclose(sparse.scale_, dense.scale_, rtol=1e-12)
    Z = sparse.transform(X)
    assert scipy.sparse.issparse(Z)
    assert_allclose(Z.toarray(), dense.transform(X.toarray()), rtol=1e-12)
    assert_allclose(sparse.inverse_transform(Z).toarray(), X.toarray(), rtol=1e-12)


def test_sparse_rows_cannot_be_centred():
    with pytest.raises(InvalidData, match="StandardScaler: X is a sparse matrix"):
        sf.StandardScaler().fit(scipy.sparse.eye_array(3, format="csr"))


def test_a_constant_column_is_only_shifted():
    X = np.column_stack([np.full(1000, 0.1), np.full(1000, 1e9 + 0.1), np.arange(1000.0)])
    scaler = sf.StandardScaler().fit(X)
    assert scaler.scale_[:2].tolist() == [1.0, 1.0]
    assert_allclose(scaler.transform(X)[:, :2], 0, atol=1e-6)


def test_a_column_without_values_is_named():
    import pandas as pd

    frame = pd.DataFrame({"height": [1.0, 2.0], "age": [np.nan, np.nan]})
    with pytest.raises(InvalidData, match="column age has only missing values"):
        sf.StandardScaler().fit(frame)
