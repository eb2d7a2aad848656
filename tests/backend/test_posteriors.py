"""Probabilities from log densities: what no density can be taken from, far rows, and any number of classes and rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp, softmax

from suffice import backend
from suffice.backend import threads
from suffice.backend.posteriors import likeliest, log_posterior, log_total, posterior

pytestmark = pytest.mark.native


def joint(n, k, spread=5.0):
    return np.random.default_rng([n, k]).normal(-3.0, spread, (n, k))


@pytest.mark.parametrize("k", [1, 2, 3, 7, 8, 9, 40])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 127, 128, 129, 1000])
def test_they_are_those_of_scipy(n, k):
    found, log_prior = joint(n, k), np.zeros(k)
    assert_allclose(posterior(found, log_prior), softmax(found, axis=1), rtol=1e-14, atol=1e-300)
    assert_allclose(log_total(found), logsumexp(found, axis=1), rtol=1e-14, atol=1e-14)
    assert_allclose(np.exp(log_posterior(found, log_prior)), softmax(found, axis=1), rtol=1e-13, atol=1e-300)
    assert_array_equal(likeliest(found, log_prior), found.argmax(axis=1))


def test_far_rows_keep_the_differences():
    found = np.array([[-1e300, -1e300, -1e300], [-1e16, -1e16, -1e16 - 4], [0.0, -800.0, -1e5]])
    assert_allclose(posterior(found, np.zeros(3))[0], 1 / 3)
    assert_allclose(posterior(found, np.zeros(3))[1], softmax([0.0, 0.0, -4.0]))
    assert_array_equal(posterior(found, np.zeros(3))[2], [1.0, 0.0, 0.0])
    assert_array_equal(log_posterior(found, np.zeros(3))[2], [0.0, -800.0, -1e5])


def test_equal_densities_go_to_the_first():
    assert_array_equal(likeliest(np.tile([-2.0, -1.0, -1.0], (20, 1)), np.zeros(3)), np.ones(20))


@pytest.mark.parametrize("route", ["native", "portable"])
def test_rows_that_say_nothing_go_by_the_prior(route):
    log_prior = np.log([0.2, 0.5, 0.3])
    found = np.array(
        [[-np.inf] * 3, [np.nan] * 3, [np.nan, -1.0, -np.inf], [np.inf, np.inf, 7.0], [np.nan, -np.inf, np.inf]]
    )
    wanted = [[0.2, 0.5, 0.3], [0.2, 0.5, 0.3], [0, 1, 0], [0.5, 0.5, 0], [0, 0, 1]]
    with backend.using(route):
        assert_allclose(posterior(found, log_prior), wanted)
        assert_array_equal(likeliest(found, log_prior), [1, 1, 1, 0, 2])
        assert_array_equal(log_total(found[[0, 1, 3]]), [-np.inf, np.nan, np.inf])


def test_threads_change_no_bit():
    found, answers = joint(50_000, 5), []
    for n in (1, 3):
        with threads(n):
            answers.append((posterior(found, np.zeros(5)), log_total(found), likeliest(found, np.zeros(5))))
    for one, other in zip(*answers, strict=True):
        assert_array_equal(one, other)


def test_the_kernels_refuse_what_they_could_not_read():
    with pytest.raises(ValueError, match="no columns"):
        likeliest(np.empty((3, 0)), np.empty(0))
    with pytest.raises(ValueError, match="log_prior has 2 cells; 3 are needed"):
        posterior(np.zeros((4, 3)), np.zeros(2))
