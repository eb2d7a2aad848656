"""Entropy and divergences against SciPy; Monte Carlo within its own standard error."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from suffice.distributions import Exponential, Laplace, Poisson, StudentT, entropy, jensen_shannon, kl
from suffice.errors import InvalidParameter

P, Q = np.array([[0.1, 0.4], [0.5, 0.0]]), np.array([[0.3, 0.3], [0.2, 0.2]])


def test_tables_are_those_of_scipy():
    assert entropy(P) == pytest.approx(stats.entropy(P.ravel()))
    assert kl(P, Q) == pytest.approx(stats.entropy(P.ravel(), Q.ravel()))
    assert jensen_shannon(P, Q) == pytest.approx(jensenshannon(P.ravel(), Q.ravel()) ** 2)
    assert kl(Q, P) == np.inf


def test_a_formula_has_no_error():
    found = kl(Exponential([2.0]), Exponential([1.0]))
    assert found == pytest.approx(np.log(2) - 0.5)
    assert found.standard_error == 0


def test_draws_stand_in_for_a_formula():
    found = entropy(Poisson([3.0]), draws=40_000)
    assert 0 < found.standard_error < 0.01
    assert abs(found - stats.poisson(3.0).entropy()) < 4 * found.standard_error


def test_two_families_are_compared_by_draws():
    found = kl(Laplace([0.0], [1.0]), StudentT([0.0], np.eye(1), 3.0))
    x = np.linspace(-60, 60, 400_001)[:, None]
    density, other = Laplace([0.0], [1.0]).log_prob(x), StudentT([0.0], np.eye(1), 3.0).log_prob(x)
    exact = np.trapezoid(np.exp(density) * (density - other), x[:, 0])
    assert abs(found - exact) < 4 * found.standard_error


def test_jensen_shannon_is_symmetric_and_bounded():
    near, far = Laplace([0.0], [1.0]), Laplace([500.0], [1.0])
    assert jensen_shannon(near, far) == pytest.approx(np.log(2))
    assert jensen_shannon(near, near) == 0
    one, other = jensen_shannon(near, Laplace([1.0], [2.0])), jensen_shannon(Laplace([1.0], [2.0]), near)
    assert abs(one - other) < 5 * one.standard_error


def test_an_estimate_survives_pickling():
    back = pickle.loads(pickle.dumps(entropy(Poisson([3.0]), draws=100)))
    assert back.standard_error > 0


@pytest.mark.parametrize(("p", "q"), [([0.5, 0.6], [0.5, 0.5]), ([0.5, 0.5], [1.5, -0.5]), ([1.0], [0.5, 0.5])])
def test_what_is_not_a_table(p, q):
    with pytest.raises(InvalidParameter, match="table"):
        kl(p, q)
