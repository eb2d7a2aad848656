"""Independent: columns by position and by name, groups, errors, missing values."""

import numpy as np
import pytest

from suffice.data.schema import Column, Schema
from suffice.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    DiagonalGaussian,
    Exponential,
    Independent,
    Laplace,
    Poisson,
    SphericalGaussian,
    StudentT,
)
from suffice.errors import InvalidData, InvalidParameter

ROWS = np.array([[0.0, 1.5, 2.0, 7.0], [1.0, 0.5, 0.0, 9.0], [1.0, np.nan, 1.0, 2.0]])
MIXED = {0: Bernoulli(), (3, 1): Exponential(), 2: Categorical(categories=3)}


def test_a_mapping_and_a_list_are_the_same():
    listed = Independent([Bernoulli(), Exponential(), Categorical(categories=3), Exponential()]).fit(ROWS)
    grouped = Independent(MIXED).fit(ROWS)
    np.testing.assert_allclose(listed.log_prob(ROWS), grouped.log_prob(ROWS))


def test_each_part_is_fitted_by_itself():
    member = Independent(MIXED).fit(ROWS)
    np.testing.assert_allclose(member.parts[1].rate, [1 / 6, 1.0])
    np.testing.assert_allclose(member.parts[2].probability[0], np.ones(3) / 3)
    assert member.n_parameters == 1 + 2 + 2


@pytest.mark.parametrize("schema", [("a", "b", "c"), Schema((Column("a"), Column("b"), Column("c")))])
def test_names_become_positions(schema):
    found = Independent({("c", "a"): Poisson(), "b": Bernoulli()}).named(schema)
    assert found.columns == ((2, 0), (1,))


def test_latent_parts_are_fitted_by_iterations(rng):
    X = np.column_stack([rng.poisson(3.0, 200), rng.standard_t(3, 200)])
    outcome = Independent({0: Poisson(), 1: StudentT()}).learn(X)
    assert outcome.state.latent
    assert len(outcome.history.iterations) > 2
    assert (np.diff(outcome.history.objective) >= -1e-8).all()


def test_map_estimate_takes_one_prior_a_part():
    family = Independent({0: Bernoulli(), 3: Poisson()})
    found = family.map_estimate(family.statistic(ROWS), [Beta(2, 2), None])
    np.testing.assert_allclose(found.parts[0].probability, [0.6])
    np.testing.assert_allclose(found.parts[1].rate, [6.0])


def test_the_place_in_the_message_is_that_in_the_table():
    bad = ROWS.copy()
    bad[1, 1] = -1.0
    with pytest.raises(InvalidData, match=r"NaiveBayes: row 1, column 1 holds -1; Exponential needs"):
        Independent(MIXED).check(bad, "NaiveBayes")


@pytest.mark.parametrize(
    ("families", "words"),
    [
        ({0: Poisson(), (0, 1): Laplace()}, "column 0 has two families"),
        ({0: "poison"}, "the family of column 0 must be a distribution.* Did you mean 'poisson'"),
    ],
)
def test_bad_families(families, words):
    with pytest.raises(InvalidParameter, match=words):
        Independent(families)


def test_columns_that_are_not_there():
    with pytest.raises(InvalidParameter, match="rows have 4 columns"):
        Independent({9: Poisson()}).statistic(ROWS)
    with pytest.raises(InvalidParameter, match="use `named"):
        Independent({"a": Poisson()}).statistic(ROWS)
    with pytest.raises(InvalidParameter, match="Did you mean 'visits'"):
        Independent({"visit": Poisson()}).named(["age", "visits"])


@pytest.mark.parametrize("family", [DiagonalGaussian(floor=0.1), SphericalGaussian(), SphericalGaussian(floor=0.1)])
@pytest.mark.parametrize("unseen", [False, True])
def test_columns_together_are_what_they_are_one_by_one(family, unseen):
    rng = np.random.default_rng(0)
    parts = [family.around(rng.normal(size=3), np.ones(3)) for _ in range(4)]
    tables = rng.normal(size=(4, 20, 3))
    tables[1, :, 2] = np.nan if unseen else 1.0
    statistics = [part.statistic(table) for part, table in zip(parts, tables, strict=True)]
    together = type(family).mle_together(parts, statistics)
    for found, part, own in zip(together, parts, statistics, strict=True):
        wanted = part.mle(own)
        np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-15)
        np.testing.assert_allclose(found.variance, wanted.variance, rtol=1e-14)
