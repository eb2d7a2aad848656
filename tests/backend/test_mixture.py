"""The kernels of Gaussian mixtures: native equals portable, for every shape, layout, way to share out, and size."""

import importlib
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from suffice.backend._cpu import level

from suffice import backend
from suffice.backend import native, threads
from suffice.backend.mixture import Rule, Singular, component_sums, gaussian_log_probs, gaussian_sums
from suffice.errors import InvalidData, InvalidParameter

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]
SHAPES = ["full", "tied", "diagonal"]
RULES = ["soft", "hard", "labels", "uniforms"]
LAYOUTS = {
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
}


@pytest.fixture(params=LEVELS)
def kernels(request, monkeypatch):
    module = importlib.import_module(f"suffice.backend._native_{request.param}")
    monkeypatch.setattr(native, "_kernels", module)


def problem(n, d, k, shape, *, rule="soft", missing=0.0, weighted=False, empty=0, dtype=np.float64, seed=0):
    """The arguments of `gaussian_sums` with k components, `empty` of them without weight and without a root."""
    rng = np.random.default_rng([seed, n, d, k])
    means = 2 * rng.normal(size=(k, d))
    X = (means[rng.integers(0, k, n)] + rng.normal(size=(n, d))).astype(dtype)
    X[rng.random((n, d)) < missing] = np.nan
    roots = np.tril(rng.normal(size=(k, d, d))) / np.sqrt(d) + np.eye(d)
    full = roots @ np.swapaxes(roots, 1, 2)
    weights = rng.dirichlet(np.full(k, 3.0))
    weights[1 : 1 + empty] = 0
    full[1 : 1 + empty] = 0
    covariance = {"full": full, "tied": full[0], "diagonal": full[:, range(d), range(d)].copy()}[shape]
    with np.errstate(divide="ignore"):
        log_weight = np.log(weights / weights.sum())
    labels = rng.choice([-1, *np.flatnonzero(weights)], n).astype(np.int32)
    rules = {
        "soft": Rule(),
        "hard": Rule(hard=True),
        "labels": Rule(labels=labels),
        "uniforms": Rule(uniforms=rng.random(n)),
    }
    weight = rng.uniform(0, 3, n) * (rng.random(n) < 0.9) if weighted else None
    return X, weight, means, covariance, log_weight, shape, rules[rule]


def assert_equal_to_portable(arguments, rtol=1e-10):
    X, _, means, covariance, log_weight, shape, _ = arguments
    found = gaussian_sums(*arguments), gaussian_log_probs(X, means, covariance, log_weight, shape)
    with backend.using("portable"):
        expected = gaussian_sums(*arguments), gaussian_log_probs(X, means, covariance, log_weight, shape)
    size = 1 + np.nanmax(np.abs(X), initial=0) ** 2
    assert_allclose(found[1], expected[1], rtol=rtol, atol=rtol * size)
    for name in ("weight", "first", "second", "log_likelihood"):
        mine, theirs = getattr(found[0], name), getattr(expected[0], name)
        assert_allclose(mine, theirs, rtol=rtol, atol=rtol * size * len(X), err_msg=name)
    if shape == "diagonal":
        assert_allclose(found[0].missing, expected[0].missing, rtol=rtol, atol=rtol * len(X))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("shape", SHAPES)
def test_native_equals_portable(kernels, shape, missing, rule):
    for weighted, empty in ((False, 0), (True, 2)):
        assert_equal_to_portable(problem(150, 7, 5, shape, rule=rule, missing=missing, weighted=weighted, empty=empty))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 9, 16, 31, 32, 33, 40, 48, 49, 129, 150])
def test_any_number_of_columns(kernels, d, shape):
    assert_equal_to_portable(problem(70, d, 3, shape))
    assert_equal_to_portable(problem(20, d, 2, shape, missing=0.3, weighted=True))


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("shape", SHAPES)
def test_many_columns_and_rows_with_gaps(kernels, shape, missing):
    """More columns than sums of lanes are kept for, in several blocks and stripes."""
    n = 60 if missing else 700
    assert_equal_to_portable(problem(n, 70, 3, shape, missing=missing, weighted=True, empty=1), 1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("shape", "d"), [("full", 90), ("full", 131), ("tied", 131)])
def test_rows_with_many_gaps(kernels, shape, d, rule):
    """Rows with few gaps, which are completed several at a time, beside rows with many, one at a time."""
    arguments = problem(60, d, 3, shape, rule=rule, missing=0.1, weighted=True, empty=1)
    X, rng = arguments[0], np.random.default_rng(d)
    X[::3][rng.random((20, d)) < 0.6] = np.nan
    X[5] = np.nan
    assert_equal_to_portable(arguments)


def test_a_thousand_columns_and_more_with_gaps():
    arguments = problem(12, 1030, 2, "full", missing=0.02)
    arguments[0][3, 100:400] = np.nan
    assert component_sums.entries[0].takes(arguments[0])
    assert_equal_to_portable(arguments)
    assert_same_with_any_number_of_threads(arguments)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("d", [64, 65, 72, 511, 512, 520, 1100])
def test_many_independent_columns(kernels, d, rule):
    """In tiles of columns, whole and in part, with and without gaps, of one variance and of many."""
    for missing in (0.0, 0.1, 2 / (150 * d)):
        arguments = problem(150, d, 4, "diagonal", rule=rule, missing=missing, weighted=True, empty=1)
        assert_equal_to_portable(arguments)
        arguments[3][:] = 1.5
        assert_equal_to_portable(arguments)
    assert_equal_to_portable(problem(130, d, 2, "diagonal", rule=rule, missing=0.1, dtype=np.float32), 1e-9)


@pytest.mark.parametrize("alike", [False, True])
def test_gaps_of_a_row_change_no_bit_of_another(kernels, alike):
    X, _, means, variance, log_weight, shape, _ = problem(128, 600, 3, "diagonal")
    if alike:
        variance[:] = 1.5
    whole = gaussian_log_probs(X, means, variance, log_weight, shape)
    X[5, 7], X[70, 550] = np.nan, np.inf
    found = gaussian_log_probs(X, means, variance, log_weight, shape)
    others = np.delete(np.arange(128), [5, 70])
    assert_array_equal(found[others], whole[others])
    assert np.all(found[70] == -np.inf)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_row_with_an_infinite_cell_has_no_density(shape):
    X, _, means, covariance, log_weight, shape, _ = problem(140, 5, 3, shape, missing=0.1)
    X[::9, 2] = np.inf
    X[5::9, 0] = -np.inf
    infinite = np.isinf(X).any(axis=1)
    found = gaussian_log_probs(X, means, covariance, log_weight, shape)
    assert np.all(found[infinite] == -np.inf)
    assert_array_equal(found[~infinite], gaussian_log_probs(X[~infinite], means, covariance, log_weight, shape))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300])
def test_any_number_of_rows(kernels, n, shape):
    assert_equal_to_portable(problem(n, 3, 2, shape))
    assert_equal_to_portable(problem(n, 9, 12, shape, missing=0.2, weighted=True, rule="labels"))


@given(
    st.integers(1, 300), st.integers(1, 40), st.integers(1, 12), st.sampled_from(SHAPES), st.sampled_from(RULES),
    st.sampled_from([0.0, 0.05, 0.5, 0.9]), st.booleans(), st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_native_equals_portable_anywhere(n, d, k, shape, rule, missing, weighted, dtype, seed):
    n = min(n, 3000 // (d * k) + 2) if missing else n  # the portable form goes through incomplete rows one by one
    arguments = problem(
        n, d, k, shape, rule=rule, missing=missing, weighted=weighted, empty=k // 3, dtype=dtype, seed=seed
    )
    assert_equal_to_portable(arguments, 1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(("shape", "d"), [*((shape, 6) for shape in SHAPES), ("diagonal", 600)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_order_in_memory(kernels, layout, dtype, shape, missing, d):
    X, *others = problem(300, d, 4, shape, missing=missing, dtype=dtype)
    plain, moved = gaussian_sums(X, *others), gaussian_sums(LAYOUTS[layout](X), *others)
    for name in vars(plain):
        assert_array_equal(getattr(moved, name), getattr(plain, name))
    _, means, covariance, log_weight, _, _ = others
    arguments = (means, covariance, log_weight, shape)
    assert_array_equal(gaussian_log_probs(LAYOUTS[layout](X), *arguments), gaussian_log_probs(X, *arguments))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("shape", SHAPES)
def test_threads_change_no_bit(kernels, shape, missing, rule):
    assert_same_with_any_number_of_threads(problem(40_000, 5, 3, shape, missing=missing, rule=rule, weighted=True))
    if shape == "diagonal":
        assert_same_with_any_number_of_threads(problem(2000, 70, 3, shape, missing=missing, rule=rule, weighted=True))


def assert_same_with_any_number_of_threads(arguments):
    X, _, means, covariance, log_weight, shape, _ = arguments
    found = []
    for n in (1, 2, 3, 7):
        with threads(n):
            found.append((gaussian_sums(*arguments), gaussian_log_probs(X, means, covariance, log_weight, shape)))
    for sums, probs in found[1:]:
        assert_array_equal(probs, found[0][1])
        for name in vars(sums):
            assert_array_equal(getattr(sums, name), getattr(found[0][0], name))


@pytest.mark.parametrize("missing", [False, True])
def test_densities_are_those_of_scipy(kernels, missing):
    X, _, means, covariance, log_weight, shape, _ = problem(40, 4, 3, "full", missing=0.3 if missing else 0)
    expected = np.empty((40, 3))
    for i, row in enumerate(X):
        o = np.flatnonzero(~np.isnan(row))
        for c in range(3):
            density = multivariate_normal(means[c, o], covariance[c][np.ix_(o, o)]).logpdf(row[o]) if len(o) else 0.0
            expected[i, c] = log_weight[c] + density
    assert_allclose(gaussian_log_probs(X, means, covariance, log_weight, shape), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.1, 3.0, 5.0, 9.05, 9.06, 20.0, 60.0, 1e3, 1e8])
def test_shares_have_all_digits(kernels, distance):
    """exp and log inside the kernel: two components, one of them at any distance from the rows."""
    X = np.linspace(-1, 1, 101)[:, None]
    means, variance, log_weight = np.array([[0.0], [distance]]), np.ones((2, 1)), np.log([0.3, 0.7])
    joint = gaussian_log_probs(X, means, variance, log_weight, "diagonal")
    found = gaussian_sums(X, None, means, variance, log_weight, "diagonal", Rule())
    assert_allclose(found.log_likelihood, logsumexp(joint, axis=1).sum(), rtol=1e-14)
    share = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    assert_allclose(found.weight, share.sum(axis=0), rtol=1e-14, atol=101 * np.exp(-41))
    assert_allclose(found.weight.sum(), 101, rtol=1e-15)


def test_far_from_the_origin_digits_are_lost_only_in_the_data(kernels):
    X, weight, means, covariance, log_weight, shape, rule = problem(500, 5, 3, "full")
    near = gaussian_sums(X, weight, means, covariance, log_weight, shape, rule)
    far = gaussian_sums(X + 1e7, weight, means + 1e7, covariance, log_weight, shape, rule)
    for name in ("weight", "first", "second"):
        assert_allclose(getattr(far, name), getattr(near, name), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("route", ["native", "portable"])
def test_a_covariance_without_a_root_is_named(shape, route):
    X, weight, means, covariance, log_weight, shape, rule = problem(30, 3, 3, shape)
    covariance[(2,) if shape != "tied" else ...] = 0
    with backend.using(route):
        with pytest.raises(Singular) as found:
            gaussian_sums(X, weight, means, covariance, log_weight, shape, rule)
        with pytest.raises(Singular):
            gaussian_log_probs(X, means, covariance, log_weight, shape)
    assert pickle.loads(pickle.dumps(found.value)).component == found.value.component == (0 if shape == "tied" else 2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_rows_that_all_are_missing_go_by_the_weights(kernels, shape, missing):
    X, _, means, covariance, log_weight, shape, rule = problem(20, 4, 3, shape, missing=missing)
    X[:] = np.nan
    found = gaussian_sums(X, None, means, covariance, log_weight, shape, rule)
    assert_allclose(found.weight, 20 * np.exp(log_weight), rtol=1e-12)
    assert_allclose(found.log_likelihood, 0, atol=1e-11)


def test_what_the_kernels_could_not_read_is_refused():
    X, weight, means, covariance, log_weight, shape, rule = problem(30, 3, 2, "full")
    for wrong in (X[:, :2], np.hstack([X, X]), X[0]):
        with pytest.raises(InvalidData, match="must have 3 columns; got an array of shape"):
            gaussian_sums(wrong, weight, means, covariance, log_weight, shape, rule)
        with pytest.raises(InvalidData, match="must have 3 columns"):
            gaussian_log_probs(wrong, means, covariance, log_weight, shape)
    with pytest.raises(InvalidParameter, match="all are zero"):
        gaussian_sums(X, weight, means, covariance, np.full(2, -np.inf), shape, rule)


def test_a_label_of_a_component_without_weight_cannot_be(kernels):
    X, _, means, covariance, log_weight, shape, _ = problem(30, 3, 3, "full", empty=1)
    found = gaussian_sums(X, None, means, covariance, log_weight, shape, Rule(labels=np.ones(30, np.int32)))
    assert found.log_likelihood == -np.inf


def test_large_numbers_are_no_gaps():
    """A sum that overflows is no missing cell, and no warning."""
    X = np.array([[1e308, 1.0], [1e308, 2.0], [-1e308, 3.0], [-1e308, 4.0]])
    found = gaussian_log_probs(X, np.zeros((1, 2)), np.full((1, 2), 1e300), np.zeros(1), "diagonal")
    assert np.all(found < -1e3)
