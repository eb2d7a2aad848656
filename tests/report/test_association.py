"""Associations against SciPy, and what they must not depend on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency, f_oneway, rankdata, spearmanr
from scipy.stats.contingency import association as scipy_association

from suffice.report import associations, read_rows
from suffice.report.association import association, correlation_ratio, cramers_v, rank_correlation


def test_ranks_agree_with_scipy(rng):
    x = rng.normal(size=80).round(1)
    y = x**3 + rng.normal(size=80)
    assert rank_correlation(x, y) == pytest.approx(abs(spearmanr(x, y).statistic))


def test_the_correlation_ratio_agrees_with_an_analysis_of_variance(rng):
    groups, values = rng.integers(0, 3, 90).astype(float), rng.normal(size=90)
    values += groups
    ranks = rankdata(values)
    f = f_oneway(*(ranks[groups == g] for g in range(3))).statistic
    assert correlation_ratio(groups, values) ** 2 == pytest.approx(2 * f / (2 * f + 87))


def test_cramers_v_tends_to_scipys_and_is_about_nothing_by_chance(rng):
    a = rng.integers(0, 3, 50_000)
    b = np.where(rng.random(50_000) < 0.5, a, rng.integers(0, 3, 50_000))
    table = np.array([[np.sum((a == i) & (b == j)) for j in range(3)] for i in range(3)])
    found = cramers_v(a.astype(float), b.astype(float))
    assert found.p == pytest.approx(chi2_contingency(table).pvalue, abs=1e-12)
    assert found.strength == pytest.approx(scipy_association(table), abs=1e-3)
    pairs = rng.integers(0, 5, (200, 2, 40)).astype(float)
    chance = [cramers_v(*pair).strength for pair in pairs]
    assert np.nanmean(chance) < 0.12  # uncorrected it is about 0.31


@given(
    arrays(float, 30, elements=st.integers(-5, 5).map(float)), arrays(float, 30, elements=st.integers(0, 3).map(float))
)
def test_strengths_are_between_0_and_1_and_symmetric(x, groups):
    for x_is, y_is in ((True, True), (True, False), (False, False)):
        one, two = association(groups, x_is, x, y_is), association(x, y_is, groups, x_is)
        assert np.isnan(one.strength) or (0 <= one.strength <= 1 and 0 <= one.p <= 1)
        np.testing.assert_allclose(one, two)


def test_of_a_table(rng):
    x = rng.normal(size=200)
    frame = pd.DataFrame({"x": x, "y": -np.exp(x), "kind": np.where(x > 0, "p", "q"), "noise": rng.normal(size=200)})
    frame["name"] = [f"row {i}" for i in range(200)]
    found = associations(read_rows(frame, "kind"))
    assert found.names == ("kind", "x", "y", "noise")  # the target first; a name for each row says nothing
    assert found.strongest(1) == [("x", "y", 1.0)]
    assert found.strength[0, 1] == pytest.approx(0.866, abs=0.01)  # √(3/4): two halves of the ranks


def noise(rng, n, k):
    """Columns that have nothing to do with each other: two of categories, two of numbers."""
    return (*rng.integers(0, k, (2, n)).astype(float), *rng.normal(size=(2, n)))


@pytest.mark.parametrize(("n", "k"), [(60, 20), (200, 50), (400, 4)])
def test_noise_is_about_nothing_whatever_the_kinds(rng, n, k):
    """Uncorrected, the correlation ratio of 20 groups of 60 rows is 0.55."""
    found = []
    for _ in range(150):
        a, b, x, y = noise(rng, n, k)
        found.append([association(a, True, b, True), association(a, True, x, False), association(x, False, y, False)])
    squares = np.array([[pair.strength**2 for pair in row] for row in found])
    assert (np.sqrt(squares).mean(axis=0) < 0.16).all()
    assert (squares.mean(axis=0) < 0.05).all()
    rare = np.array([[pair.p <= 0.05 for pair in row] for row in found]).mean(axis=0)
    assert (rare < 0.12).all()


def test_p_values_of_scipy(rng):
    groups, x = rng.integers(0, 3, 90).astype(float), rng.normal(size=90)
    y, ranks = x + rng.normal(size=90), rankdata(x)
    assert association(x, False, y, False).p == pytest.approx(spearmanr(x, y).pvalue)
    assert association(groups, True, x, False).p == pytest.approx(
        f_oneway(*(ranks[groups == g] for g in range(3))).pvalue
    )


def test_a_real_association_ranks_above_noise(rng):
    """ρ = 0.46 among 60 rows, beside three columns of noise with 20 categories each."""
    first = 0
    for _ in range(20):
        x = rng.normal(size=60)
        frame = pd.DataFrame({"x": x, "y": 0.5 * x + np.sqrt(0.75) * rng.normal(size=60)})
        for name in "abc":
            frame[name] = [f"{name}{i}" for i in rng.integers(0, 20, 60)]
        first += associations(read_rows(frame)).strongest(1)[0][:2] == ("x", "y")
    assert first >= 17


def test_groups_of_one_row_each_say_nothing():
    assert np.isnan(association(np.arange(9.0), True, np.arange(9.0), False).strength)
