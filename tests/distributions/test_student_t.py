"""Student-t: missing values, weights, heavy and light tails, columns that cannot be used."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize

from suffice.distributions import StudentT
from suffice.errors import InvalidData


@pytest.fixture
def rows(rng):
    X = StudentT([0.0, 3.0], np.array([[1.0, 0.6], [0.6, 2.0]]), 4.0).sample(150, 1)
    X[rng.random(X.shape) < 0.15] = np.nan
    return X


def unpacked(v):
    root = np.array([[np.exp(v[2]), 0.0], [v[3], np.exp(v[4])]])
    return StudentT(v[:2], root @ root.T, float(np.exp(v[5])))


def test_em_with_missing_values_ends_at_the_numerical_maximum(rows):
    member = StudentT().fit(rows, tol=1e-13, max_iter=3000)
    root = np.linalg.cholesky(member.scale)
    start = [*member.mean, np.log(root[0, 0]), root[1, 0], np.log(root[1, 1]), np.log(member.df)]

    def loss(v):
        return -unpacked(np.asarray(v)).log_prob(rows).sum()

    for shift in (0.0, 0.2):
        found = minimize(loss, np.array(start) + shift, method="BFGS")
        assert found.fun >= loss(start) - 1e-6


def test_integer_weights_are_repetitions(rows):
    weight = np.arange(150) % 3
    family = StudentT(df=4.0, estimate_df=False)
    weighted = family.fit(rows, weight.astype(float))
    repeated = family.fit(np.repeat(rows, weight, axis=0))
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-8)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-8)


def test_the_summary_knows_the_likelihood(rows):
    member = StudentT([0.0, 1.0], np.eye(2), 4.0)
    total = member.total_log_prob(member.statistic(rows[:50]) + member.statistic(rows[50:]))
    np.testing.assert_allclose(total, member.log_prob(rows).sum())


def test_light_tails_ask_for_many_degrees_of_freedom():
    X = np.random.default_rng(0).uniform(size=(400, 1))
    member = StudentT().fit(X, max_iter=200)
    assert member.df > 50


def test_given_degrees_of_freedom_stay(rows):
    member = StudentT(df=2.5, estimate_df=False).fit(rows)
    assert member.df == 2.5
    assert member.n_parameters == 5
    assert dataclasses.replace(member, estimate_df=True).n_parameters == 6


def test_a_constant_column_is_named_as_the_reason():
    with pytest.raises(InvalidData, match="scale matrix is singular"):
        StudentT().fit(np.column_stack([np.arange(9.0), np.ones(9)]))


@pytest.mark.parametrize(("df", "mean", "variance"), [(0.5, np.nan, np.inf), (1.5, 0.0, np.inf), (4.0, 0.0, 2.0)])
def test_moments_that_do_not_exist(df, mean, variance):
    found = StudentT([0.0], np.eye(1), df).moments()
    np.testing.assert_array_equal(found, [[mean], [variance]])
