"""The bootstrap, compared with R, SciPy, formulas, and by simulation."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from suffice.errors import InvalidData, InvalidParameter
from suffice.resampling import Bootstrap, bca, bootstrap
from suffice.resampling.jackknife import MOST

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "interval_values.json").read_text())


@pytest.mark.parametrize("case", REFERENCE["bca"], ids=lambda c: c["name"])
def test_bca_of_r(case):
    found = bca(case["value"], case["replicates"], case["jackknife"], case["level"])
    assert_allclose((found.low, found.high), (case["low"], case["high"]), rtol=1e-10)


def test_bootstrap_agrees_with_scipy(rng):
    x = rng.exponential(size=60)
    ours = bootstrap(lambda w: np.average(x, weights=w), len(x), resamples=9999, random_state=1)
    theirs = stats.bootstrap((x,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(2))
    assert_allclose((ours.low, ours.high), theirs.confidence_interval, atol=0.02)


def test_whole_weights_are_repeated_rows(rng):
    """The same ends, as far as other draws of as many rows allow."""
    x, weight = rng.exponential(size=30), rng.integers(0, 4, 30)
    weighted = bootstrap(lambda w: np.average(x, weights=w), weight=weight, resamples=9999)
    again = np.repeat(x, weight)
    repeated = bootstrap(lambda w: np.average(again, weights=w), len(again), resamples=9999)
    assert weighted.value == pytest.approx(repeated.value)
    assert_allclose((weighted.low, weighted.high), (repeated.low, repeated.high), atol=0.03)


def test_whole_units_are_drawn(rng):
    """Ten equal rows of each unit say no more than one of them."""
    x = rng.normal(size=25)
    rows, units = np.repeat(x, 10), np.repeat(np.arange(25), 10)
    single = bootstrap(lambda w: np.average(x, weights=w), 25)
    units_drawn = bootstrap(lambda w: np.average(rows, weights=w), units=units)
    assert_allclose((units_drawn.low, units_drawn.high), (single.low, single.high), rtol=1e-9)


def test_many_rows_are_left_out_in_blocks(rng):
    n = 3 * MOST + 7
    x, calls = rng.exponential(size=n), []

    def mean(w):
        calls.append(1)
        return float(w @ x / w.sum())

    found = bootstrap(mean, n, resamples=200)
    found.percentile()
    assert len(calls) == 200 + 1
    assert found.low < x.mean() < found.high
    assert len(calls) == 200 + 1 + MOST


def test_the_same_seed_gives_the_same_interval(rng):
    x = rng.normal(size=40)
    first, second, other = (bootstrap(lambda w: np.average(x, weights=w), 40, random_state=s) for s in (3, 3, 4))
    assert first.bca() == second.bca() != other.bca()


def test_statistics_that_are_undefined_for_many_draws_have_no_ends():
    found = bootstrap(lambda w: float("nan") if w[0] != 1 else 1.0, 5)
    assert found.value == 1
    assert np.isnan([found.low, found.high]).all()
    assert str(found) == "1"


def test_bca_covers_the_mean_of_skewed_rows(rng):
    """BCa is first-order right only in the limit: 50 rows of an exponential reach about 93 of 95."""
    covered = 0
    for run in range(300):
        x = rng.exponential(size=50)
        covered += 1.0 in bootstrap(lambda w, x=x: float(w @ x / w.sum()), 50, resamples=400, random_state=run)
    assert 0.88 < covered / 300 < 0.98


def test_percentiles_are_order_statistics():
    """Of 999 replicates the 25th and the 975th, as (R + 1) α is whole."""
    found = Bootstrap(np.float64(500), np.random.default_rng(0).permutation(np.arange(1.0, 1000.0)))
    assert_allclose((found.percentile().low, found.percentile().high), (25, 975))
    assert_allclose((found.percentile(0.9).low, found.percentile(0.9).high), (50, 950))


def test_percentile_agrees_with_scipy(rng):
    x = rng.exponential(size=60)
    ours = bootstrap(np.median, x, resamples=9999, random_state=1)
    theirs = stats.bootstrap((x,), np.median, n_resamples=9999, method="percentile", rng=np.random.default_rng(2))
    assert_allclose((ours.percentile().low, ours.percentile().high), theirs.confidence_interval, atol=0.02)
    assert_allclose(ours.standard_error, theirs.standard_error, rtol=0.03)


def test_the_mean_has_its_textbook_error(rng):
    x = rng.normal(size=80)
    found = bootstrap(np.mean, x, resamples=5000)
    assert_allclose(found.standard_error, x.std() / np.sqrt(80), rtol=0.05)
    assert_allclose(found.mean, x.mean(), atol=4 * found.standard_error / np.sqrt(5000))
    assert found.bias == found.mean - found.value


@pytest.mark.parametrize("weight", [None, np.arange(12) % 3])
@pytest.mark.parametrize("units", [None, np.arange(12) // 2])
def test_rows_and_counts_are_two_ways_to_say_the_same(rng, weight, units):
    x = rng.normal(size=12)
    of_rows = bootstrap(np.mean, x, weight=weight, units=units, resamples=200)
    of_counts = bootstrap(lambda w: np.average(x, weights=w) if w.any() else np.nan, 12, weight=weight, units=units,
                          resamples=200)  # fmt: skip
    assert_allclose(of_rows.replicates, of_counts.replicates, rtol=1e-12)
    assert_allclose((of_rows.low, of_rows.high), (of_counts.low, of_counts.high), rtol=1e-9)


def test_any_table_in_memory(rng):
    X = rng.normal(size=(20, 2))
    expected = bootstrap(lambda rows: rows[:, 1].max(), X, resamples=50).replicates
    tables = {
        "pandas": (pd.DataFrame(X, columns=["a", "b"], index=range(100, 120)), lambda rows: rows["b"].max()),
        "polars": (pl.DataFrame(X, schema=["a", "b"]), lambda rows: rows["b"].max()),
        "sparse": (sparse.coo_array(X), lambda rows: rows.toarray()[:, 1].max()),
        "lists": (X.tolist(), lambda rows: rows[:, 1].max()),
    }
    for table, statistic in tables.values():
        assert_array_equal(bootstrap(statistic, table, resamples=50).replicates, expected)


def test_several_statistics_at_once(rng):
    x = rng.exponential(size=30)
    both = bootstrap(lambda rows: [rows.mean(), np.median(rows)], x, resamples=300)
    assert len(both) == 2
    assert both.mean.shape == both.standard_error.shape == both.bias.shape == (2,)
    for one, statistic in zip(both, (np.mean, np.median), strict=True):
        alone = bootstrap(statistic, x, resamples=300)
        assert (one.value, one.mean, one.standard_error) == (alone.value, alone.mean, alone.standard_error)
        assert one.bca() == alone.bca()
        assert one.percentile(0.8) == alone.percentile(0.8)
    assert str(both).splitlines() == [str(one) for one in both]
    with pytest.raises(InvalidParameter, match=r"2 statistics; take one of them, such as found\[0\]"):
        both.bca()
    with pytest.raises(IndexError, match="one statistic"):
        both[0][0]


def test_figures_leave_undefined_draws_out():
    found = bootstrap(lambda w: np.nan if w[0] == 0 else w[0], 6, resamples=100)
    assert np.isnan(found.replicates).any()
    known = found.replicates[np.isfinite(found.replicates)]
    assert_allclose((found.mean, found.standard_error), (known.mean(), known.std(ddof=1)))
    nothing = bootstrap(lambda w: np.nan, 3, resamples=10)
    assert np.isnan([nothing.value, nothing.mean, nothing.standard_error, nothing.percentile().low]).all()
    assert str(nothing) == "not defined"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: bootstrap(np.mean), InvalidParameter, "how many rows"),
        (lambda: bootstrap(np.mean, 0), InvalidParameter, "how many rows"),
        (lambda: bootstrap(np.mean, []), InvalidData, "no rows"),
        (lambda: bootstrap(np.mean, 3, resamples=1), InvalidParameter, "at least 2; got 1"),
        (lambda: bootstrap(np.mean, 3, resamples=True), InvalidParameter, "at least 2; got True"),
        (lambda: bootstrap(np.mean, [1, 2, 3], weight=[1, 2]), InvalidData, r"shape \(3,\); got shape \(2,\)"),
        (lambda: bootstrap(np.mean, [1, 2, 3], weight=[1, -2, 1]), InvalidData, "not negative; row 1"),
        (lambda: bootstrap(np.mean, [1, 2, 3], weight=[1, 0.5, 1]), InvalidData, "weight of row 1 is 0.5"),
        (lambda: bootstrap(np.mean, [1, 2, 3], weight=[0, 0, 0]), InvalidData, "zero in every row"),
        (lambda: bootstrap(np.mean, [1, 2, 3], units=[1, 2]), InvalidData, "one unit a row"),
        (lambda: bootstrap(lambda rows: np.ones((2, 2)), [1, 2]), InvalidParameter, r"got shape \(2, 2\)"),
        (lambda: bootstrap(np.unique, [1, 2, 3, 4]), InvalidParameter, "always as many"),
        (lambda: bootstrap(np.mean, [1, 2, 3], level=2), InvalidParameter, "between 0 and 1; got 2"),
        (lambda: bootstrap(np.mean, [1, 2, 3]).bca(95), InvalidParameter, "between 0 and 1; got 95"),
    ],
)
def test_bad_input(make, error, words):
    with pytest.raises(error, match=words):
        make()
