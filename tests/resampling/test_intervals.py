"""Intervals, compared with R, SciPy, published numbers, and by simulation."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from suffice.errors import InvalidParameter
from suffice.resampling import corrected_t, wald, wilson
from suffice.resampling.intervals import paired_rates, spread

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "interval_values.json").read_text())


@pytest.mark.parametrize("case", REFERENCE["wilson"], ids=lambda c: f"{c['successes']} of {c['trials']}, {c['level']}")
def test_wilson_of_r(case):
    found = wilson(case["successes"], case["trials"], case["level"])
    assert_allclose((found.low, found.high), (case["low"], case["high"]), atol=1e-12)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_solves_its_equation(counts, level):
    successes, trials = counts
    found, z = wilson(successes, trials, level), stats.norm.ppf(0.5 + level / 2)
    rate = successes / trials
    assert 0 <= found.low <= rate <= found.high <= 1
    for end in (found.low, found.high):
        if 0 < end < 1:
            assert_allclose((rate - end) ** 2, z**2 * end * (1 - end) / trials, rtol=1e-7, atol=1e-12)


def test_wald_by_hand():
    found = wald(10, 100)
    assert_allclose((found.low, found.high), (0.1 - 1.959964 * 0.03, 0.1 + 1.959964 * 0.03), rtol=1e-6)
    assert (wald(0, 5).low, wald(0, 5).high) == (0, 0)


def test_corrected_t_by_hand():
    """mean 0.92, s² = 0.00025, √((1/5 + 20/80) s²) = 0.010607, t(4) = 2.7764."""
    found = corrected_t([0.91, 0.93, 0.90, 0.94, 0.92], 80, 20)
    assert_allclose((found.low, found.high), (0.92 - 2.776445 * 0.0106066, 0.92 + 2.776445 * 0.0106066), rtol=1e-6)


def test_corrected_t_without_test_rows_is_the_usual_t():
    scores = np.array([0.8, 0.7, 0.9, 0.75])
    found = corrected_t(scores, 1e12, 1)
    theirs = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert_allclose((found.low, found.high), theirs, rtol=1e-9)


def test_spread_is_a_posterior():
    known = spread([0.1, 0.2, 0.3], 90, 10)
    assert_allclose(known.below(0.2), 0.5)
    low = known.interval(0.9).low
    assert_allclose(known.below(low), 0.05)
    assert spread([0.5, 0.5], 90, 10).below(0.6) == 1


def test_paired_rates_by_hand():
    """Bonett and Price: p₁ = 151/1602, p₂ = 87/1602."""
    found = paired_rates(150, 86, 1600)
    p1, p2 = 151 / 1602, 87 / 1602
    half = 1.959964 * np.sqrt((p1 + p2 - (p1 - p2) ** 2) / 1602)
    assert_allclose((found.value, found.low, found.high), (0.04, p1 - p2 - half, p1 - p2 + half), rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: wilson(3, 2), "successes ≤ trials; got 3 successes of 2"),
        (lambda: wilson(1, 2, level=95), "between 0 and 1; got 95"),
        (lambda: corrected_t([], 9, 1), "one number a fold"),
        (lambda: corrected_t([1, 2], 0, 1), "above 0; got 0 and 1"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


@pytest.mark.parametrize("rate", [0.03, 0.2, 0.5])
def test_wilson_covers(rate, rng):
    hits = rng.binomial(60, rate, 4000)
    ends = np.array([(f.low, f.high) for f in (wilson(h, 60) for h in range(61))])
    covered = np.mean((ends[hits, 0] <= rate) & (rate <= ends[hits, 1]))
    assert 0.92 < covered < 0.985


def test_wald_covers_less_where_the_rate_is_small(rng):
    hits = rng.binomial(60, 0.03, 4000)
    assert np.mean([0.03 in wald(h, 60) for h in hits]) < 0.88


def test_corrected_t_covers_where_the_usual_t_does_not():
    """Mean squared error of the mean as a model, ten folds of 40 rows: its expected value is 1 + 1/36."""
    rng, runs, truth = np.random.default_rng(5), 500, 1 + 1 / 36
    covered = np.zeros(2)
    for _ in range(runs):
        x = rng.normal(size=(10, 4))
        means = (x.sum() - x.sum(axis=1)) / 36
        scores = ((x - means[:, None]) ** 2).mean(axis=1)
        covered += [truth in corrected_t(scores, 36, 4), truth in corrected_t(scores, 1e12, 1)]
    assert covered[0] / runs > 0.93
    assert covered[0] > covered[1]
