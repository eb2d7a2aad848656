"""The truncated SVD: against NumPy's, in passes over pieces, with weights, wide, sparse and of any rank."""

from unittest.mock import patch

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

RNG = np.random.default_rng(5)
DIGITS = load_digits().data
WIDE = RNG.normal(size=(40, 600)) * np.geomspace(10, 0.01, 40)[:, None]
BLOCK = RNG.normal(size=(700, 30)) * np.geomspace(10, 0.1, 30) @ RNG.normal(size=(30, 900))
SPARSE = sparse.csr_array(sparse.random_array((700, 520), density=0.02, rng=RNG) * np.geomspace(30, 0.01, 520))


def numpys(X, k):
    with threadpool_limits(1, user_api="blas"):  # a second thread mostly waits for a core beside other tests
        _, values, axes = np.linalg.svd(np.asarray(X), full_matrices=False)
    return values[:k], axes[:k]


@pytest.mark.parametrize("X", [DIGITS, WIDE, DIGITS.T.copy(), SPARSE], ids=["digits", "wide", "turned", "sparse"])
@pytest.mark.parametrize("algorithm", ["exact", "randomized"])
def test_is_numpys(X, algorithm):
    svd = sf.TruncatedSVD(5, algorithm=algorithm, n_iter=40, random_state=0).fit(X)
    cells = X.toarray() if sparse.issparse(X) else X
    values, axes = numpys(cells, 5)
    np.testing.assert_allclose(svd.singular_values_, values, rtol=1e-8)
    np.testing.assert_allclose(np.abs(np.sum(svd.components_ * axes, axis=1)), 1, rtol=1e-4)
    along = svd.transform(X)
    np.testing.assert_allclose(svd.explained_variance_, along.var(axis=0), rtol=1e-8)
    np.testing.assert_allclose(svd.explained_variance_ratio_, along.var(axis=0) / cells.var(axis=0).sum(), rtol=1e-8)
    largest = np.abs(svd.components_).argmax(axis=1)
    assert (svd.components_[np.arange(5), largest] > 0).all()


def randomized(X, weight=None, **options):
    model = sf.TruncatedSVD(4, n_iter=2, n_oversamples=2, random_state=0, **options)
    with patch("suffice.models.factorise.leading_axes._is_small", lambda *_: False):
        return model.fit(X, sample_weight=weight)


def test_powers_fall_and_weights_are_repetition():
    weight = RNG.integers(0, 3, len(BLOCK))
    one, other = randomized(BLOCK, weight), randomized(np.repeat(BLOCK, weight, axis=0))
    assert len(one.history_) == 3
    assert (np.diff(one.history_.objective) <= 0).all()
    np.testing.assert_allclose(one.components_, other.components_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(one.explained_variance_ratio_, other.explained_variance_ratio_, rtol=1e-8)
    left = np.sum(BLOCK**2 * weight[:, None]) - np.sum(one.singular_values_**2)
    assert left <= one.history_.objective[-1] * (1 + 1e-9)


def test_pieces_are_the_whole(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"c{j}" for j in range(BLOCK.shape[1])]
    table = pa.table(dict(zip(names, BLOCK.T, strict=True)))
    pq.write_table(table, tmp_path / "block.parquet", row_group_size=200)
    whole, pieces = randomized(BLOCK), randomized(sf.scan(tmp_path / "block.parquet"))
    np.testing.assert_allclose(whole.components_, pieces.components_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(whole.singular_values_, pieces.singular_values_, rtol=1e-12)


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads():
    found = []
    for threads in (1, 2):
        with sf.threads(threads):
            found.append(sf.TruncatedSVD(6, random_state=3).fit(SPARSE).components_)
    np.testing.assert_array_equal(*found)


def test_single_precision_and_sparse_weights():
    weight = RNG.integers(0, 3, SPARSE.shape[0]).astype(float)
    single = sf.TruncatedSVD(3, random_state=0).fit(BLOCK.astype(np.float32))
    assert single.transform(BLOCK[:3].astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.singular_values_, numpys(BLOCK, 3)[0], rtol=1e-5)
    rows, dense = randomized(SPARSE, weight), randomized(SPARSE.toarray(), weight)
    np.testing.assert_allclose(rows.components_, dense.components_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(rows.history_.objective, dense.history_.objective, rtol=1e-9)


@pytest.mark.parametrize("X", [np.zeros((5, 3)), np.ones((1, 3)), np.ones((6, 3)), sparse.csr_array((4, 3))])
def test_rank_beyond_what_there_is(X):
    svd = sf.TruncatedSVD(3).fit(X)
    np.testing.assert_allclose(svd.components_ @ svd.components_.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(svd.singular_values_[1:], 0, atol=1e-7)
    np.testing.assert_allclose(svd.inverse_transform(svd.transform(X)), X.toarray() if sparse.issparse(X) else X)


def test_refusals():
    with pytest.raises(InvalidParameter, match=r"TruncatedSVD: n_components\(4\) must be <= n_features\(3\)"):
        sf.TruncatedSVD(4).fit(np.ones((9, 3)))
    with pytest.raises(InvalidData, match=r"TruncatedSVD: .*column 1, row 0"):
        sf.TruncatedSVD(2).fit([[1.0, np.nan, 2.0], [1.0, 2.0, 3.0]])
