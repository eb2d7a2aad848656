"""Monomials of sparse rows equal those of dense rows; other feature maps say that they need dense ones."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import preprocessing

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, SparseNotSupported
from suffice.models.prepare import monomials

RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 7)) < 0.4, RNG.normal(size=(60, 7)), 0.0)
X[5] = 0


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5, (2, 3), (0, 2)])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_give_what_dense_rows_give(degree, interaction_only, include_bias, dtype):
    if degree == 0 and not include_bias:
        return
    rows = sparse.csr_array(X.astype(dtype))
    model = sf.PolynomialFeatures(degree, interaction_only=interaction_only, include_bias=include_bias)
    made, known = model.fit_transform(rows), model.fit_transform(X.astype(dtype))
    assert type(made) is sparse.csr_array
    assert made.dtype == dtype
    assert made.has_canonical_format
    assert np.count_nonzero(known) == made.count_nonzero() == made.nnz
    np.testing.assert_allclose(made.toarray(), known, rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_matrix])
@pytest.mark.parametrize("columns", ["all", [5, 0, 2], [3]])
def test_any_sparse_format_and_chosen_columns(kind, columns):
    model = sf.PolynomialFeatures(3, columns=columns).fit(kind(X))
    np.testing.assert_allclose(model.transform(kind(X)).toarray(), model.transform(X), rtol=1e-14)
    assert model.transform(X).shape[1] == model.n_output_features_ == len(model.get_feature_names_out())


def test_empty_columns_and_rows_without_cells():
    model = sf.PolynomialFeatures(2, interaction_only=True, columns=[1]).fit(sparse.csr_array((3, 2)))
    np.testing.assert_array_equal(model.transform(sparse.csr_array((3, 2))).toarray(), [[1, 0, 0]] * 3)
    assert sf.PolynomialFeatures(4).fit_transform(sparse.csr_array((2, 5))).nnz == 2


@pytest.mark.parametrize("interaction_only", [False, True])
def test_more_monomials_than_dense_rows_may_have(interaction_only):
    rows = sparse.random_array((50, 30_000), density=2e-4, rng=np.random.default_rng(1), format="csr")
    options = {"degree": 3, "interaction_only": interaction_only}
    ours, theirs = (module.PolynomialFeatures(**options).fit_transform(rows) for module in (sf, preprocessing))
    assert ours.shape == theirs.shape
    theirs.sort_indices()
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-14)
    with pytest.raises(InvalidParameter, match="monomials, and at most 1,000,000 are made"):
        sf.PolynomialFeatures(3).fit(np.zeros((2, 300)))


def test_a_linear_model_learns_from_sparse_interactions():
    y = X[:, 0] * X[:, 1] + 0.5 * X[:, 2]
    model = sf.make_pipeline(sf.PolynomialFeatures(2, interaction_only=True, include_bias=False), sf.Ridge(1e-8))
    np.testing.assert_allclose(model.fit(sparse.csr_array(X), y).predict(sparse.csr_array(X)), y, atol=1e-5)


def test_refusals(monkeypatch):
    bad = X.copy()
    bad[3, 2] = np.nan
    with pytest.raises(InvalidData, match="PolynomialFeatures: row 3, column 2 holds NaN; in a sparse matrix"):
        sf.PolynomialFeatures().fit_transform(sparse.csr_array(bad))
    with pytest.raises(InvalidData, match="PolynomialFeatures: products of columns overflow, whose cells reach 1e"):
        sf.PolynomialFeatures(4).fit_transform(sparse.csr_array([[1e100, 0.0]]))
    monkeypatch.setattr(monomials, "_MOST_CELLS", 200)
    with pytest.raises(MemoryNeeded, match=r"the products of degree 2 fill .* cells, and at most 2"):
        sf.PolynomialFeatures().fit_transform(sparse.csr_array(X))


@pytest.mark.parametrize(
    "model",
    [
        sf.FourierFeatures(2),
        sf.SigmoidFeatures(),
        sf.RBFFeatures(3),
        sf.SplineTransformer(),
        sf.OneHotEncoder(),
        sf.FunctionTransformer("arctan"),
        sf.PowerTransformer(),
        sf.QuantileTransformer(),
        sf.KBinsDiscretizer(),
        sf.OutlierClipper(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_maps_ask_for_dense_rows(model):
    name = type(model).__name__
    with pytest.raises(SparseNotSupported, match=f"{name}: X is a sparse matrix, and this model needs dense rows"):
        model.fit(sparse.csr_array(X))
    with pytest.raises(SparseNotSupported, match=f"{name}: X is a sparse matrix, and this model needs dense rows"):
        model.fit(np.round(RNG.normal(size=(60, 7)))).transform(sparse.csr_array(X))
