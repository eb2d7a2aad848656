"""Kernels of maps: scikit-learn's and SciPy's answers, ties, threads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import isotonic_regression

import suffice as sf
from suffice import backend
from suffice.backend import scaling

pytestmark = pytest.mark.native


@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize("m", [1, 2, 9, 17, 300])
def test_guttmans_transform(k, m):
    rng = np.random.default_rng(k)
    Z, delta = rng.normal(size=(m, k)), rng.random(m * (m - 1) // 2)
    found = scaling.guttman(Z, delta)
    d = pdist(Z) if m > 1 else np.zeros(0)
    B = -squareform(delta / d) if m > 1 else np.zeros((1, 1))
    B[np.diag_indices(m)] = -B.sum(axis=1)
    assert_allclose(found.product, B @ Z, atol=1e-9)
    assert_allclose([found.stress, found.squares], [np.sum((delta - d) ** 2), d @ d], atol=1e-12)


def test_the_same_bits_for_any_threads():
    rng = np.random.default_rng(0)
    Z, delta = rng.normal(size=(700, 2)), rng.random(700 * 699 // 2)
    target = rng.random((50, 700))
    found = []
    for n in (1, 2, 3):
        with sf.threads(n):
            one = scaling.guttman(Z, delta)
            place, stress = scaling.placed(Z, np.ones(700), target, np.zeros((50, 1, 2)))
            found.append(b"".join(a.tobytes() for a in (one.product, place, stress)) + repr(one[1:]).encode())
    assert len(set(found)) == 1


@pytest.mark.parametrize("name", ["native", "portable"])
def test_rising_functions_are_scikit_learns(name):
    rng = np.random.default_rng(1)
    values, weight, order = rng.normal(size=500), rng.random(500), rng.permutation(500)
    with backend.using(name):
        for w in (None, weight):
            found = scaling.isotonic(values, order, np.arange(1, 501), w)
            expected = isotonic_regression(values[order], sample_weight=None if w is None else w[order])
            assert_allclose(found[order], expected)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 4096, 4097, 9000])
def test_rising_functions_of_many_shapes(n):
    """Numbers that rise, fall, stay, come in steps and are noise, about where the kernel cuts them."""
    rng = np.random.default_rng(n)
    at = np.arange(n, dtype=float)
    for values in (at, -at, 0 * at, at // 7, np.sin(at / 50), rng.normal(size=n), at / n + rng.normal(size=n) / 9):
        for weight in (None, rng.random(n)):
            found = scaling.isotonic(values, np.arange(n), np.arange(1, n + 1), weight)
            assert_allclose(found, isotonic_regression(values, sample_weight=weight), atol=1e-12 * max(n, 10))
            assert np.all(np.diff(found) >= 0)


def test_numbers_that_are_none_harm_nothing():
    for values in (np.full(200, np.nan), np.where(np.arange(200) % 3 == 0, np.nan, 1.0), np.full(200, np.inf)):
        for keep in (False, True):
            assert scaling.isotonic(values, np.arange(200), np.array([90, 200]), None, keep).shape == (200,)


@pytest.mark.parametrize("name", ["native", "portable"])
def test_ties_are_broken_or_kept(name):
    values, order, ends = np.array([3.0, 1.0, 2.0, 0.0]), np.arange(4), np.array([2, 4])
    with backend.using(name):
        assert_allclose(scaling.isotonic(values, order, ends), _broken())
        assert_array_equal(scaling.isotonic(values, order, ends, None, True), [1.5] * 4)
        assert_array_equal(scaling.isotonic(np.array([0.0, 2.0, 3.0, 4.0]), order, ends, None, True), [1, 1, 3.5, 3.5])


def _broken():
    """Within each tie in their own order: 1, 3, 0, 2 becomes 1, 5/3, 5/3, 2."""
    pooled = isotonic_regression(np.array([1.0, 3.0, 0.0, 2.0]))
    return pooled[[1, 0, 3, 2]]


@pytest.mark.parametrize("name", ["native", "portable"])
def test_a_place_of_no_stress_is_found(name):
    rng = np.random.default_rng(2)
    Z, truth = rng.normal(size=(40, 3)), rng.normal(size=(10, 3))
    target = np.linalg.norm(truth[:, None] - Z, axis=2)
    with backend.using(name):
        place, stress = scaling.placed(Z, np.ones(40), target, Z[np.argmin(target, axis=1)][:, None])
    assert_allclose(place, truth, atol=1e-7)
    assert_allclose(stress, 0, atol=1e-12)
