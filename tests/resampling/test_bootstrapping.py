"""The bootstrap, compared with R, SciPy, formulas, and by simulation."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from suffice import threads
from suffice.errors import InvalidData, InvalidParameter
from suffice.plots import ReplicatesDisplay
from suffice.resampling import Bootstrap, Quantile, bca, bootstrap
from suffice.resampling.bootstrap_statistics import STATISTICS
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
    assert str(found).splitlines()[1].split() == ["1", "0", "0"]
    assert str(found).splitlines()[-1] == "BCa"


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
    lines = [line.split() for line in str(both).splitlines()]
    assert lines[0][-4:] == ["2.5", "%", "97.5", "%"]
    for i, (one, line) in enumerate(zip(both, lines[1:], strict=True)):
        shown = [float(cell) for cell in line]
        assert_allclose(shown, [i, one.value, one.bias, one.standard_error, one.low, one.high], rtol=1e-3)
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
    assert str(nothing).splitlines()[1] == "not defined"


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
        (lambda: bootstrap("meen", [1, 2, 3]), InvalidParameter, "Did you mean 'mean'"),
        (lambda: bootstrap("mean", 3), InvalidParameter, "of columns; give them as X"),
        (lambda: bootstrap("correlation", [1, 2, 3]), InvalidParameter, "two columns; got 1"),
        (lambda: bootstrap("mean", [1, np.nan, 3]), InvalidData, "row 1 has a missing or infinite value"),
        (lambda: bootstrap(np.corrcoef, (np.ones(3), np.ones(4))), InvalidData, r"as many rows each; got \[3, 4\]"),
        (lambda: bootstrap(np.mean, [1, 2, 3], n_jobs=0), InvalidParameter, "n_jobs must be an integer"),
        (lambda: bootstrap(np.mean, [1, 2, 3]).interval("wald"), InvalidParameter, "known are percentile, basic"),
        (lambda: bootstrap(np.mean, [1, 2, 3]).studentised(error=1), InvalidParameter, "at least 2; got 1"),
        (lambda: bootstrap(np.mean, [1, 2, 3], level=2), InvalidParameter, "between 0 and 1; got 2"),
        (lambda: bootstrap(np.mean, [1, 2, 3]).bca(95), InvalidParameter, "between 0 and 1; got 95"),
    ],
)
def test_bad_input(make, error, words):
    with pytest.raises(error, match=words):
        make()


REFERENCES = {
    "mean": np.mean,
    "median": np.median,
    "variance": lambda x: np.var(x, ddof=1),
    "std": lambda x: np.std(x, ddof=1),
}


@pytest.mark.parametrize("weight", [None, np.arange(40) % 4])
@pytest.mark.parametrize("units", [None, np.arange(40) // 4])
@pytest.mark.parametrize("name", [*REFERENCES, "quantile"])
def test_statistics_by_name_are_the_functions(rng, name, weight, units):
    """To rounding on the same draws; a quantile of single rows is drawn by itself, from the same distribution."""
    x = rng.exponential(size=40)
    statistic = Quantile(0.3) if name == "quantile" else name
    function = REFERENCES.get(name, lambda rows: np.quantile(rows, 0.3))
    ours, theirs = (bootstrap(s, x, weight=weight, units=units, resamples=4000) for s in (statistic, function))
    assert_allclose(ours.value, theirs.value, rtol=1e-12)
    if name in ("median", "quantile") and units is None:
        assert stats.ks_2samp(ours.replicates, theirs.replicates).pvalue > 0.001
        assert_allclose((ours.low, ours.high), (theirs.low, theirs.high), atol=0.1)
    else:
        assert_allclose(ours.replicates, theirs.replicates, rtol=1e-9)
        # Of few units some replicates are the value but for rounding, and so above it or not.
        assert_allclose((ours.low, ours.high), (theirs.low, theirs.high), rtol=1e-9 if units is None else 1e-3)


@pytest.mark.parametrize("n", [2, 5, 6, 31])
def test_order_statistics_are_drawn_from_the_exact_distribution(n, rng):
    """P(median ≤ x_(k)) of an odd number of rows is a binomial tail."""
    found = bootstrap("median", np.arange(1.0, n + 1), resamples=40_000, random_state=3).replicates
    if n % 2:
        below = [np.mean(found <= k) for k in range(1, n + 1)]
        exact = [stats.binom.sf((n - 1) // 2, n, k / n) for k in range(1, n + 1)]
        assert_allclose(below, exact, atol=0.012)
    else:
        drawn = np.median(rng.integers(1, n + 1, (40_000, n)), axis=1)
        values = np.unique(drawn)
        assert_allclose([np.mean(found <= v) for v in values], [np.mean(drawn <= v) for v in values], atol=0.015)


@pytest.mark.parametrize(
    ("name", "function"),
    [("correlation", lambda x, y: np.corrcoef(x, y)[0, 1]), ("covariance", lambda x, y: np.cov(x, y)[0, 1])],
)
def test_two_columns(rng, name, function):
    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    by_name, by_function = bootstrap(name, (x, y), resamples=500), bootstrap(function, (x, y), resamples=500)
    assert_allclose(by_name.replicates, by_function.replicates, rtol=1e-9)
    assert_array_equal(bootstrap(name, np.column_stack([x, y]), resamples=500).replicates, by_name.replicates)
    frame = pd.DataFrame({"x": x, "y": y})
    assert_array_equal(bootstrap(name, frame, resamples=500).replicates, by_name.replicates)


def test_columns_of_a_table_are_several_statistics(rng):
    X = rng.normal(size=(30, 3))
    found = bootstrap("mean", X, resamples=200)
    assert_allclose(found.value, X.mean(axis=0))
    assert found.replicates.shape == (200, 3)
    assert bootstrap("median", X, resamples=200).replicates.shape == (200, 3)


def test_the_law_schools_of_efron_and_tibshirani():
    """Correlation 0.776 of 15 schools; the standard error of endless resampling is 0.132 to 0.135 (1993, table 6.1)."""
    lsat = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594])
    gpa = np.array([3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96])
    found = bootstrap("correlation", (lsat, gpa), resamples=20_000)
    assert_allclose(found.value, 0.7764, atol=1e-4)
    assert_allclose(found.standard_error, 0.1335, atol=0.002)
    assert_allclose(found.variance, found.standard_error**2)


def test_intervals_are_those_of_scipy_from_the_same_replicates(rng):
    """SciPy's quantiles are linear between order statistics, ours between normal scores: alike to a part of a gap."""
    x = rng.exponential(size=60)
    given = stats.bootstrap((x,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(2))
    replicates = given.bootstrap_distribution
    without = np.array([np.delete(x, i).mean() for i in range(60)])
    ours = Bootstrap(x.mean(), replicates, 0.95, lambda: (without, np.ones(60)))
    for method, own in (("BCa", ours.bca()), ("percentile", ours.percentile()), ("basic", ours.basic())):
        theirs = stats.bootstrap((x,), np.mean, n_resamples=0, method=method, bootstrap_result=given)
        assert_allclose((own.low, own.high), theirs.confidence_interval, rtol=2e-3)


def test_the_normal_interval_takes_the_bias_away():
    """R's boot.ci(type = "norm"): t0 − bias ± z sd(t)."""
    t = np.array([1.0, 2.0, 4.0, 5.0, 9.0])
    found = Bootstrap(np.float64(3.0), t).normal(0.9)
    half = stats.norm.ppf(0.95) * t.std(ddof=1)
    assert_allclose((found.low, found.high), (3 - (4.2 - 3) - half, 3 - (4.2 - 3) + half))


def test_a_studentised_interval_of_the_mean_is_that_of_its_t_values(rng):
    x = rng.exponential(size=20)
    by_name = bootstrap("mean", x, resamples=3000)

    def error(rows):
        return np.std(rows) / np.sqrt(len(rows))

    by_function = bootstrap(np.mean, x, resamples=3000).studentised(error=error)
    assert_allclose((by_name.studentised().low, by_name.studentised().high), (by_function.low, by_function.high))
    inner = bootstrap(np.mean, x, resamples=600).studentised(error=100)
    assert_allclose((inner.low, inner.high), (by_function.low, by_function.high), rtol=0.15)
    draws = x[np.random.default_rng(0).integers(0, 20, (3000, 20))]
    t = (draws.mean(axis=1) - x.mean()) / (draws.std(axis=1) / np.sqrt(20))
    low, high = np.quantile(t, [0.975, 0.025])
    expected = x.mean() - np.array([low, high]) * x.std() / np.sqrt(20)
    assert_allclose((by_function.low, by_function.high), expected, rtol=0.01)


def test_studentised_intervals_cover(rng):
    covered = 0
    for run in range(200):
        x = rng.exponential(size=20)
        covered += 1.0 in bootstrap("mean", x, resamples=400, random_state=run).studentised()
    assert 0.9 < covered / 200 < 0.99


@pytest.mark.parametrize("name", sorted(STATISTICS))
def test_errors_by_formula_are_those_of_resampling(rng, name):
    X = rng.normal(size=(400, 2)) @ [[1, 0.4], [0, 1]]
    rows = X if name in ("correlation", "covariance") else X[:, 0]
    found = bootstrap(name, rows, resamples=4000)
    own = found._with_errors(None)[0]
    assert_allclose(own, found.standard_error, rtol=0.08)
    assert found.value in found.studentised()


def test_any_number_of_threads_gives_the_same(rng):
    x = rng.normal(size=3000)
    alone = bootstrap(np.var, x, resamples=2000).replicates
    assert_array_equal(bootstrap(np.var, x, resamples=2000, n_jobs=3).replicates, alone)
    for name in ("mean", "std"):
        with threads(1):
            one = bootstrap(name, x, resamples=2000)
        with threads(3):
            three = bootstrap(name, x, resamples=2000)
        assert_array_equal(one.replicates, three.replicates)
        assert one.studentised() == three.studentised()


def test_a_picture_of_the_replicates(rng):
    found = bootstrap("mean", rng.normal(size=30), resamples=300)
    shown = ReplicatesDisplay.from_bootstrap(found, ax=False)
    assert shown.counts.sum() == 300
    assert (shown.value, shown.low, shown.high) == (found.value, found.low, found.high)


def test_variances_of_resamples_far_from_the_other_rows_are_exact():
    """A resample of the two far rows alone has a variance of 1e-16 of that of all rows."""
    x = np.array([0.0, 0.0, 1e8, 1e8 + 1, 0.0])
    counts = np.array([[0.0, 0, 3, 2, 0], [1, 1, 1, 1, 1], [0, 0, 5, 0, 0]])
    expected = [np.var(np.repeat(x, each.astype(int)), ddof=1) for each in counts]
    assert_allclose(STATISTICS.make("variance").of(counts, x[:, None])[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize(("X", "weight"), [([1.0], None), ([1.0, 2.0], [3, 0])])
def test_one_row_has_no_interval(X, weight):
    with pytest.raises(InvalidData, match="only one row"):
        bootstrap("mean", np.array(X), weight=weight)
