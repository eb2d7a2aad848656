"""Searches: what they find, choose and say; scikit-learn's as the reference."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier as SklearnNeighbors

import suffice as sf
from suffice.errors import InvalidData, TimeLimit
from suffice.evaluation import Folds, evaluate
from suffice.selection import search

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]
GEYSER = sf.datasets.load("faithful")
MINUTES, WAITING = GEYSER.matrix(["eruptions"]), GEYSER["waiting"]
SPACE = {"n_neighbors": [1, 5, 15, 50], "weights": ["uniform", "distance"]}


def scores(found, measure):
    return {tuple(sorted(one.params.items())): one.scores[measure] for one in found.candidates}


def test_grid_is_that_of_scikit_learn():
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = search(SklearnNeighbors(), SPACE, X, Y, splits=folds, measures="accuracy")
    theirs = GridSearchCV(SklearnNeighbors(), SPACE, cv=folds, scoring="accuracy").fit(X, Y)
    kept = theirs.cv_results_
    for i, params in enumerate(kept["params"]):
        own = scores(ours, "accuracy")[tuple(sorted(params.items()))]
        assert_allclose(own, [kept[f"split{k}_test_score"][i] for k in range(5)])
    assert ours.value == pytest.approx(theirs.best_score_)


@pytest.mark.parametrize("measures", ["accuracy", "log_loss", "roc_auc"])
def test_values_are_those_of_evaluate(measures):
    found = search(sf.KNeighborsClassifier(), SPACE, X, Y, measures=measures)
    for one in (found.candidates[0], found.best):
        beside = evaluate(sf.KNeighborsClassifier(**one.params), X, Y, splits=5, measures=measures)
        assert one.values[measures] == beside.value()
        assert_array_equal(one.scores[measures], beside.scores[measures])


def test_candidates_of_sums_are_those_of_refitting():
    space = {"alpha": [0.01, 1.0, 100.0]}
    ours = search(sf.Ridge(), space, MINUTES, WAITING, measures=["rmse", "r2"])
    theirs = search(SklearnRidge(), space, MINUTES, WAITING, measures=["rmse", "r2"])
    assert all(one.summed for one in ours.candidates)
    assert not any(one.summed for one in theirs.candidates)
    for one, other in zip(ours.candidates, theirs.candidates, strict=True):
        assert_allclose(one.scores["rmse"], other.scores["rmse"], rtol=1e-9)
        assert_allclose(one.values["r2"], other.values["r2"], rtol=1e-9)
    assert "from sums of folds" in str(ours)
    assert "from sums" not in str(theirs)


def test_leave_one_out_by_formula():
    space = {"alpha": [0.1, 10.0]}
    ours = search(sf.Ridge(), space, MINUTES, WAITING, splits="leave_one_out", measures="rmse")
    for one in ours.candidates:
        beside = evaluate(SklearnRidge(**one.params), MINUTES, WAITING, splits="leave_one_out", measures="rmse")
        assert one.values["rmse"] == pytest.approx(beside.value(), rel=1e-9)


def test_one_standard_error_rule():
    space = {"max_depth": [1, 2, 3, 4, 8, None]}
    best = search(sf.DecisionTreeClassifier(), space, X, Y, measures="accuracy")
    simple = search(sf.DecisionTreeClassifier(), space, X, Y, measures="accuracy", rule="one_se", simpler="-max_depth")
    within = best.value - best.best.errors["accuracy"]
    depths = [one.params["max_depth"] for one in best.candidates if one.values["accuracy"] >= within]
    assert simple.params["max_depth"] == min(depth for depth in depths if depth is not None)
    by_function = search(sf.DecisionTreeClassifier(), space, X, Y, measures="accuracy", rule="one_se",
                         simpler=lambda params: -(params["max_depth"] or 99))  # fmt: skip
    assert by_function.params == simple.params


def test_several_measures_and_by():
    found = search(sf.KNeighborsClassifier(), SPACE, X, Y, measures=["accuracy", "log_loss"])
    other = found.by("log_loss")
    assert other.value == min(one.values["log_loss"] for one in found.candidates)
    assert other.table()[0]["log_loss"] == other.value
    assert found.by("accuracy").params == found.params


def test_strategies_are_reproducible_and_stay_in_the_space():
    space = {"C": sf.Between(0.01, 100.0, log=True), "gamma": sf.Between(0.001, 10.0, log=True)}
    for strategy in (sf.RandomSearch(6), sf.HalvingSearch(6, 2), sf.BayesianSearch(6, 3), sf.GridSearch(2)):
        runs = [search(sf.SVC(), space, X, Y, strategy=strategy, measures="accuracy") for _ in range(2)]
        assert [dict(a.params) for a in runs[0].candidates] == [dict(b.params) for b in runs[1].candidates]
        assert all(0.01 <= one.params["C"] <= 100 for one in runs[0].candidates)
        assert len(runs[0].candidates) == strategy.total(runs[0].plan.space)


def test_random_draws_differ_and_end_where_there_are_no_more():
    found = search(sf.KNeighborsClassifier(), SPACE, X, Y, strategy=sf.RandomSearch(100), measures="accuracy")
    assert len({tuple(one.params.values()) for one in found.candidates}) == len(found.candidates) == 8
    few = search(sf.KNeighborsClassifier(), SPACE, X, Y, strategy=sf.RandomSearch(3), measures="accuracy")
    assert len({tuple(one.params.values()) for one in few.candidates}) == 3


def test_bayesian_search_finds_what_few_random_draws_find():
    """The least of a smooth function of two parameters, as a search sees it."""

    def loss(params):
        return (np.log10(params["a"]) - 1) ** 2 + (params["b"] - 0.3) ** 2

    from suffice.selection.searching.space import Proposal, Space

    space = Space.of({"alpha": sf.Between(1e-3, 1e3, log=True), "tol": sf.Between(0.0, 1.0)}, SklearnRidge())

    def run(strategy, seed):
        rounds = strategy.rounds(space, np.random.default_rng(seed))
        proposals, seen = next(rounds), []
        while True:
            found = [loss({"a": one.params["alpha"], "b": one.params["tol"]}) for one in proposals]
            assert all(isinstance(one, Proposal) for one in proposals)
            seen += found
            try:
                proposals = rounds.send(found)
            except StopIteration:
                return min(seen)

    seeds = range(2)
    bayes = np.mean([run(sf.BayesianSearch(16), seed) for seed in seeds])
    random = np.mean([run(sf.RandomSearch(16), seed) for seed in seeds])
    assert bayes < random / 3


def test_halving_learns_from_more_rows_in_each_round():
    found = search(sf.KNeighborsClassifier(), {"n_neighbors": [1, 2, 3, 4, 5, 7, 9, 11, 13]}, X, Y,
                   strategy=sf.HalvingSearch(9, 3), measures="accuracy")  # fmt: skip
    assert [round(one.share, 3) for one in found.candidates] == [0.111] * 9 + [0.333] * 3 + [1.0]
    assert found.best.share == 1.0
    assert found.ranking[0] is found.best


def test_nested_is_made_anew_in_each_fold():
    found = search(sf.Ridge(), {"alpha": [0.01, 1.0, 100.0]}, MINUTES, WAITING, splits=5, nested=5, measures="rmse")
    beside = evaluate(sf.Ridge(), MINUTES, WAITING, splits=5, inner=5, measures="rmse",
                      search={"alpha": [0.01, 1.0, 100.0]})  # fmt: skip
    assert [fold.params for fold in found.nested.folds] == [fold.params for fold in beside.folds]
    assert found.nested.value() == pytest.approx(beside.value(), rel=1e-12)
    assert "nested cross-validation of the whole search" in str(found)


def test_nested_is_honest_where_nothing_can_be_learned():
    """Of many candidates that are all noise the best looks better than chance; nested it does not."""
    rng = np.random.default_rng(3)
    table, coin = rng.normal(size=(60, 30)), rng.integers(0, 2, 60)
    found = search(sf.KNeighborsClassifier(), {"n_neighbors": range(1, 30)}, table, coin, nested=5, measures="accuracy")
    assert found.value > found.nested.value()
    assert found.nested.intervals["accuracy"].low < 0.5


def test_pipelines_weights_groups_and_time():
    model = sf.make_pipeline(sf.StandardScaler(), sf.KNeighborsRegressor())
    names = {"kneighborsregressor__n_neighbors": [1, 10]}
    weight = np.where(np.arange(len(WAITING)) % 3, 1.0, 2.0)
    found = search(model, names, MINUTES, WAITING, sample_weight=weight, measures="rmse")
    assert found.model["kneighborsregressor"].n_neighbors == found.params["kneighborsregressor__n_neighbors"]
    groups = np.arange(len(WAITING)) // 10
    search(model, names, MINUTES, WAITING, groups=groups, measures="rmse", nested=3)
    later = search(model, names, MINUTES, WAITING, time=np.arange(len(WAITING)), measures="rmse", nested=2)
    assert all(fold.train.max() < fold.test.min() for fold in later.nested.folds)
    assert all(max(train) < min(test) for train, test in later.problem.splits)


def test_values_that_are_models_are_copied():
    scalers = [sf.StandardScaler(), "passthrough"]
    model = sf.Pipeline([("scale", sf.StandardScaler()), ("near", sf.KNeighborsClassifier())])
    found = search(model, {"scale": scalers, "near__n_neighbors": [3, 9]}, X, Y, measures="accuracy")
    assert not hasattr(scalers[0], "mean_")
    assert len(found.candidates) == 4
    assert "sf.Pipeline" in found.code()


def test_clusters_and_densities():
    found = search(sf.KMeans(random_state=0), {"n_clusters": [2, 3, 4]}, X, measures="silhouette", splits=3)
    assert found.params["n_clusters"] == 2
    density = search(sf.GaussianMixture(random_state=0), {"n_components": [1, 2, 8]}, MINUTES)
    assert density.params["n_components"] > 1


def test_processes_give_the_same_bits():
    space = {"max_depth": [1, 2, 3]}
    one = search(RandomForestClassifier(n_estimators=5), space, X, Y, measures=["accuracy", "log_loss"])
    two = search(RandomForestClassifier(n_estimators=5), space, X, Y, measures=["accuracy", "log_loss"], n_jobs=2)
    for a, b in zip(one.candidates, two.candidates, strict=True):
        assert_array_equal(a.scores["log_loss"], b.scores["log_loss"])
        assert a.values == b.values


def test_candidates_that_fail_are_kept_with_the_reason():
    found = search(RandomForestClassifier(n_estimators=5), {"max_depth": [2, -1]}, X, Y, measures="accuracy")
    failed = found.candidates[1]
    assert "max_depth" in failed.error
    assert np.isnan(failed.values["accuracy"])
    assert found.params == {"max_depth": 2}
    assert "1 candidate failed" in str(found)
    every = search(RandomForestClassifier(n_estimators=5), {"max_depth": [-2, -1]}, X, Y, measures="accuracy")
    with pytest.raises(InvalidData, match=r"no candidate could be measured; the first: .*max_depth"):
        _ = every.best


def test_time_limit_keeps_what_is_done():
    class Slow(RandomForestClassifier):
        def fit(self, X, y):
            import time

            time.sleep(0.05)
            return super().fit(X, y)

        def __init__(self, n_estimators=2, max_depth=None, random_state=None):
            super().__init__(n_estimators, max_depth=max_depth, random_state=random_state)

    found = search(Slow(), {"max_depth": [1, 2, 3, 4, 5]}, X, Y, measures="accuracy", seconds=0.4, nested=3)
    assert 1 <= len(found.candidates) < 5
    assert found.status == "time_limit"
    assert found.nested is None
    assert "the time limit ended the search" in str(found)
    with pytest.raises(TimeLimit), sf.limits(seconds=0.01):
        search(Slow(), {"max_depth": [1]}, X, Y, measures="accuracy")


def test_interrupt_keeps_what_is_done():
    class Stopped(SklearnNeighbors):
        fits = 0

        def fit(self, X, y):
            Stopped.fits += 1
            if Stopped.fits == 8:
                raise KeyboardInterrupt
            return super().fit(X, y)

    found = search(Stopped(), {"n_neighbors": [1, 3, 5]}, X, Y, measures="accuracy")
    assert found.status == "interrupted"
    assert len(found.candidates) == 1
    assert "interrupted" in str(found)
    assert found.params == {"n_neighbors": 1}
    Stopped.fits = 7
    with pytest.raises(KeyboardInterrupt):
        search(Stopped(), {"n_neighbors": [1, 3, 5]}, X, Y, measures="accuracy")


def test_code_makes_the_model_again():
    found = search(
        sf.make_pipeline(sf.StandardScaler(), sf.Ridge()),
        {"ridge__alpha": sf.Between(0.01, 10.0, log=True)},
        MINUTES, WAITING, strategy=sf.RandomSearch(3), splits=Folds(4), measures="rmse",
        rule="one_se", simpler="ridge__alpha",
    )  # fmt: skip
    again = {"X": MINUTES, "y": WAITING}
    exec(found.code(), again)
    assert again["model"]["ridge"].coef_[0] == found.model["ridge"].coef_[0]
    assert again["found"].value == found.value
    assert again["found"].params == found.params


def test_the_result_shows_itself():
    found = search(sf.KNeighborsClassifier(), SPACE, X, Y, measures="accuracy", train=True)
    assert "<table>" in found._repr_html_()
    assert "training" in str(found)
    assert "8 candidates" in repr(found)
    assert "n_neighbors=15" in repr(found)
    assert [row["rank"] for row in found.table()] == list(range(1, 9))
    best = found.table()[0]
    assert best["accuracy"] == found.value
    assert best["error"] is None
    assert 0 < best["accuracy_training"] <= 1


def test_progress_is_told():
    from suffice.observing import Observer, observe

    class Told(Observer):
        def __init__(self):
            self.parts, self.names = [], []

        def fit_started(self, name, params):
            self.names.append(name)

        def parts_done(self, parts, total):
            self.parts.append((parts, total))

    told = Told()
    with observe(told):
        search(sf.KNeighborsClassifier(), {"n_neighbors": [1, 2, 3]}, X, Y, measures="accuracy")
    assert told.names[0] == "search"
    assert [one for one in told.parts if one[1] == 3] == [(1, 3), (2, 3), (3, 3)]
