"""Associations against SciPy, and what they must not depend on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import f_oneway, rankdata, spearmanr
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
    assert cramers_v(a.astype(float), b.astype(float)) == pytest.approx(scipy_association(table), abs=1e-3)
    chance = [cramers_v(rng.integers(0, 5, 40).astype(float), rng.integers(0, 5, 40).astype(float)) for _ in range(200)]
    assert np.nanmean(chance) < 0.12  # uncorrected it is about 0.31


@given(
    arrays(float, 30, elements=st.integers(-5, 5).map(float)), arrays(float, 30, elements=st.integers(0, 3).map(float))
)
def test_strengths_are_between_0_and_1_and_symmetric(x, groups):
    for x_is, y_is in ((True, True), (True, False), (False, False)):
        one, two = association(groups, x_is, x, y_is), association(x, y_is, groups, x_is)
        assert np.isnan(one) or 0 <= one <= 1
        np.testing.assert_allclose(one, two)


def test_of_a_table(rng):
    x = rng.normal(size=200)
    frame = pd.DataFrame({"x": x, "y": -np.exp(x), "kind": np.where(x > 0, "p", "q"), "noise": rng.normal(size=200)})
    frame["name"] = [f"row {i}" for i in range(200)]
    found = associations(read_rows(frame, "kind"))
    assert found.names == ("kind", "x", "y", "noise")  # the target first; a name for each row says nothing
    assert found.strongest(1) == [("x", "y", 1.0)]
    assert found.strength[0, 1] == pytest.approx(0.866, abs=0.01)  # √(3/4): two halves of the ranks
