"""Training error beside future error: the figures by hand, and words that are true."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.evaluation import Folds, Gap, detection_cost
from suffice.resampling import MEASURES, Interval


@pytest.fixture(scope="module")
def noisy():
    """Classes that one of five columns tells, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    return X, np.where(X[:, 0] + rng.normal(size=200) > 0, "yes", "no")


@pytest.mark.parametrize("splits", [5, "holdout", Folds(3, repeats=2)])
def test_training_figures_are_those_of_the_rows_of_each_fit(noisy, splits):
    X, y = noisy
    found = sf.evaluate(sf.GaussianNB(), X, y, splits=splits, measures=["accuracy", "error"], train=True)
    right = [fold.model.predict(X[fold.train]) == y[fold.train] for fold in found.folds]
    assert found.gap("accuracy").training == pytest.approx(np.mean(np.concatenate(right)))
    assert found.gap("accuracy").future == pytest.approx(found.value("accuracy"))
    assert found.gap().worse.value == pytest.approx(found.gap().training - found.gap().future)
    one, other = found.gap("accuracy").worse, found.gap("error").worse
    assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high])
    assert found.table()[0]["training"] == found.gaps["accuracy"].training


@pytest.mark.parametrize("splits", [5, "holdout"])
def test_a_total_of_training_rows_is_that_of_as_many_rows(noisy, splits):
    costs = [detection_cost(1, 5), detection_cost(1, 5, per_row=True)]
    total, per_row = sf.evaluate(sf.GaussianNB(), *noisy, splits=splits, measures=costs, train=True).gaps.values()
    size = 200 if splits == 5 else 50
    assert total.training == pytest.approx(size * per_row.training)
    assert total.worse.high == pytest.approx(size * per_row.worse.high)


def test_a_model_that_learns_by_heart_shows_overfitting(noisy):
    found = sf.evaluate(KNeighborsClassifier(1), *noisy, train=True)
    assert found.gap().training == 1
    assert found.gap().verdict == "overfitting"
    assert "a sign of overfitting: the gap of accuracy" in str(found)


def test_a_model_that_learns_nothing_shows_none():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(2000, 2)), rng.integers(0, 2, 2000)
    target = X[:, 0] + rng.normal(size=2000)
    gap = sf.evaluate(DummyClassifier(strategy="constant", constant=1), X, y, train=True, measures="brier").gap()
    assert gap.training == pytest.approx(gap.future, abs=0.01)
    large = sf.evaluate(sf.LinearRegression(), X, target, train=True, measures="r2").gap(zone=0.1)
    assert large.verdict == "none"
    assert str(large).startswith("no sign of overfitting")


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((0.02, 0.3), "overfitting"),
        ((-0.2, 0.01), "none"),
        ((-0.2, 0.02), "undecided"),
        ((0.01, 0.3), "undecided"),
        ((np.nan, np.nan), "undecided"),
    ],
)
def test_words_follow_the_interval(ends, verdict):
    gap = Gap(MEASURES["accuracy"], 0.9, 0.8, Interval(0.1, *ends, 0.95, "corrected t"), 0.01)
    assert gap.verdict == verdict
    words = {"overfitting": "a sign of overfitting", "none": "no sign of", "undecided": "undecided whether"}
    assert str(gap).startswith(words[verdict])


def test_the_interval_of_the_gap_holds_the_true_gap():
    """Of quadratic discriminants, the mean of which over many tables is known; the interval is cautious."""
    rng = np.random.default_rng(2)

    def drawn(n):
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 6)) + 0.5 * y[:, None], y

    new, hits, gaps = drawn(20_000), [], []
    for _ in range(25):
        X, y = drawn(80)
        found = sf.evaluate(sf.QuadraticDiscriminantAnalysis(), X, y, train=True, measures="error", splits=5)
        hits.append((found.gap().worse.low, found.gap().worse.high))
        for fold in found.folds:
            seen = np.mean(fold.model.predict(X[fold.train]) != y[fold.train])
            gaps.append(np.mean(fold.model.predict(new[0]) != new[1]) - seen)
    low, high = np.array(hits).T
    assert np.mean((low <= np.mean(gaps)) & (np.mean(gaps) <= high)) >= 0.9


def test_over_and_underfitting_beside_the_best():
    """A tree of one split, of a few, and with a leaf for each row, for a sine with noise."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 12, (400, 1))
    y = np.sin(x[:, 0]) + 0.5 * rng.normal(size=400)
    trees = {str(depth): DecisionTreeRegressor(max_depth=depth, random_state=0) for depth in (1, 4, None)}
    found = sf.compare(trees, x, y, measures="rmse", train=True)
    assert found.best == "4"
    assert found.fits == {"4": "", "None": "overfits", "1": "underfits", "dummy": "underfits"}
    training = {row["model"]: row["training"] for row in found.table()}
    assert training["None"] < training["4"] < training["1"] < training["dummy"]
    text = str(found)
    assert "overfits: better than 4 on training rows, and worse on new rows" in text
    assert "underfits: worse than 4 on training rows, and on new rows" in text
    shown = found.plot(ax=False)
    assert shown.training == [training[name] for name in found.ranking]
    assert sf.compare(trees, x, y, measures="rmse").plot(ax=False).training is None


def test_what_is_not_surely_worse_is_called_neither(noisy):
    models = {"naive": sf.GaussianNB(), "linear": sf.LinearDiscriminantAnalysis()}
    found = sf.compare(models, *noisy, measures="accuracy", train=True)
    other = next(name for name in models if name != found.best)
    assert found.to_best[other].verdict in ("undecided", "equivalent")
    assert found.fits[other] == ""


@pytest.mark.parametrize("model", [sf.KMeans(3), sf.GaussianMixture(2), sf.Ridge(), sf.DensityAnomaly(anomaly="no")])
def test_every_task_has_both(noisy, model):
    X, y = noisy
    target = X[:, 1] if isinstance(model, sf.Ridge) else y
    found = sf.evaluate(model, X, target, splits=3, train=True)
    assert all(np.isfinite(gap.training) for gap in found.gaps.values())


def test_a_journal_gives_the_training_answers_back(noisy, tmp_path):
    ask = {"splits": 3, "train": True, "journal": tmp_path / "runs.jsonl"}
    first, again = (sf.evaluate(sf.GaussianNB(), *noisy, **ask) for _ in range(2))
    assert first.table() == again.table()
    with pytest.raises(Exception, match="another class, other parameters"):
        sf.evaluate(sf.GaussianNB(), *noisy, **{**ask, "train": False})


def test_bad_arguments_are_one_sentence(noisy):
    X, y = noisy
    with pytest.raises(InvalidParameter, match="train must be True or False; got 'yes'"):
        sf.evaluate(sf.GaussianNB(), X, y, train="yes")
    with pytest.raises(InvalidParameter, match="splits='in_sample' leaves none"):
        sf.evaluate(sf.KMeans(2), X, splits="in_sample", train=True)
    with pytest.raises(InvalidParameter, match="ask with train=True"):
        sf.evaluate(sf.GaussianNB(), X, y).gap()
