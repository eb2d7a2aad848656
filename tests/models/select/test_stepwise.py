"""Greedy selection: against scikit-learn, against refitting, and where columns matter only together."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.resampling import Forward, MonteCarlo

BOTH = [sf.ForwardSelection, sf.BackwardSelection]


def table(n=200, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5
    return X, X[:, 2] + 2 * X[:, -1] - X[:, 1] + rng.normal(size=n)


@pytest.mark.parametrize("kind", BOTH)
def test_the_columns_of_scikit_learn(kind):
    X, y = table()
    ours = kind(n_features_to_select=3, measure="mse", folds=KFold(5)).fit(X, y)
    direction = "forward" if kind is sf.ForwardSelection else "backward"
    theirs = SequentialFeatureSelector(
        LinearRegression(), n_features_to_select=3, direction=direction, scoring="neg_mean_squared_error", cv=KFold(5)
    ).fit(X, y)
    assert_array_equal(ours.get_support(), theirs.get_support())


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("folds", [5, KFold(4), Forward(3), MonteCarlo(3)])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (sf.LinearRegression(), LinearRegression()),
        (sf.LinearRegression(fit_intercept=False), LinearRegression(fit_intercept=False)),
        (sf.Ridge(50.0), Ridge(50.0)),
        (sf.Ridge(3.0, fit_intercept=False), Ridge(3.0, fit_intercept=False)),
    ],
)
def test_moments_give_the_path_of_refitting(kind, folds, ours, theirs):
    X, y = table(120, 5)
    weight = np.random.default_rng(1).integers(0, 3, 120).astype(float)
    for own in (None, weight):
        if folds == 5 and own is None:
            continue  # these folds are by content, and of moments also by that of y
        one, other = (
            kind(model, patience=None, folds=KFold(5) if folds == 5 else folds).fit(X, y, own)
            for model in (ours, theirs)
        )
        assert_array_equal(one.path_.steps, other.path_.steps)
        assert_allclose(one.path_.each, other.path_.each, rtol=1e-10)
        assert_allclose(one.path_.value, other.path_.value, rtol=1e-10)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(12, 40), st.booleans(), st.sampled_from([0.0, 2.0]))
def test_any_small_table(seed, d, n, intercept, alpha):
    """Moments and refits agree, also where columns repeat others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)).astype(float)
    y = rng.normal(size=n)
    ours = sf.Ridge(alpha, fit_intercept=intercept) if alpha else sf.LinearRegression(fit_intercept=intercept)
    theirs = Ridge(alpha, fit_intercept=intercept) if alpha else LinearRegression(fit_intercept=intercept)
    for kind in BOTH:
        one = kind(ours, patience=None, folds=KFold(3), measure="mse").fit(X, y)
        path = one.path_
        for step in range(len(path.steps)):
            columns = path.columns(step)
            squares = []
            for train, test in KFold(3).split(X):
                fitted = theirs.fit(X[np.ix_(train, columns)], y[train])
                rank = np.linalg.matrix_rank(X[np.ix_(train, columns)] - intercept * X[np.ix_(train, columns)].mean(0))
                if rank < len(columns) and not alpha:
                    return  # the shortest of many solutions, of which none is told from few rows
                squares.append(np.mean((fitted.predict(X[np.ix_(test, columns)]) - y[test]) ** 2))
            assert_allclose(path.each[step], squares, rtol=1e-7)


@pytest.mark.parametrize("kind", BOTH)
def test_columns_that_others_determine_add_nothing(kind):
    X, y = table(100, 4)
    twice = np.column_stack([X, X[:, 2], X[:, 0] + X[:, 1], np.ones(100)])
    plain, model = (kind(patience=None, measure="mse", folds=KFold(5)).fit(rows, y) for rows in (X, twice))
    assert_allclose(model.path_.value.min(), plain.path_.value.min(), rtol=1e-9)
    assert len(model.get_support(indices=True)) == len(plain.get_support(indices=True))


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("far", [1e-2, 1e-4])
def test_columns_that_are_nearly_alike(kind, far):
    """Each step is the best that refits with scikit-learn find, and their errors are its errors."""
    X, y = table(100, 4)
    X = np.column_stack([X, X[:, 0] + far * np.sin(np.arange(100)), X[:, 1] + far * np.cos(np.arange(100))])
    path = kind(patience=None, measure="mse", folds=KFold(3)).fit(X, y).path_
    for step in range(len(path.steps)):
        columns = path.columns(step)
        if len(columns):
            how = {"cv": KFold(3), "scoring": "neg_mean_squared_error"}
            scored = cross_val_score(LinearRegression(), X[:, columns], y, **how)
            assert_allclose(path.each[step], -scored, rtol=1e-6)


@pytest.mark.parametrize("kind", BOTH)
def test_more_columns_than_rows(kind):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 50))
    y = 3 * X[:, 7] + rng.normal(size=30)
    model = kind(n_features_to_select=2).fit(X, y)
    assert model.get_support().sum() == 2
    if kind is sf.ForwardSelection:
        assert model.get_support()[7]


def test_columns_that_matter_only_together():
    """The target is whether two columns have the same sign: forward, neither is worth taking."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = np.where(X[:, 1] * X[:, 4] > 0, "same", "other")
    tree = sf.DecisionTreeClassifier(max_depth=6, min_samples_leaf=5)
    back = sf.BackwardSelection(tree).fit(X, y)
    forward = sf.ForwardSelection(tree, patience=1).fit(X, y)
    assert back.get_support(indices=True).tolist() == [1, 4]
    assert back.path_.value[back.path_.chosen] > 0.9
    assert forward.path_.value[forward.path_.chosen] < 0.7


def test_one_standard_error_takes_fewer():
    X, y = table(150, 7, seed=3)
    best = sf.ForwardSelection(patience=None).fit(X, y)
    fewer = sf.ForwardSelection(rule="1se", patience=None).fit(X, y)
    path = fewer.path_
    assert fewer.n_features_to_select_ <= best.n_features_to_select_
    edge = path.value.min() + path.standard_error[np.argmin(path.value)]
    assert path.value[path.chosen] <= edge
    assert all(path.value[: path.chosen] > edge)


def test_the_search_ends_after_steps_without_gain():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 20))
    y = X[:, 3] + 0.1 * rng.normal(size=300)
    path = sf.ForwardSelection(patience=2).fit(X, y).path_
    best = int(np.argmin(path.value))
    assert len(path.steps) == best + 3


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    "model",
    [sf.GaussianNB(), sf.LinearDiscriminantAnalysis(), LogisticRegression(), KNeighborsClassifier(3)],
    ids=lambda model: type(model).__name__,
)
def test_any_classifier(kind, model):
    iris = sf.datasets.load("iris")
    found = kind(model, measure="log_loss" if hasattr(model, "predict_proba") else None).fit(
        iris.matrix(), iris["species"]
    )
    assert {2, 3} & set(found.get_support(indices=True).tolist())


def test_sums_of_folds_are_refits():
    """Naive Bayes by sums of folds gives the path of scikit-learn's, which is fitted anew."""
    from sklearn.naive_bayes import GaussianNB

    iris = sf.datasets.load("iris")
    X, y = iris.matrix(), iris["species"]
    ours, theirs = (
        sf.ForwardSelection(model, measure="log_loss", patience=None).fit(X, y)
        for model in (sf.GaussianNB(), GaussianNB())
    )
    assert_array_equal(ours.path_.steps, theirs.path_.steps)
    assert_allclose(ours.path_.each, theirs.path_.each, rtol=1e-6)


def test_a_class_absent_from_a_fold():
    """A class of one row is never left out; with splits of the user's it may be unknown to a fit."""
    X, y = table(60, 4)
    labels = np.where(y > 0, "up", "down").astype(object)
    labels[10] = "rare"
    model = sf.ForwardSelection(sf.GaussianNB()).fit(X, labels)
    assert model.get_support().any()
    model = sf.ForwardSelection(sf.GaussianNB(), folds=KFold(3)).fit(X, labels)
    assert np.isfinite(model.path_.value).all()


def test_in_pipelines_searches_and_frames():
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    made = make_pipeline(sf.ForwardSelection(), LinearRegression()).set_output(transform="pandas").fit(frame, y)
    assert set(made[:-1].transform(frame).columns) <= set("abcdefg")
    ours = sf.Pipeline([("select", sf.BackwardSelection()), ("model", sf.LinearRegression())]).fit(frame, y)
    assert ours.score(frame, y) > 0.9
    search = GridSearchCV(
        make_pipeline(sf.ForwardSelection(), LinearRegression()),
        {"forwardselection__n_features_to_select": [1, 3]},
    ).fit(X, y)
    assert search.best_params_["forwardselection__n_features_to_select"] == 3
    found = sf.evaluate(make_pipeline(sf.ForwardSelection(), sf.LinearRegression()), X, y, splits=4, measures="r2")
    assert found.intervals["r2"].value > 0.8


def test_files_and_plots(tmp_path):
    X, y = table(300, 5)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    source = sf.scan(tmp_path / "rows.parquet", target="y")
    inside = sf.ForwardSelection(patience=None).fit(frame[list("abcde")], y)
    model = sf.ForwardSelection(patience=None).fit(source)
    assert_array_equal(model.path_.steps, inside.path_.steps)
    assert_allclose(model.path_.each, inside.path_.each, rtol=1e-10)
    assert_allclose(model.transform(source), inside.transform(frame[list("abcde")]))
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    assert str(again.path_) == str(model.path_)
    shown = model.path_.plot(ax=False)
    assert_allclose(shown.table()["y"], model.path_.value)


def test_time_runs_forward():
    """A column that tells rows near in time apart looks useful in random folds, and is of no use in the future."""
    rng = np.random.default_rng(0)
    n = 400
    day = np.arange(n, dtype=float)
    signal = rng.normal(size=n)
    y = np.cumsum(rng.normal(size=n)) + signal
    X = np.column_stack([day, signal, rng.normal(size=n)])
    tree = sf.DecisionTreeRegressor(min_samples_leaf=5)
    random, forward = (sf.ForwardSelection(tree, folds=folds).fit(X, y) for folds in (5, Forward(5, time=day)))
    assert random.get_support()[0]
    assert random.path_.value.min() < 0.5 * forward.path_.value.min()


def test_weights_without_a_way_to_use_them():
    X, y = table(40, 3)
    labels = y > np.median(y)
    model = sf.ForwardSelection(KNeighborsClassifier(3))
    assert model.fit(X, labels, sample_weight=np.ones(40)).get_support().any()
    with pytest.raises(InvalidData, match="takes no sample_weight"):
        model.fit(X, labels, sample_weight=np.arange(40.0))


def test_several_targets():
    X, y = table()
    both = np.column_stack([y, X[:, 0] + X[:, 3]])
    one, other = (
        sf.ForwardSelection(model, patience=None, measure="mse", folds=KFold(5)).fit(X, both)
        for model in (sf.LinearRegression(), LinearRegression())
    )
    assert_array_equal(one.path_.steps, other.path_.steps)
    assert_allclose(one.path_.each, other.path_.each, rtol=1e-10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"model": sf.KMeans()}, "model must be None or a classifier or a regressor"),
        ({"model": sf.Ridge}, "model must be None or a classifier or a regressor"),
        ({"measure": "acuracy"}, "no measure 'acuracy'"),
        ({"measure": "accuracy"}, "accuracy measures classes"),
        ({"folds": "in_sample"}, "folds must be"),
        ({"folds": 1}, "folds must be an integer, at least 2"),
        ({"folds": [(np.arange(20), np.arange(10, 30))]}, "both learns from row 10 and tests on it"),
        ({"folds": KFold(1000)}, "n_splits=1000"),
        ({"rule": "2se"}, "rule must be"),
        ({"n_features_to_select": 9}, "at most the number of columns, 7; got 9"),
        ({"n_features_to_select": 0}, "n_features_to_select must be"),
    ],
)
def test_refusals(given, words):
    X, y = table(60)
    with pytest.raises((InvalidParameter, InvalidData, ValueError), match=words):
        sf.ForwardSelection(**given).fit(X, y)


def test_rows_that_are_all_alike():
    with pytest.raises(InvalidData, match="at least 2"):
        sf.ForwardSelection().fit(np.ones((6, 2)), np.ones(6))
    with pytest.raises(InvalidData, match="at least 2 rows that differ"):
        sf.ForwardSelection(sf.GaussianNB()).fit(np.ones((6, 2)), [0, 1] * 3)
