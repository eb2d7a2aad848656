"""Measures, compared with scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.evaluation import align, evaluate
from suffice.resampling import MEASURES, Answers, Measure, detection_cost, f_beta


def answers_of(rng, classes, n=60, weighted=False):
    truth, p = rng.integers(0, classes, n), rng.dirichlet(np.ones(classes), n)
    p = (p + np.eye(classes)[truth]) / 2
    predicted = np.where(rng.random(n) < 0.2, rng.integers(0, classes, n), p.argmax(axis=1))
    weight = rng.random(n) if weighted else np.ones(n)
    positive = 1 if classes == 2 else None
    return Answers(np.arange(n), weight, truth, predicted, p, classes=tuple(range(classes)), positive=positive)


THEIRS = {
    "accuracy": metrics.accuracy_score,
    "error": metrics.zero_one_loss,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "precision_macro": lambda *a, **k: metrics.precision_score(*a, average="macro", **k),
    "recall_macro": lambda *a, **k: metrics.recall_score(*a, average="macro", **k),
    "f1_macro": lambda *a, **k: metrics.f1_score(*a, average="macro", **k),
    "f1_micro": lambda *a, **k: metrics.f1_score(*a, average="micro", **k),
}
THEIRS_OF_TWO = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "specificity": lambda *a, **k: metrics.recall_score(*a, pos_label=0, **k),
    "miss_rate": lambda *a, **k: 1 - metrics.recall_score(*a, **k),
    "false_positive_rate": lambda *a, **k: 1 - metrics.recall_score(*a, pos_label=0, **k),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", THEIRS)
def test_rates_of_scikit_learn(rng, name, classes, weighted):
    answers = answers_of(rng, classes, weighted=weighted)
    theirs = THEIRS[name](answers.truth, answers.predicted, sample_weight=answers.weight)
    assert MEASURES[name](answers) == pytest.approx(theirs)


@pytest.mark.parametrize("name", THEIRS_OF_TWO)
def test_rates_of_two_classes(rng, name):
    answers = answers_of(rng, 2, weighted=True)
    theirs = THEIRS_OF_TWO[name](answers.truth, answers.predicted, sample_weight=answers.weight)
    assert MEASURES[name](answers) == pytest.approx(theirs)
    share, of = MEASURES[name].counts(answers) if MEASURES[name].counts else (theirs, 1)
    assert share / of == pytest.approx(theirs)


@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_of_scikit_learn(rng, classes):
    answers = answers_of(rng, classes, weighted=True)
    y, p, w = answers.truth, answers.probability, answers.weight
    scores = p[:, 1] if classes == 2 else p
    area = metrics.roc_auc_score(y, scores, sample_weight=w, multi_class="ovr")
    one_hot = y if classes == 2 else np.eye(classes)[y]
    assert MEASURES["log_loss"](answers) == pytest.approx(metrics.log_loss(y, p, sample_weight=w))
    assert MEASURES["roc_auc"](answers) == pytest.approx(area)
    theirs = metrics.average_precision_score(one_hot, scores, sample_weight=w)
    assert MEASURES["average_precision"](answers) == pytest.approx(theirs)
    assert MEASURES["brier"](answers) == pytest.approx(metrics.brier_score_loss(y, scores, sample_weight=w))


@pytest.mark.parametrize("targets", [1, 2])
def test_numbers_of_scikit_learn(rng, targets):
    shape = (50,) if targets == 1 else (50, targets)
    y, w = rng.normal(size=shape), rng.random(50)
    said = y + rng.normal(size=shape)
    answers = Answers(np.arange(50), w, y, said)
    assert MEASURES["mse"](answers) == pytest.approx(metrics.mean_squared_error(y, said, sample_weight=w))
    assert MEASURES["mae"](answers) == pytest.approx(metrics.mean_absolute_error(y, said, sample_weight=w))
    assert MEASURES["r2"](answers) == pytest.approx(metrics.r2_score(y, said, sample_weight=w))
    assert MEASURES["rmse"](answers) == pytest.approx(MEASURES["mse"](answers) ** 0.5)


def test_correlation_of_numpy(rng):
    y, said = rng.normal(size=(2, 40))
    answers = Answers(np.arange(40), np.ones(40), y, said)
    assert MEASURES["correlation"](answers) == pytest.approx(np.corrcoef(y, said)[0, 1])
    assert np.isnan(MEASURES["correlation"](Answers(np.arange(40), np.ones(40), y, np.ones(40))))
    assert np.isnan(MEASURES["r2"](Answers(np.arange(1), np.ones(1), y[:1], said[:1])))


def test_f_beta_and_cost_by_hand():
    """TP 3, FN 1, FP 2, TN 4."""
    truth, predicted = np.repeat([1, 0], [4, 6]), np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
    answers = Answers(np.arange(10), np.ones(10), truth, predicted, classes=(0, 1), positive=1)
    assert f_beta(2)(answers) == pytest.approx(metrics.fbeta_score(truth, predicted, beta=2))
    assert detection_cost(1, 10)(answers) == pytest.approx(2 * 1 + 1 * 10)
    assert detection_cost(1, 10, per_row=True)(answers) == pytest.approx((2 * 1 + 1 * 10) / 10)
    assert MEASURES["detection_cost"](answers) == pytest.approx(3)
    assert MEASURES["detection_cost_per_row"](answers) == pytest.approx(0.3)


def test_the_total_cost_is_of_the_table_whatever_is_left_out():
    """A jackknife or a bootstrap gives rows other weights; how many rows the table has does not change with them."""
    truth, predicted = np.repeat([1, 0], [4, 6]), np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
    answers = Answers(np.arange(10), np.full(10, 2.0), truth, predicted, classes=(0, 1), positive=1)
    assert detection_cost(1, 10)(answers) == 24
    without = answers.weighted(np.where(np.arange(10) < 5, 2.0, 0.0))  # one miss and one false alarm of five rows
    assert detection_cost(1, 10)(without) == pytest.approx(11 / 5 * 20)
    twice = Answers.joined([answers, answers])
    assert detection_cost(1, 10)(twice) == 24


def test_the_interval_of_the_total_cost_is_that_of_a_row_times_the_rows():
    iris = sf.datasets.load("iris")
    for splits in (5, "holdout", sf.evaluation.Folds(5, repeats=2)):
        costs = [detection_cost(1, 10), detection_cost(1, 10, per_row=True)]
        found = evaluate(sf.GaussianNB(), iris.matrix(), iris["species"] == "virginica", measures=costs, splits=splits)
        total, per_row = found.intervals.values()
        size = len(np.unique(found.answers.rows))
        assert [total.value, total.low, total.high] == pytest.approx(
            [size * per_row.value, size * per_row.low, size * per_row.high]
        )


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=3, max_size=25))
def test_whole_weights_are_repeated_rows(rows):
    truth, predicted, weight = np.array(rows).T
    p = np.eye(3)[predicted] * 0.7 + 0.1
    once = Answers(np.arange(len(rows)), weight.astype(float), truth, predicted, p, classes=(0, 1, 2))
    again = [np.repeat(a, weight, axis=0) for a in (once.rows, once.truth, once.predicted, p)]
    twice = Answers(again[0], np.ones(weight.sum()), *again[1:], classes=(0, 1, 2))
    for name in ("accuracy", "f1", "precision_micro", "specificity", "log_loss", "brier"):
        assert MEASURES[name](once) == pytest.approx(MEASURES[name](twice), nan_ok=True)


@pytest.mark.parametrize("name", ["alignment_accuracy", "purity", "greedy_accuracy", "rand", "adjusted_rand"])
def test_clusters_are_aligned(rng, name):
    truth, labels = rng.integers(0, 3, 50), rng.integers(-1, 3, 50)
    found = align(labels, truth)
    answers = Answers(np.arange(50), np.ones(50), truth, labels)
    ours = getattr(found, name.replace("alignment_", ""))
    assert MEASURES[name](answers) == ours


def test_what_was_called_none_of_the_classes_is_wrong():
    answers = Answers(
        np.arange(3), np.ones(3), np.array([0, 1, 1]), np.array([0, 2, 1]), classes=("a", "b"), positive=1
    )
    assert MEASURES["accuracy"](answers) == MEASURES["error"](answers) * 2 == pytest.approx(2 / 3)
    assert MEASURES["recall"](answers) == 0.5
    assert MEASURES["precision"](answers) == 1


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_described(name):
    one = MEASURES[name]
    assert one.doc.endswith(".")
    assert one.bounds[0] < one.bounds[1]
    assert repr(one) == f"Measure('{one.name}')"


@pytest.mark.parametrize("make", [lambda: f_beta(0), lambda: detection_cost(-1), lambda: detection_cost(1, "x")])
def test_bad_settings(make):
    with pytest.raises(InvalidParameter, match="must be a number"):
        make()


def test_a_measure_of_ones_own():
    iris = sf.datasets.load("iris")
    wrong = Measure("mistakes", "classes", lambda a: float(np.sum(a.truth != a.predicted)), False, bounds=(0, np.inf))
    found = evaluate(sf.GaussianNB(), iris.matrix(), iris["species"], measures=[wrong], splits=5)
    assert found.scores["mistakes"].sum() == (found.predicted != iris["species"]).sum()
