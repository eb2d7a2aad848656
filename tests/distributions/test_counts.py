"""Counts and codes: large ones, none at all, columns never seen, numbers of categories."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import gammaln

from suffice.distributions import Bernoulli, Categorical, Exponential, Laplace, Multinomial, Poisson
from suffice.distributions.log_linear import linear_terms, log_factorials
from suffice.errors import InvalidData, InvalidParameter

UNSEEN = np.array([[1.0, np.nan], [0.0, np.nan]])


@pytest.mark.parametrize("largest", [5, 4095, 4096, 10**7])
def test_log_factorials_small_and_large(largest):
    X = np.array([[0.0, 1.0, largest], [2.0, np.nan, 3.0]])
    expected = [gammaln(largest + 1), gammaln(3) + gammaln(4)]
    np.testing.assert_allclose(log_factorials(X), expected, rtol=1e-14)
    np.testing.assert_allclose(log_factorials(csr_array(np.nan_to_num(X))), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("family", "name", "otherwise"),
    [
        (Bernoulli(), "probability", 0.5),
        (Poisson(), "rate", 1.0),
        (Exponential(), "rate", 1.0),
        (Laplace(), "scale", 1.0),
    ],
)
def test_a_column_never_seen_says_nothing(family, name, otherwise):
    first = family.fit(UNSEEN)
    assert getattr(first, name)[1] == otherwise
    later = family.fit(np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert getattr(later.mle(family.statistic(UNSEEN)), name)[1] == getattr(later, name)[1]


def test_no_weight_leaves_the_member_as_it_was():
    member = Multinomial([0.2, 0.8])
    nothing = member.statistic(np.ones((3, 2)), np.zeros(3))
    np.testing.assert_array_equal(member.mle(nothing).probability, [0.2, 0.8])
    np.testing.assert_array_equal(Multinomial().mle(nothing).probability, [0.5, 0.5])
    codes = Categorical(([0.3, 0.7],))
    np.testing.assert_array_equal(codes.mle(codes.statistic(np.ones((3, 1)), np.zeros(3))).probability, [[0.3, 0.7]])


def test_chunks_may_know_different_codes():
    family = Categorical()
    both = family.statistic(np.array([[0.0, 4.0]])) + family.statistic(np.array([[2.0, 1.0]]))
    assert [len(p) for p in family.mle(both).probability] == [3, 5]


@pytest.mark.parametrize("categories", [3, (3, 3)])
def test_a_code_beyond_the_number_of_categories(categories):
    family = Categorical(categories=categories)
    with pytest.raises(InvalidData, match="row 1, column 0 holds 3; Categorical needs codes"):
        family.fit(np.array([[0.0, 1.0], [3.0, 2.0]]))


def test_the_number_of_columns_must_agree():
    with pytest.raises(InvalidData, match="categories names 2 columns; the rows have 1"):
        Categorical(categories=(2, 2)).fit(np.zeros((2, 1)))


def test_measurements_are_not_codes():
    with pytest.raises(InvalidData, match="holds 1e"):
        Categorical().fit(np.array([[1e12]]))


@pytest.mark.parametrize(("family", "cell"), [(Poisson(), -1.0), (Multinomial(), 0.5), (Bernoulli(), 2.0)])
def test_cells_outside_the_support(family, cell):
    with pytest.raises(InvalidData, match=rf"row 1, column 0 holds {cell:g}; {type(family).__name__} needs"):
        family.fit(np.array([[1.0], [cell]]))


def test_rows_must_be_a_table():
    with pytest.raises(InvalidData, match=r"Use X\.reshape\(-1, 1\)"):
        Poisson().fit(np.array([1.0, 2.0]))


def test_trials_are_whole():
    with pytest.raises(InvalidParameter, match="trials must be a whole number"):
        Multinomial([0.5, 0.5], trials=1.5)


def test_a_floor_keeps_equal_values_from_collapsing():
    X = np.zeros((5, 1))
    assert np.isfinite(Laplace(floor=1e-3).fit(X).log_prob(X)).all()
    assert np.isfinite(Exponential(floor=1e-3).fit(X).log_prob(X)).all()


def test_lists_are_taken():
    assert Poisson().fit([[1], [3]]).rate.tolist() == [2.0]
    assert Poisson(2).rate.tolist() == [2.0]


@pytest.mark.parametrize(
    "member", [Multinomial([0.5, 0.5 + 1e-6], trials=3), Categorical([[0.5, 0.5 + 1e-6]])], ids=repr
)
def test_probabilities_that_do_not_sum_to_one_are_not_drawn_from(member):
    with pytest.raises(InvalidParameter, match="must sum to 1"):
        member.sample(3, 0)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_linear_terms_have_the_digits_of_double_for_any_rows(missing):
    rng = np.random.default_rng(0)
    X = rng.poisson(3.0, (50, 6)).astype(np.float64)
    X[rng.random(X.shape) < missing] = np.nan
    slope, offset = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    slope[2, 1] = -np.inf
    there = ~np.isnan(X)
    wanted = np.where(there, X, 0) @ np.where(np.isinf(slope), 0, slope) + there @ offset
    wanted[np.nan_to_num(X[:, 2]) > 0, 1] = -np.inf
    for rows in (X, np.asfortranarray(X), X.astype(np.float32)):
        np.testing.assert_allclose(linear_terms(rows, slope, offset), wanted, rtol=1e-12)
