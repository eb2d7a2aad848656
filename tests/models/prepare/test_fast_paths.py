"""Preparation by kernels, where ties, gaps and short lists matter, against scikit-learn and NumPy."""

import numpy as np
import pytest
import sklearn.impute
import sklearn.preprocessing as sk
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData

LAYOUTS = [np.ascontiguousarray, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]]


def _table(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) / 2.0
    X[:, 1] = rng.normal(size=n)
    X[:, 2] = 7.0  # constant
    return X


def _with_gaps(X, seed):
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("quantiles", [2, 7, 60])
@pytest.mark.parametrize("shape", ["uniform", "normal"])
def test_quantiles_with_ties(layout, quantiles, shape):
    X, asked = _with_gaps(_table(0), 1), np.concatenate([_table(2), np.full((1, 4), -99.0), np.full((1, 4), 99.0)])
    options = {"n_quantiles": quantiles, "output_distribution": shape}
    ours = sf.QuantileTransformer(**options).fit(layout(X))
    theirs = sk.QuantileTransformer(**options, subsample=None).fit(X)
    np.testing.assert_allclose(ours.transform(layout(asked)), theirs.transform(asked), rtol=1e-9, atol=1e-9)
    shares = ours.transform(asked)
    np.testing.assert_allclose(ours.inverse_transform(layout(shares)), theirs.inverse_transform(shares), rtol=1e-9)
    assert np.isnan(ours.transform(np.full((1, 4), np.nan))).all()


def test_one_quantile_parts_the_numbers():
    model = sf.QuantileTransformer(n_quantiles=1).fit([[1.0], [2.0]])
    assert model.transform([[0.0], [1.0], [1.5]]).ravel().tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("options", [{}, {"degree": 1}, {"degree": 5, "n_knots": 3}, {"include_bias": False},
                                     {"extrapolation": "linear"}, {"extrapolation": "continue"}])  # fmt: skip
def test_splines_with_as_many_knots_and_others(layout, options):
    X, asked = np.random.default_rng(0).normal(size=(40, 3)), np.random.default_rng(1).normal(size=(30, 3)) * 2
    found = sf.SplineTransformer(**options).fit(layout(X)).transform(layout(asked))
    wanted = sk.SplineTransformer(**options).fit(X).transform(asked)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_splines_of_columns_with_fewer_quantiles_are_those_of_each_alone():
    X = np.column_stack([np.repeat([0.0, 1.0], 20), np.arange(40.0)])
    model = sf.SplineTransformer(knots="quantile").fit(X)
    assert len({len(knots) for knots in model.knots_}) == 2
    alone = [sf.SplineTransformer(knots="quantile").fit(X[:, [j]]).transform(X[:, [j]]) for j in (0, 1)]
    np.testing.assert_array_equal(model.transform(X), np.hstack(alone))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("degree", [0, 1, (2, 3), (3, 3), 4])
@pytest.mark.parametrize("once", [True, False])
def test_monomials_of_any_degrees(layout, degree, once):
    X = np.random.default_rng(0).normal(size=(9, 4))
    options = {"degree": degree, "interaction_only": once}
    found = sf.PolynomialFeatures(**options).fit_transform(layout(X))
    np.testing.assert_allclose(found, sk.PolynomialFeatures(**options).fit_transform(X), rtol=1e-12)


def test_monomials_that_overflow_are_refused_and_missing_ones_are_not():
    assert np.isnan(sf.PolynomialFeatures().fit_transform([[np.nan, 2.0]])).sum() == 3
    with pytest.raises(InvalidData, match="overflow"):
        sf.PolynomialFeatures(3).fit_transform([[1e140, np.nan]])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
def test_flags_and_back(layout, drop):
    X = _with_gaps(_table(3)[:, [0, 2, 3]], 4)
    ours, theirs = sf.OneHotEncoder(drop=drop).fit(layout(X)), sk.OneHotEncoder(drop=drop, sparse_output=False).fit(X)
    flags = theirs.transform(X)
    np.testing.assert_array_equal(ours.transform(layout(X)), flags)
    np.testing.assert_array_equal(ours.inverse_transform(layout(flags)), X)
    lean = sf.OneHotEncoder(drop=drop, sparse_output=True).fit(X).transform(X)
    assert sparse.issparse(lean)
    np.testing.assert_array_equal(lean.toarray(), flags)


def test_flags_of_unknown_categories():
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, np.nan]])
    with pytest.raises(InvalidData, match="column 1 holds 6 that was not seen"):
        sf.OneHotEncoder().fit(X).transform([[0.0, 6.0]])
    with pytest.raises(InvalidData, match="holds a missing value"):
        sf.OneHotEncoder().fit(X).transform([[np.nan, 5.0]])
    asked = [[7.0, np.nan], [0.5, 6.0]]
    assert sf.OneHotEncoder(handle_unknown="ignore").fit(X).transform(asked).tolist() == [[0, 0, 0, 0, 1], [0] * 5]
    own = sf.OneHotEncoder(handle_unknown="own_column").fit(X).transform(asked)
    assert own.tolist() == [[0, 0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 0, 0, 1]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_medians_of_columns_with_gaps(layout, n):
    X = np.random.default_rng(n).normal(size=(n, 5))
    X[1:, 0], X[:1, 1], X[:, 2] = np.nan, np.nan, np.nan
    found = sf.SimpleImputer(strategy="median", keep_empty_features=True).fit(layout(X))
    wanted = sklearn.impute.SimpleImputer(strategy="median", keep_empty_features=True).fit(X)
    np.testing.assert_allclose(found.statistics_, wanted.statistics_)
    in_pieces = sf.SimpleImputer(strategy="median", keep_empty_features=True).fit(X, sample_weight=np.ones(n))
    np.testing.assert_allclose(found.statistics_, in_pieces.statistics_)


def test_middles_of_bins_of_any_number():
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = sf.KBinsDiscretizer(4, encode="ordinal").fit(X)
    found = model.inverse_transform([[-3.0, 1.0, np.nan], [99.0, 3.0, 1e300]])
    middles = [(edges[1:] + edges[:-1]) / 2 for edges in model.bin_edges_]
    wanted = [[middles[0][0], middles[1][1], np.nan], [middles[0][3], middles[1][3], middles[2][3]]]
    np.testing.assert_allclose(found, wanted)
