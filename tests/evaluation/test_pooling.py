"""Scores of all folds together: ratios are made of pooled sums, and their intervals have their coverage."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

import suffice as sf
from suffice.evaluation import Folds, compare, evaluate
from suffice.evaluation.results import held_out_ratio
from suffice.resampling import MEASURES, Answers, Measure, Units, jackknife, wilson
from suffice.resampling.folds import Search
from suffice.resampling.problem import problem
from suffice.resampling.scales import scale_of

# R's stackloss (Brownlee, 1965): air flow, water temperature, acid concentration, loss.
STACKLOSS = np.array([
    [80, 80, 75, 62, 62, 62, 62, 62, 58, 58, 58, 58, 58, 58, 50, 50, 50, 50, 50, 56, 70],
    [27, 27, 25, 24, 22, 23, 24, 24, 23, 18, 18, 17, 18, 19, 18, 18, 19, 19, 20, 20, 20],
    [89, 88, 90, 87, 87, 87, 93, 93, 87, 80, 89, 88, 82, 93, 89, 86, 72, 79, 80, 82, 91],
    [42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14, 13, 11, 12, 8, 7, 8, 8, 9, 15, 15],
], dtype=float).T  # fmt: skip
X, Y = STACKLOSS[:, :3], STACKLOSS[:, 3]
IRIS = sf.datasets.load("iris")


@pytest.mark.parametrize("splits", [10, "leave_one_out"])
def test_ratios_of_tiny_folds_are_pooled(splits):
    """Folds of one or two rows: the mean of their R² is −1.37, that of their correlations ±1 or not defined."""
    found = evaluate(sf.LinearRegression(), X, Y, splits=splits)
    said = found.predicted
    assert found.intervals["r2"].value == pytest.approx(metrics.r2_score(Y, said))
    assert found.intervals["correlation"].value == pytest.approx(np.corrcoef(Y, said)[0, 1])
    assert found.intervals["rmse"].value == pytest.approx(metrics.root_mean_squared_error(Y, said))
    for name in ("r2", "correlation"):
        assert -1 < found.intervals[name].low < found.intervals[name].value < found.intervals[name].high < 1
        assert found.value(name) == found.intervals[name].value
    if splits == 10:
        row = {row["measure"]: row for row in found.table()}["r2"]
        assert (round(row["value"], 3), round(row["fold_mean"], 3)) == (0.852, -1.374)  # the folds stay visible


def test_models_are_ranked_and_compared_by_what_is_pooled():
    found = compare({"least": sf.LinearRegression(), "ridge": sf.Ridge(1e4)}, X, Y, measures=("r2", "rmse"))
    values = {name: metrics.r2_score(Y, one.predicted) for name, one in found.evaluations.items()}
    assert found.ranking == tuple(sorted(values, key=values.get, reverse=True))
    difference = found.difference("least", "dummy")
    assert difference.interval.value == pytest.approx(values["least"] - values["dummy"])
    assert difference.verdict == "better"
    assert difference.probabilities["better"] > 0.95


def test_a_search_inside_pools_as_well():
    """By leave-one-out no fold has an R² of its own, and so the mean over folds knew no best."""
    of = problem([sf.Ridge()], X, Y)
    search = Search.over({"alpha": [1e6, 1.0]}, sf.Ridge(), MEASURES["r2"], splits="leave_one_out")
    assert search.best(sf.Ridge(), of, 0) == {"alpha": 1.0}


def test_rates_of_folds_without_positives_are_pooled():
    y = np.array(["no"] * 40 + ["yes"] * 6)
    rows = np.r_[60:100, 100:106]
    found = evaluate(
        sf.GaussianNB(), IRIS.matrix()[rows], y, splits=Folds(12, stratify=False), measures=("precision", "f1")
    )
    said, truth = found.predicted == "yes", y == "yes"
    assert np.isnan(found.scores["f1"]).any()
    assert found.value("f1") == pytest.approx(metrics.f1_score(truth, said))
    assert found.value("precision") == pytest.approx(metrics.precision_score(truth, said))


def ranked(rng, folds):
    fold = np.sort(rng.integers(0, folds, 80))
    truth, noise = rng.integers(0, 2, 80), rng.normal(size=80)
    p = 1 / (1 + np.exp(-(truth + noise + 3 * fold)))  # each fold has a level of its own
    return Answers(
        np.arange(80), rng.integers(1, 4, 80).astype(float), truth, None, np.column_stack([1 - p, p]),
        fold=fold, classes=(0, 1), positive=1,
    )  # fmt: skip


def test_rows_of_different_folds_are_not_ranked_against_each_other(rng):
    answers = ranked(rng, 4)
    pairs = rights = precision = positives = 0.0
    for j in range(4):
        here = answers.fold == j
        truth, score, weight = answers.truth[here], answers.probability[here, 1], answers.weight[here]
        mass = weight[truth == 1].sum() * weight[truth == 0].sum()
        rights, pairs = rights + mass * metrics.roc_auc_score(truth, score, sample_weight=weight), pairs + mass
        precision += weight[truth == 1].sum() * metrics.average_precision_score(truth, score, sample_weight=weight)
        positives += weight[truth == 1].sum()
    assert MEASURES["roc_auc"](answers) == pytest.approx(rights / pairs)
    assert MEASURES["average_precision"](answers) == pytest.approx(precision / positives)


def test_where_no_fold_has_both_kinds_all_rows_are_ranked():
    found = evaluate(sf.GaussianNB(), IRIS.matrix()[50:], IRIS["species"][50:], splits="leave_one_out")
    assert found.value("roc_auc") == pytest.approx(
        metrics.roc_auc_score(IRIS["species"][50:] == "virginica", found.probability[:, 1])
    )


@pytest.mark.parametrize("name", ["mse", "accuracy", "log_loss", "brier", "log_likelihood"])
def test_the_pseudo_values_of_a_mean_are_the_scores_of_folds(name, rng):
    """Also with folds of unequal size and weights."""
    weight = rng.integers(1, 4, 150).astype(float)
    model, y = (sf.GaussianMixture(2), None) if name == "log_likelihood" else (sf.GaussianNB(), IRIS["species"])
    if name == "mse":
        model, y = sf.LinearRegression(), IRIS.matrix()[:, 0] ** 2
    found = evaluate(model, IRIS.matrix(), y, splits=7, measures=name, sample_weight=weight)
    assert_allclose(found.jackknife().pseudo_values(), found.scores[name], rtol=1e-9)


def test_the_jackknife_of_r_is_found_again():
    """bootstrap::jackknife(law$lsat-gpa correlation) of Efron and Tibshirani (1993): standard error 0.1425."""
    lsat = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594.0])
    gpa = np.array([339, 330, 281, 303, 344, 307, 300, 343, 336, 313, 312, 274, 276, 288, 296.0])
    found = jackknife(
        lambda w: MEASURES["correlation"](Answers(np.arange(15), w, lsat, gpa)), Units.checked(15, None, None, "here")
    )
    assert round(found.spread().scale, 4) == 0.1425


def test_weights_are_repeated_rows_in_the_jackknife(rng):
    x, times = rng.normal(size=12), rng.integers(1, 4, 12)
    again = np.repeat(x, times)

    def root(values):
        return lambda w: float(np.sqrt(np.average(values**2, weights=w)))

    once = jackknife(root(x), Units.checked(12, times.astype(float), None, "here"))
    repeated = jackknife(root(again), Units.checked(len(again), None, None, "here"))
    assert_allclose(once.spread().scale, repeated.spread().scale)
    assert once.spread().freedom == repeated.spread().freedom


@pytest.mark.parametrize(
    "bounds", [(0.0, 1.0), (0.0, 2.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, 1.0), (-np.inf, np.inf)]
)
def test_scales_go_there_and_back(bounds):
    inside = np.linspace(max(bounds[0], -3), min(bounds[1], 3), 9)[1:-1]
    scale = scale_of(bounds)
    there = scale.forward(inside)
    assert (np.diff(there) > 0).all()
    assert_allclose(scale.back(there), inside, atol=1e-12)
    assert bounds[0] <= scale.back(-50.0) <= scale.back(50.0) <= bounds[1]


def test_a_perfect_score_has_an_interval():
    found = evaluate(sf.LinearRegression(), X, X[:, 0], splits=5, measures=("rmse", "r2", "correlation"))
    for interval in found.intervals.values():
        assert interval.low <= interval.value <= interval.high or np.isnan(interval.low)
    sure = evaluate(sf.GaussianNB(), IRIS.matrix()[:100], IRIS["species"][:100], measures=("roc_auc", "f1"))
    assert str(sure.intervals["roc_auc"]) == str(sure.intervals["f1"]) == str(wilson(50, 50))


def test_groups_are_left_out_whole(rng):
    """Ten copies of each row: the interval of one split must not shrink."""
    copies, groups = np.repeat(np.arange(21), 10), np.repeat(np.arange(21), 10)
    found = evaluate(sf.LinearRegression(), X[copies], Y[copies], groups=groups, splits="holdout", measures="rmse")
    assert len(found.jackknife(by_folds=False).without) == len(np.unique(groups[found.answers.rows]))


def test_a_measure_that_cannot_be_pooled_is_the_mean_of_folds():
    found = evaluate(sf.KMeans(3), IRIS.matrix(), IRIS["species"], measures="adjusted_rand")
    assert found.value() == pytest.approx(found.scores["adjusted_rand"].mean())
    own = Measure("twice", "classes", lambda a: 2 * float(np.mean(a.truth == a.predicted)), pooled=False, bounds=(0, 2))
    judged = evaluate(sf.GaussianNB(), IRIS.matrix(), IRIS["species"], measures=own, splits=4)
    assert judged.value() == pytest.approx(judged.scores["twice"].mean())


def example():
    path = Path(__file__).parents[2] / "docs" / "examples" / "interval_coverage.py"
    spec = importlib.util.spec_from_file_location("interval_coverage", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("task", "splits"),
    [("classes", "10 folds of 2 rows"), ("classes", "one split, 25 rows"), ("numbers", "10 folds of 2 rows"),
     ("numbers", "leave one out"), ("numbers", "one split, 25 rows")],
)  # fmt: skip
def test_intervals_cover(task, splits):
    """60 tables: at 95 % there are fewer than 53 with a probability of 1 %. BCa of 25 rows had 89 %."""
    module = example()
    for name, (share, method) in module.coverage(task, *module.SPLITS[splits], tables=60).items():
        assert share >= 53 / 60, (name, method)


def test_the_correction_for_shared_training_rows():
    found = evaluate(sf.LinearRegression(), X, Y, splits=7)
    assert held_out_ratio(found.folds) == pytest.approx(3 / 18)


def test_an_interval_stays_within_the_bounds_of_its_measure():
    """Without one fold the fit is perfect, so that there is no scale on which to compute."""
    x = np.arange(40.0)
    y = x.copy()
    y[7] = 9.0
    found = sf.evaluate(sf.LinearRegression(), x[:, None], y, splits=5, measures="r2").intervals["r2"]
    assert found.low <= found.value <= found.high <= 1.0
