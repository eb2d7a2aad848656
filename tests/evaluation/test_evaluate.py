"""`evaluate`, compared with scikit-learn's cross_validate."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import DBSCAN
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import Folds, MonteCarlo, corrected_t, evaluate, wilson
from suffice.evaluation.results import held_out_ratio

IRIS, CRABS, GEYSER = (sf.datasets.load(name) for name in ("iris", "crabs", "faithful"))
X, Y = IRIS.matrix(), IRIS["species"]
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())


def test_scores_and_answers_of_cross_validate():
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    found = evaluate(LOGISTIC, X, Y, splits=5, measures=("accuracy", "log_loss", "roc_auc", "f1"))
    scoring = {"accuracy": "accuracy", "log_loss": "neg_log_loss", "roc_auc": "roc_auc_ovr", "f1": "f1_macro"}
    theirs = cross_validate(LOGISTIC, X, Y, cv=cv, scoring=scoring)
    for name in scoring:
        sign = -1 if name == "log_loss" else 1
        assert_allclose(found.scores[name], sign * theirs[f"test_{name}"])
    assert_array_equal(found.predicted, cross_val_predict(LOGISTIC, X, Y, cv=cv))
    assert_allclose(found.probability, cross_val_predict(LOGISTIC, X, Y, cv=cv, method="predict_proba"))
    assert [fold.test.tolist() for fold in found.folds] == [test.tolist() for _, test in cv.split(X, Y)]
    assert all(fold.fit_seconds > 0 and fold.predict_seconds > 0 for fold in found.folds)
    assert_array_equal(found.models[2].predict(X[:3]), Y[:3])


def test_numbers_of_cross_validate():
    x, y = GEYSER.matrix(["eruptions"]), GEYSER["waiting"]
    found = evaluate(LinearRegression(), x, y, splits=KFold(7), measures=("mse", "mae", "r2"))
    names = {"mse": "neg_mean_squared_error", "mae": "neg_mean_absolute_error", "r2": "r2"}
    theirs = cross_validate(LinearRegression(), x, y, cv=KFold(7), scoring=names)
    for name in names:
        assert_allclose(found.scores[name], (1 if name == "r2" else -1) * theirs[f"test_{name}"])
    assert found.intervals["mse"].value == pytest.approx(np.mean((found.predicted - y) ** 2))
    plain = found.jackknife("mse")
    assert_allclose(plain.pseudo_values(), found.scores["mse"])
    theirs = corrected_t(found.scores["mse"], [len(f.train) for f in found.folds], [len(f.test) for f in found.folds])
    half = plain.spread(held_out_ratio(found.folds)).interval(0.95)
    assert_allclose(half.high - half.low, theirs.high - theirs.low)


def test_a_rate_of_rows_tested_once_has_wilsons_interval():
    found = evaluate(sf.GaussianNB(), X, Y, splits=10)
    right = int((found.predicted == Y).sum())
    assert found.interval("accuracy") == wilson(right, 150)
    assert found.interval("accuracy", "corrected_t").method == "corrected t"
    assert found.interval("accuracy", "bca").value == right / 150
    assert found.interval("accuracy", level=0.5).high < found.interval("accuracy").high


def test_leave_one_out_is_pooled():
    x, y = GEYSER.matrix(["eruptions"])[:40], GEYSER["waiting"][:40]
    found = evaluate(LinearRegression(), x, y, splits="leave_one_out", resamples=200)
    assert len(found.folds) == 40
    assert found.intervals["rmse"].method == "corrected t"
    assert found.intervals["rmse"].value == pytest.approx(np.sqrt(np.mean((found.predicted - y) ** 2)))


def test_monte_carlo_tests_rows_more_than_once():
    found = evaluate(sf.GaussianNB(), X, Y, splits=MonteCarlo(8, 0.2), resamples=50)
    assert [len(fold.test) for fold in found.folds] == [30] * 8
    assert all(np.bincount(pd.factorize(Y[fold.test])[0]).tolist() == [10] * 3 for fold in found.folds)
    assert not found.tested_once
    assert found.intervals["accuracy"].method == "corrected t"
    assert found.interval("accuracy", "bca").low <= found.interval("accuracy", "bca").value
    with pytest.raises(InvalidParameter, match="tested more than once"):
        found.interval("accuracy", "wilson")


def test_rows_that_were_not_tested_have_no_prediction():
    found = evaluate(sf.GaussianNB(), X, Y, splits="holdout", resamples=50)
    assert sum(label is None for label in found.predicted) == 150 - 38
    assert np.isnan(found.probability).any(axis=1).sum() == 150 - 38


def test_repeated_folds():
    found = evaluate(sf.GaussianNB(), X, Y, splits=Folds(3, repeats=4))
    assert len(found.folds) == 12
    assert np.bincount(found.answers.rows).tolist() == [4] * 150


def test_groups_are_never_cut(rng):
    groups = rng.integers(0, 12, 150)
    for splits in (4, MonteCarlo(5, 0.3), "leave_one_out", GroupKFold(3)):
        found = evaluate(sf.GaussianNB(), X, Y, splits=splits, groups=groups, measures="accuracy", resamples=50)
        for fold in found.folds:
            assert not set(groups[fold.train]) & set(groups[fold.test])
        assert found.intervals["accuracy"].method != "Wilson"


def test_groups_are_drawn_whole(rng):
    """Ten copies of each row in one group: the interval must not shrink."""
    base = rng.choice(150, 50, replace=False)
    copies, groups = np.repeat(base, 10), np.repeat(np.arange(50), 10)
    found = evaluate(sf.GaussianNB(), X[copies], Y[copies], groups=groups, splits=5, measures="accuracy")
    grouped, naive = found.interval("accuracy", "bca"), found.interval("accuracy", "wilson")
    assert grouped.high - grouped.low > 1.5 * (naive.high - naive.low)


def test_a_search_inside_never_sees_the_rows_tested_on():
    """The same as a search of scikit-learn in each fold, with the same inner splits."""
    grid = {"logisticregression__C": [0.001, 0.1, 10.0]}
    found = evaluate(LOGISTIC, X, Y, splits=3, search=grid, inner=StratifiedKFold(3), measures="log_loss", refit=True)
    for fold in found.folds:
        inside = GridSearchCV(LOGISTIC, grid, cv=StratifiedKFold(3), scoring="neg_log_loss")
        inside.fit(X[fold.train], Y[fold.train])
        assert fold.params == inside.best_params_
        assert_allclose(fold.probability, inside.predict_proba(X[fold.test]))
    everything = GridSearchCV(LOGISTIC, grid, cv=StratifiedKFold(3), scoring="neg_log_loss").fit(X, Y)
    assert_allclose(found.final.predict_proba(X), everything.predict_proba(X))


def test_few_rows_of_a_class_make_fewer_folds_inside():
    few = np.array(["a"] * 40 + ["b"] * 4)
    found = evaluate(sf.GaussianNB(), X[:44], few, splits=2, search={"var_smoothing": [1e-9, 1e-3]}, measures="error")
    assert all(fold.params is not None for fold in found.folds)


def test_a_search_of_scikit_learn_is_a_model():
    search = GridSearchCV(LOGISTIC, {"logisticregression__C": [0.1, 1.0]}, cv=3)
    found = evaluate(search, X, Y, splits=3, sample_weight=np.ones(150), measures="accuracy")
    assert found.models[0].best_params_


def test_weights_reach_the_fit_and_the_measures(rng):
    weight = rng.integers(1, 4, 150).astype(float)
    found = evaluate(LOGISTIC, X, Y, sample_weight=weight, splits=4, measures=("accuracy", "log_loss"))
    fold = found.folds[1]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    w = weight[fold.train]
    model.fit(X[fold.train], Y[fold.train], standardscaler__sample_weight=w, logisticregression__sample_weight=w)
    assert_allclose(fold.probability, model.predict_proba(X[fold.test]))
    right = fold.predicted == Y[fold.test]
    assert found.scores["accuracy"][1] == pytest.approx(np.average(right, weights=weight[fold.test]))
    assert found.intervals["accuracy"] == wilson(weight[found.predicted == Y].sum(), weight.sum())


@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "sparse"])
def test_kinds_of_tables(kind):
    model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(tol=1e-9, max_iter=5000))
    frame = pd.DataFrame(X, columns=list("abcd"))
    table = {"list": X.tolist(), "pandas": frame, "polars": pl.from_pandas(frame), "sparse": sparse.csr_array(X)}[kind]
    found = evaluate(model, table, pd.Series(Y) if kind == "pandas" else Y, splits=3, measures="log_loss")
    same = evaluate(model, X, Y, splits=3, measures="log_loss")
    assert_allclose(found.scores["log_loss"], same.scores["log_loss"], rtol=1e-5)


def test_rows_of_text():
    from sklearn.feature_extraction.text import CountVectorizer

    texts = ["win money now", "cheap money", "win a prize", "lunch at noon", "see you at lunch", "noon meeting"] * 3
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    found = evaluate(model, texts, (["spam"] * 3 + ["ham"] * 3) * 3, splits=3)
    assert found.intervals["accuracy"].value == 1


def test_a_decision_function_ranks():
    y = CRABS["sp"]
    found = evaluate(make_pipeline(StandardScaler(), LinearSVC()), CRABS.matrix(), y, splits=4, positive="B")
    assert [one.name for one in found.measures] == ["accuracy", "balanced_accuracy", "f1", "roc_auc"]
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    theirs = cross_validate(found.models[0], CRABS.matrix(), (y == "B"), cv=cv, scoring="roc_auc")
    assert_allclose(found.scores["roc_auc"], theirs["test_score"])
    assert found.roc().area == found.roc("B").area == pytest.approx(found.roc("O").area)
    assert 0 < found.precision_recall(fold=2).baseline < 1


def test_a_class_that_a_fold_did_not_learn():
    y = np.array(["a"] * 10 + ["b"] * 10 + ["c"])
    rows = np.arange(21)
    pairs = [(rows[rows % 2 == 1], rows[rows % 2 == 0])]  # row 20 is tested only
    found = evaluate(GaussianNB(), X[:21], y, splits=pairs, measures=("accuracy", "log_loss"), resamples=50)
    assert found.folds[0].probability[:, 2].tolist() == [0] * 11
    assert np.isfinite(found.scores["log_loss"]).all()


def test_time_series_splits():
    found = evaluate(LinearRegression(), GEYSER.matrix(["eruptions"]), GEYSER["waiting"], splits=TimeSeriesSplit(4))
    assert [fold.train.max() < fold.test.min() for fold in found.folds] == [True] * 4


def test_the_same_seed_gives_the_same_bits():
    forest = RandomForestClassifier(5)
    first, second = (evaluate(forest, X, Y, splits=3, random_state=4, resamples=50) for _ in range(2))
    other = evaluate(forest, X, Y, splits=3, random_state=5, resamples=50)
    assert_array_equal(first.probability, second.probability)
    assert first.table() == second.table()
    assert not np.array_equal(first.probability, other.probability)
    assert forest.random_state is None
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    evaluate(forest, X, Y, splits=2)
    assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails where row 7 is missing from the fit."""

    def fit(self, X, y):
        if not (IRIS.matrix()[7] == X).all(axis=1).any():
            raise RuntimeError("row 7 is gone.")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_a_fold_that_fails_is_named():
    with pytest.raises(InvalidData, match=r"Fragile failed in fold \d of 5.*RuntimeError: row 7 is gone\. Mend it"):
        evaluate(Fragile(), X, Y, splits=5)


def test_the_other_folds_can_be_kept():
    found = evaluate(Fragile(), X, Y, splits=5, on_error="keep")
    (number,) = found.failed
    assert np.isnan(found.scores["accuracy"][number - 1])
    assert np.isfinite(found.scores["accuracy"]).sum() == len(found.done) == 4
    assert f"fold {number} failed: RuntimeError: row 7 is gone" in str(found)
    assert found.intervals["accuracy"] == wilson((found.predicted == Y).sum(), 120)


def test_nothing_is_left_where_all_folds_fail():
    with pytest.raises(InvalidData, match="failed in every fold"):
        evaluate(Fragile(), X + 1, Y, splits=3, on_error="keep")


def test_a_density_is_judged_by_new_rows():
    found = evaluate(sf.GaussianMixture(2), GEYSER.matrix(), splits=4)
    fold = found.folds[0]
    assert found.scores["log_likelihood"][0] == pytest.approx(fold.model.score(GEYSER.matrix()[fold.test]))
    assert len(found.answers.log_density) == 272


def test_a_clustering_is_judged_with_and_without_classes():
    with_classes = evaluate(sf.KMeans(3), X, Y)
    assert [one.name for one in with_classes.measures] == [
        "adjusted_rand",
        "alignment_accuracy",
        "purity",
        "silhouette",
    ]
    assert len(with_classes.folds) == 10
    assert 0.5 < with_classes.intervals["adjusted_rand"].value < 0.9
    without = evaluate(sf.KMeans(3), X)
    assert [one.name for one in without.measures] == ["silhouette"]
    mixture = evaluate(sf.GaussianMixture(3), X, Y, measures=("log_likelihood", "adjusted_rand"), splits=3)
    assert set(mixture.scores) == {"log_likelihood", "adjusted_rand"}


def test_a_clustering_that_cannot_place_new_rows():
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    found = evaluate(DBSCAN(eps=0.8), X, Y, splits="in_sample", resamples=50)
    labels = DBSCAN(eps=0.8).fit_predict(X)
    kept = labels != -1
    assert found.intervals["silhouette"].value == pytest.approx(silhouette_score(X[kept], labels[kept]))
    if kept.all():
        assert found.intervals["adjusted_rand"].value == pytest.approx(adjusted_rand_score(Y, labels))
    with pytest.raises(InvalidParameter, match=r"DBSCAN does not have; evaluate it on the rows.*in_sample"):
        evaluate(DBSCAN(), X, Y)


def test_what_is_printed():
    found = evaluate(sf.GaussianNB(), X, Y, splits=5, measures=("accuracy", "log_loss"))
    lines = str(found).splitlines()
    assert lines[0].startswith("GaussianNB: 150 rows, 5 folds from sums of folds, fitted in ")
    header = "measure  value  low 95 %  high 95 %  interval  mean of folds  std"
    assert re.split(r"  +", lines[2]) == header.split("  ")
    assert repr(found) == f"Evaluation(GaussianNB: accuracy {found.intervals['accuracy']}, 5 folds)"
    assert "setosa" in str(found.confusion)
    row = found.table()[0]
    assert row["measure"] == "accuracy"
    assert row["folds"] == 5
    assert row["fold_std"] == pytest.approx(found.scores["accuracy"].std(ddof=1))


def test_results_are_watched():
    with sf.recording() as trace:
        evaluate(sf.GaussianNB(), X, Y, splits=3, measures="accuracy")
    assert trace.fits[0].name == "evaluate"


def test_no_warnings_from_small_classes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate(sf.GaussianNB(), X[:23], ["a"] * 20 + ["b"] * 3, measures="accuracy")
    assert len(found.folds) == 3


def test_accuracy_covers_the_future():
    """The pooled rate of ten folds against the true error of the rule learned from all rows, known for two normals."""
    rng, covered, runs = np.random.default_rng(1), 0, 60
    for _ in range(runs):
        y = np.arange(100) % 2
        x = rng.normal(size=(100, 1)) + 2 * y[:, None]
        found = evaluate(sf.GaussianNB(), x, y, splits=5, measures="accuracy", keep_models=False)
        covered += 0.8413 in found.intervals["accuracy"]
    assert covered / runs > 0.85


def test_what_acting_on_rows_left_out_costs():
    crabs = sf.datasets.load("crabs")
    X, y = crabs.matrix(["FL", "RW"]), crabs["sp"]
    made = sf.evaluate(sf.GaussianNB(), X, y, splits=4, sample_weight=np.arange(200) % 3)
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    paid = made.cost(costs, actions=["keep", "release"], doubt=0.4)
    table = np.column_stack([costs, [0.4, 0.4]])
    best = np.argmin(made.probability @ table, axis=1)
    own = table[(y == "O").astype(int), best]
    weight = np.arange(200) % 3
    assert paid.realised.value == pytest.approx(np.average(own, weights=weight))
    assert [one.action for one in paid.by_action] == ["keep", "release", "doubt"]
    assert sum(one.share * one.realised for one in paid.by_action) == pytest.approx(paid.realised.value)
    assert sum(one.weight for one in paid.by_action) == weight.sum()
    with pytest.raises(InvalidParameter, match="doubt must be"):
        made.cost(doubt=-1)
    with pytest.raises(InvalidParameter, match="gives no probabilities, and costs need them"):
        sf.evaluate(sf.LinearSVC(), X, y, splits=2).cost(costs)
