"""Confusion matrices and ranking curves, compared with scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import confusion, precision_recall, precision_recall_area, roc, roc_area, wilson

CLASSES = np.array(["ant", "bee", "cat"])


@pytest.fixture
def answers(rng):
    y = CLASSES[rng.integers(0, 3, 80)]
    return y, np.where(rng.random(80) < 0.6, y, CLASSES[rng.integers(0, 3, 80)]), rng.random(80) * 3


@pytest.mark.parametrize("weighted", [False, True])
def test_rates_of_scikit_learn(answers, weighted):
    y, predicted, weight = answers
    weight = weight if weighted else None
    found = confusion(y, predicted, weight)
    assert_allclose(found.table, metrics.confusion_matrix(y, predicted, sample_weight=weight))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, predicted, sample_weight=weight)
    assert_allclose(found.rate("precision"), precision)
    assert_allclose(found.rate("recall"), recall)
    assert_allclose(found.rate("f1"), f1)
    for average in ("macro", "micro"):
        theirs = metrics.f1_score(y, predicted, average=average, sample_weight=weight)
        assert found.rate("f1", average) == pytest.approx(theirs)


def test_rates_by_hand():
    """TP 3, FN 1, FP 2, TN 4."""
    found = confusion([1] * 4 + [0] * 6, [1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
    rates = found.rates()[1]
    assert rates == {
        "class": 1, "rows": 4, "precision": 3 / 5, "recall": 3 / 4, "specificity": 4 / 6,
        "false_positive_rate": 2 / 6, "miss_rate": 1 / 4, "f1": 6 / 9,
    }  # fmt: skip
    assert found.interval("recall", 1) == wilson(3, 4)
    assert found.accuracy == wilson(7, 10)


def test_what_was_never_called_has_no_precision_and_counts_as_zero_on_average():
    found = confusion(["a", "a", "b"], ["a", "a", "a"])
    assert_array_equal(found.rate("precision"), [2 / 3, np.nan])
    assert found.rate("precision", "macro") == pytest.approx(1 / 3)


def test_what_does_not_occur_is_left_out():
    found = confusion(["a", "a"], ["a", "b"])
    assert_array_equal(found.rate("recall"), [0.5, np.nan])
    assert found.rate("recall", "macro") == 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda c: c.rate("recal"), "Did you mean 'recall'"),
        (lambda c: c.rate("recall", "mean"), "'macro', 'micro' or None; got 'mean'"),
        (lambda c: c.interval("f1", "a"), "got 'f1'"),
        (lambda c: c.interval("recall", "z"), "no class 'z'"),
    ],
)
def test_bad_names(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make(confusion(["a", "b"], ["a", "b"]))


def test_lengths_must_agree():
    with pytest.raises(InvalidData, match="one class a row"):
        confusion(["a"], ["a", "b"])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_curves_of_scikit_learn(rng, ties, weighted):
    yes, score = rng.random(70) < 0.4, rng.normal(size=70)
    score = np.round(score + yes) if ties else score + yes
    weight = rng.random(70) if weighted else None
    curve = roc(yes, score, weight)
    x, y, thresholds = metrics.roc_curve(yes, score, sample_weight=weight, drop_intermediate=False)
    assert_allclose(np.stack([curve.x, curve.y]), np.stack([x, y]), atol=1e-12)
    assert_allclose(curve.thresholds, thresholds)
    assert curve.area == pytest.approx(metrics.roc_auc_score(yes, score, sample_weight=weight))
    curve = precision_recall(yes, score, weight)
    p, r, _ = metrics.precision_recall_curve(yes, score, sample_weight=weight)
    assert_allclose(np.stack([curve.y, curve.x])[:, ::-1], np.stack([p, r]), atol=1e-12)
    assert curve.area == pytest.approx(metrics.average_precision_score(yes, score, sample_weight=weight))
    assert curve.baseline == pytest.approx(np.average(yes, weights=weight))


def test_weights_are_repeated_rows(rng):
    yes, score, weight = rng.random(40) < 0.5, rng.normal(size=40).round(1), rng.integers(0, 4, 40)
    again = np.repeat(yes, weight), np.repeat(score, weight)
    assert roc_area(yes, score, weight) == pytest.approx(roc_area(*again))
    assert precision_recall_area(yes, score, weight) == pytest.approx(precision_recall_area(*again))


def test_chance_has_the_area_of_the_baseline(rng):
    yes, score = rng.random(20_000) < 0.3, rng.random(20_000)
    for curve in (roc(yes, score), precision_recall(yes, score)):
        assert curve.area == pytest.approx(curve.baseline, abs=0.02)


def test_one_class_has_no_area():
    assert np.isnan(roc_area([True, True], [0.1, 0.2]))
    assert np.isnan(precision_recall_area([False, False], [0.1, 0.2]))


def test_a_table_of_points():
    assert roc([False, True], [0.2, 0.7]).table()[1] == {
        "threshold": 0.7, "false positive rate": 0.0, "true positive rate": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("score", "words"), [([0.1], "one truth and one score a row"), ([np.nan, 1], "row 0 holds NaN")]
)
def test_bad_scores(score, words):
    with pytest.raises(InvalidData, match=words):
        roc([True, False], score)
