"""Densities and fits against R (tests/reference/make_distribution_values.R) and SciPy."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.distributions import (
    FAMILIES,
    Bernoulli,
    Categorical,
    Exponential,
    Independent,
    Laplace,
    Multinomial,
    Poisson,
    StudentT,
    as_distribution,
)

REFERENCE = Path(__file__).parents[1] / "reference" / "distributions.json"
SPREAD = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.7]])
CENTRE = np.array([1.0, -2.0, 0.5])
P, RATE, SCALE = np.array([0.2, 0.3, 0.5]), np.array([0.5, 1.0, 4.0]), np.array([0.3, 1.0, 2.5])


@pytest.fixture(scope="module")
def r():
    return json.loads(REFERENCE.read_text())


@pytest.fixture(scope="module")
def faithful():
    return np.asarray(sf.datasets.load("faithful").matrix())


@pytest.mark.parametrize("name", ["fixed_df", "fixed_df_weighted"])
def test_student_t_with_given_df_is_that_of_r(r, faithful, name):
    value = r[name]
    family = StudentT(df=value["nu"], estimate_df=False)
    member = family.fit(faithful, np.array(value["weights"], dtype=float), tol=1e-15)
    np.testing.assert_allclose(member.mean, value["center"], rtol=1e-7)
    np.testing.assert_allclose(member.scale, value["cov"], rtol=1e-6)


def test_student_t_with_free_df_is_that_of_r(r):
    value = r["free_df"]
    x = np.array(value["x"])[:, None]
    member = StudentT().fit(x, tol=1e-14)
    np.testing.assert_allclose(member.log_prob(x).sum(), value["loglik"], rtol=1e-10)
    found = [member.mean[0], np.sqrt(member.scale[0, 0]), member.df]
    np.testing.assert_allclose(found, [value["m"], value["s"], value["df"]], rtol=1e-5)


@pytest.mark.parametrize(("family", "name"), [(Poisson(), "poisson"), (Exponential(), "exponential")])
def test_one_column_is_that_of_fitdistr(r, faithful, family, name):
    x = faithful[:, [1]]
    member = family.fit(x)
    np.testing.assert_allclose(member.rate, r[name]["estimate"], rtol=1e-10)
    np.testing.assert_allclose(member.log_prob(x).sum(), r[name]["loglik"], rtol=1e-10)


@pytest.mark.parametrize(
    ("member", "rows", "name"),
    [
        (Multinomial(P), "counts", "multinomial"),
        (Poisson(RATE), "counts", "poisson"),
        (StudentT([1.0], [[4.0]], 3.5), "x", "t"),
    ],
)
def test_densities_are_those_of_r(r, member, rows, name):
    X = np.array(r["densities"][rows], dtype=float)
    X = X if X.ndim == 2 else X[:, None]
    member = StudentT(member.mean, np.asarray(member.scale), member.df) if name == "t" else member
    np.testing.assert_allclose(member.log_prob(X), r["densities"][name], rtol=1e-12)


ROWS = json.loads(REFERENCE.read_text())["scipy"]["rows"]


def of_row(name, parameters):
    arrays = {key: value if name == "categorical" else np.array(value) for key, value in parameters.items()}
    return type(as_distribution(name))(**arrays)


def test_every_family_has_a_row():
    own = {cls for cls in FAMILIES.classes.values() if cls.__module__.startswith("suffice.")}
    assert {type(as_distribution(name)) for name in ROWS} == own


@pytest.mark.parametrize("name", ROWS)
def test_densities_moments_entropies_and_fits_are_those_of_scipy(name):
    row = ROWS[name]
    member = of_row(name, row["parameters"])
    np.testing.assert_allclose(member.log_prob(np.array(row["x"], dtype=float)), row["log_prob"], rtol=1e-9)
    if "mean" in row:
        np.testing.assert_allclose(member.moments(), [row["mean"], row["variance"]], rtol=1e-9)
    if "entropy" in row:
        np.testing.assert_allclose(member.entropy(), row["entropy"], rtol=1e-9)
    if "fit" in row:
        fit = row["fit"]
        found = as_distribution(name).fit(np.array(fit["x"], dtype=float)[:, None])
        for parameter, value in fit["parameters"].items():
            np.testing.assert_allclose(getattr(found, parameter), value, rtol=fit["rtol"])


def sum_of(frozen):
    """The log density of independent columns by SciPy."""
    log = getattr(frozen, "logpmf", None) or frozen.logpdf
    return lambda X: log(X).sum(axis=1)


@pytest.mark.parametrize(
    ("member", "log_prob", "entropy"),
    [
        (Bernoulli(P), sum_of(stats.bernoulli(P)), stats.bernoulli(P).entropy().sum()),
        (Poisson(RATE), sum_of(stats.poisson(RATE)), None),
        (Exponential(RATE), sum_of(stats.expon(scale=1 / RATE)), stats.expon(scale=1 / RATE).entropy().sum()),
        (Laplace(CENTRE, SCALE), sum_of(stats.laplace(CENTRE, SCALE)), stats.laplace(CENTRE, SCALE).entropy().sum()),
        (Multinomial(P, 7), stats.multinomial(7, P).logpmf, stats.multinomial(7, P).entropy()),
        (
            StudentT(CENTRE, SPREAD, 4.5),
            stats.multivariate_t(CENTRE, SPREAD, 4.5).logpdf,
            stats.multivariate_t(CENTRE, SPREAD, 4.5).entropy(),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_densities_and_entropies_are_those_of_scipy(member, log_prob, entropy):
    X = member.sample(200, 0)
    np.testing.assert_allclose(member.log_prob(X), log_prob(X), rtol=1e-10)
    if entropy is not None:
        np.testing.assert_allclose(member.entropy(), entropy, rtol=1e-9)


def test_categories_and_mixed_columns_follow_their_tables():
    codes = Categorical(([0.25, 0.75], [0.1, 0.2, 0.7]))
    X = np.array([[0.0, 2.0], [1.0, 0.0], [1.0, np.nan], [0.0, 3.0]])
    np.testing.assert_allclose(np.exp(codes.log_prob(X)), [0.175, 0.075, 0.75, 0.0])
    mixed = Independent({1: codes.__class__(([0.1, 0.2, 0.7],)), 0: Poisson([2.0])})
    expected = stats.poisson(2.0).logpmf(X[:3, 0]) + np.log([0.7, 0.1, 1.0])
    np.testing.assert_allclose(mixed.log_prob(X[:3]), expected)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_certain_cells_leave_no_other(p):
    X = np.array([[0.0], [1.0], [np.nan]])
    expected = [0.0, -np.inf, 0.0] if p == 0 else [-np.inf, 0.0, 0.0]
    assert Bernoulli([p]).log_prob(X).tolist() == expected
    assert Bernoulli([p]).entropy() == 0
    assert Poisson([0.0]).log_prob(X).tolist() == [0.0, -np.inf, 0.0]
