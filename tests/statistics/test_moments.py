"""Moments: known values, precision, removal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

import suffice as sf
from suffice import backend
from suffice.statistics import Counts, DiagonalMoments, Moments, PerClass, RootMoments

pytestmark = pytest.mark.native

tables = arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.floats(-1e6, 1e6))


def test_weighted_covariance_against_r(r_values):
    r = r_values["weighted_cov_iris"]
    X, w = sf.datasets.load("iris").matrix(), np.array(r["weights"], float)
    for moments in (Moments.of(X, w), Moments.of(X[:70], w[:70]) + Moments.of(X[70:], w[70:])):
        assert_allclose(moments.mean, r["center"], rtol=1e-13)
        assert_allclose(moments.covariance(), r["cov"], rtol=1e-12)


@settings(deadline=None)
@given(tables, st.data())
def test_any_cut_gives_the_whole(X, data):
    cut = data.draw(st.integers(0, len(X)))
    scale = np.abs(X).max() ** 2 * len(X) + 1e-300
    for kind in (Moments, RootMoments, DiagonalMoments):
        whole, parts = kind.of(X).comparable(), (kind.of(X[:cut]) + kind.of(X[cut:])).comparable()
        assert_allclose(parts["scatter"], whole["scatter"], rtol=1e-9, atol=1e-12 * scale)
        assert_allclose(parts["mean"], whole["mean"], rtol=1e-9, atol=1e-12 * np.sqrt(scale))


@settings(deadline=None)
@given(tables, st.data())
def test_removal_undoes_addition(X, data):
    cut = data.draw(st.integers(0, len(X) - 1))
    scale = np.abs(X).max() ** 2 * len(X) + 1e-300
    for kind in (Moments, DiagonalMoments):
        left = kind.of(X) - kind.of(X[:cut])
        assert_allclose(left.scatter, kind.of(X[cut:]).scatter, atol=1e-9 * scale)
        assert_allclose(left.mean, kind.of(X[cut:]).mean, atol=1e-7 * np.sqrt(scale))


@pytest.mark.parametrize("kind", [Moments, RootMoments, DiagonalMoments])
def test_a_large_mean_keeps_six_digits_of_the_variance(kind, rng):
    noise = rng.normal(size=(20_000, 2))
    X = noise + 1e9
    exact = ((X - 1e9) - (X - 1e9).mean(axis=0)).T @ ((X - 1e9) - (X - 1e9).mean(axis=0))
    parts = kind.of(X[:11]) + kind.of(X[11:15_000]) + kind.of(X[15_000:])
    for moments in (kind.of(X), parts):
        scatter = moments.comparable()["scatter"]
        found = scatter if scatter.ndim == 1 else np.diag(scatter)
        assert_allclose(found, np.diag(exact), rtol=1e-6)


def test_trending_data_keep_their_digits(rng):
    X = np.linspace(0, 1e6, 100_000)[:, None] + rng.normal(size=(100_000, 1))
    assert_allclose(Moments.of(X).scatter, np.cov(X, rowvar=False, ddof=0) * len(X), rtol=1e-12)


def test_root_form_of_moments(rng):
    X = rng.normal(size=(30, 3))
    root = Moments.of(X).rooted()
    assert_allclose(root.root.T @ root.root, Moments.of(X).scatter, rtol=1e-10, atol=1e-12)


def test_per_class_full_and_diagonal_agree(rng):
    X, y, w = rng.normal(size=(60, 3)), rng.integers(0, 4, 60), rng.integers(0, 3, 60).astype(float)
    full, diagonal = PerClass.full(X, y, w), PerClass.of(X, y, w)
    assert full.classes.tolist() == diagonal.classes.tolist()
    for a, b in zip(full.parts, diagonal.parts, strict=True):
        assert_allclose(np.diag(a.scatter), b.scatter, rtol=1e-12)


@given(st.lists(st.sampled_from("abc"), max_size=20), st.integers(0, 20))
def test_counts_merge(values, cut):
    column = np.array(values, dtype="U1")
    total = Counts.of(column[:cut]) + Counts.of(column[cut:])
    assert dict(zip(total.values.tolist(), total.counts, strict=True)) == {v: values.count(v) for v in set(values)}
    assert total.total == len(values)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64, bool, float, "U3", object])
def test_labels_of_any_type(dtype):
    from suffice.data.labels import encode

    y = np.array([1, 0, 1, 1, 0]).astype(dtype)
    classes, codes = encode(y)
    assert (classes[codes] == y).all()
    assert classes.dtype == y.dtype


def test_labels_far_apart():
    from suffice.data.labels import encode

    classes, codes = encode(np.array([-(2**62), 2**62, 5]))
    assert classes[codes].tolist() == [-(2**62), 2**62, 5]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_products_of_many_columns_are_those_of_the_definition(dtype):
    rng = np.random.default_rng(0)
    X, Y = (1e3 + rng.normal(size=(60, 705))).astype(dtype), rng.normal(size=(60, 2))
    X[:, 3] = 1e7  # constant
    weight, rows = rng.integers(0, 3, 60).astype(float), rng.permutation(60)[:40]
    for arguments in ((X,), (X, Y, weight), (X, Y, None, rows), (X, None, weight, rows), (X, None, np.zeros(60))):
        found = backend.moments(*arguments)
        with backend.using("portable"):
            expected = backend.moments(*arguments)
        for ours, theirs in zip(found, expected, strict=True):
            assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_a_root_of_few_rows_is_the_rows():
    X = np.array([[1.0, 2.0, 4.0], [3.0, 6.0, 0.0]])
    few = RootMoments.of(X)
    assert_allclose(few.root, X - X.mean(axis=0))
    many = few + RootMoments.of(X + 1.0)
    assert many.root.shape == (3, 3)
    assert_allclose(many.comparable()["scatter"], Moments.of(np.vstack([X, X + 1.0])).scatter, atol=1e-12)
    columns = many.by_column()
    assert_allclose(columns.scatter, np.diagonal(Moments.of(np.vstack([X, X + 1.0])).scatter))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 7, 2048, 30_001])
def test_moments_of_one_column(n, dtype):
    rng = np.random.default_rng(n)
    X = (1e6 + np.sort(rng.normal(size=(n, 1)), axis=0) + np.arange(n)[:, None] % 3).astype(dtype)
    weight = rng.integers(0, 3, n).astype(float)
    weight[0] = 1
    exact = X.astype(np.longdouble)
    for own in (None, weight):
        w = np.ones(n) if own is None else own
        mean = (w @ exact) / w.sum()
        found = Moments.of(X, own)
        assert_allclose(found.mean, np.asarray(mean, dtype=float), rtol=1e-15)
        assert_allclose(found.scatter, [[float(w @ (exact - mean)[:, 0] ** 2)]], rtol=1e-9, atol=1e-9)
        assert_allclose(Moments.of(X[::-1], None if own is None else own[::-1]).mean, found.mean, rtol=1e-15)


def test_a_constant_column_has_no_scatter_and_a_bad_cell_shows():
    X = np.full((5000, 1), 0.1)
    assert Moments.of(X).mean[0] == 0.1
    assert Moments.of(X).scatter[0, 0] < 1e-28
    X[4000] = np.nan
    assert np.isnan(Moments.of(X).mean[0])
    assert np.isnan(Moments.of(X, np.where(np.isnan(X[:, 0]), 0.0, 1.0)).mean[0])
    assert Moments.of(X[:10], np.zeros(10)).weight == 0
