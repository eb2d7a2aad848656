"""AdaBoost: figures of the course, bounds above the training error, and scikit-learn's answers."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as TheirTree

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

STUMP = sf.DecisionTreeClassifier(max_depth=1)


def two_moons(rng, n=200):
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no")


def test_the_first_round_of_the_course():
    """Ten rows, of which the best stump gets three wrong: ε = 0.3, α = 0.42; their weights become 1/6, others 1/14."""
    X = np.arange(10.0)[:, None]
    y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    model = sf.AdaBoostClassifier(STUMP, n_estimators=1).fit(X, y)
    assert_allclose(model.estimator_errors_, [0.3])
    assert_allclose(model.estimator_weights_, [0.5 * math.log(7 / 3)])
    assert round(float(model.estimator_weights_[0]), 2) == 0.42
    wrong = model.predict(X) != y
    assert_allclose(model.sample_weights_, np.where(wrong, 1 / 6, 1 / 14))


def test_the_bound_of_a_thousand_rounds_of_0_45():
    assert_allclose(math.exp(-2 * 1000 * (0.5 - 0.45) ** 2), 0.0067, atol=5e-5)


@pytest.mark.parametrize("by", ["weights", "sampling"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_bounds_are_above_the_training_error(rng, by, weighted):
    X, y = two_moons(rng)
    weight = rng.integers(0, 3, len(y)).astype(float) if weighted else None
    model = sf.AdaBoostClassifier(n_estimators=60, by=by, random_state=0).fit(X, y, sample_weight=weight)
    figures = model.history_
    error, tight, loose = (figures.metric(name) for name in ("training_error", "tight_bound", "bound"))
    assert (error <= tight + 1e-12).all()
    assert (tight <= loose).all()
    eps = figures.metric("weighted_error")
    eps = np.minimum(eps, 0.5)  # a learner that was refused adds nothing
    assert_allclose(loose, np.exp(-2 * np.cumsum((0.5 - eps) ** 2)))
    assert_allclose(tight, np.cumprod(2 * np.sqrt(eps * (1 - eps))), rtol=1e-10)
    used = eps[: len(model.estimators_)]
    assert_allclose(model.estimator_weights_, 0.5 * np.log((1 - used) / used))
    assert_allclose(figures.objective, tight)
    assert_allclose(error[-1], 1 - model.score(X, y, sample_weight=weight), atol=1e-12)


def test_the_objective_is_the_exponential_loss(rng):
    X, y = two_moons(rng)
    model = sf.AdaBoostClassifier(n_estimators=25).fit(X, y)
    F = model.decision_function(X) * model.estimator_weights_.sum() / 2
    assert_allclose(np.exp(-np.where(y == "yes", 1, -1) * F).mean(), model.history_.objective[-1])


def test_no_bounds_where_they_do_not_hold(rng):
    X, y = two_moons(rng)
    slow = sf.AdaBoostClassifier(n_estimators=5, learning_rate=0.5).fit(X, y)
    three = sf.AdaBoostClassifier(n_estimators=5).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    for model in (slow, three):
        assert np.isnan(model.history_.metric("bound")).all()
        assert (np.diff(model.history_.objective) < 0).all()


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_the_same_as_scikit_learn(rng, classes, rate):
    """With a learner that draws nothing."""
    X = rng.normal(size=(300, 4))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.2 * rng.normal(size=300), np.linspace(0, 2, classes - 1))
    learner = GaussianNB()
    ours = sf.AdaBoostClassifier(learner, n_estimators=6, learning_rate=rate, random_state=0).fit(X, y)
    theirs = Theirs(learner, n_estimators=6, learning_rate=rate, random_state=0).fit(X, y)
    assert_allclose(2 * ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-6)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_array_equal(mine, other)


def test_importances_are_weighted_by_votes(rng):
    X, y = two_moons(rng)
    model = sf.AdaBoostClassifier(n_estimators=9).fit(X, y)
    own = [each.feature_importances_ for each in model.estimators_]
    assert_allclose(model.feature_importances_, np.average(own, axis=0, weights=model.estimator_weights_))


def test_weights_are_repeated_rows(rng):
    X, y = two_moons(rng, 80)
    weight = rng.integers(0, 4, 80)
    weighted = sf.AdaBoostClassifier(n_estimators=15).fit(X, y, sample_weight=weight)
    repeated = sf.AdaBoostClassifier(n_estimators=15).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.estimator_weights_, repeated.estimator_weights_)
    assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_a_perfect_learner_ends_it(rng):
    X = rng.normal(size=(50, 2))
    y = X[:, 0] > 0
    model = sf.AdaBoostClassifier().fit(X, y)
    assert len(model.estimators_) == 1
    assert model.stop_reason_ == "a weak learner makes no error"
    assert model.score(X, y) == 1
    assert model.history_.metric("tight_bound")[-1] == 0 == model.history_.metric("training_error")[-1]
    assert model.history_.status == "converged"


class Stubborn(TheirTree):
    """A stump until it is asked for its third fit, then no better than chance."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Stubborn.fits += 1
        wrong = np.where(np.arange(len(y)) % 2 == 0, y, np.roll(np.unique(y), 1)[(y == np.unique(y)[1]).astype(int)])
        return super().fit(X, y if Stubborn.fits < 3 else wrong, sample_weight)

    def predict(self, X):
        found = super().predict(X)
        return found if Stubborn.fits < 3 else np.where(found == self.classes_[0], self.classes_[1], self.classes_[0])


def test_a_learner_worse_than_chance_ends_it_with_the_reason(rng):
    X, y = two_moons(rng)
    Stubborn.fits = 0
    model = sf.AdaBoostClassifier(Stubborn(max_depth=1), n_estimators=10).fit(X, y)
    assert model.stop_reason_ == "a weak learner is no better than chance"
    assert len(model.estimators_) == 2
    assert len(model.history_) == 3  # the last one was refused


def test_a_first_learner_no_better_than_chance_is_refused():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    with pytest.raises(InvalidData, match=r"weighted error of 0.5, no better than chance with 2 classes.*deeper tree"):
        sf.AdaBoostClassifier().fit(X, [0, 1, 1, 0])
    assert (
        sf.AdaBoostClassifier(sf.DecisionTreeClassifier(max_depth=2)).fit(X, [0, 1, 1, 0]).score(X, [0, 1, 1, 0]) == 1
    )


def test_one_class(rng):
    X = rng.normal(size=(10, 2))
    model = sf.AdaBoostClassifier().fit(X, np.ones(10, dtype=int))
    assert_array_equal(model.predict(X), 1)
    assert_array_equal(model.predict_proba(X), np.ones((10, 1)))


def test_learners_without_weights_are_sampled(rng):
    X, y = two_moons(rng)
    knn = KNeighborsClassifier(25)
    with pytest.raises(InvalidData, match="takes no sample_weight"):
        sf.AdaBoostClassifier(knn, n_estimators=3).fit(X, y)
    model = sf.AdaBoostClassifier(knn, n_estimators=5, by="sampling", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("learner", [sf.GaussianNB(), sf.LogisticRegression(), LogisticRegression(), RidgeClassifier()])
def test_any_weak_learner(rng, learner):
    X, y = two_moons(rng)
    model = sf.AdaBoostClassifier(learner, n_estimators=10, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6
    assert (model.history_.metric("training_error") <= model.history_.metric("tight_bound") + 1e-12).all()


def test_the_outputs_of_the_learners_are_features(rng):
    """The decision is a hyperplane over them."""
    X, y = two_moons(rng)
    model = sf.AdaBoostClassifier(n_estimators=12).fit(X, y)
    phi = model.transform(X)
    assert set(np.unique(phi)) == {-1.0, 1.0}
    F = phi @ model.estimator_weights_
    assert_allclose(2 * F / model.estimator_weights_.sum(), model.decision_function(X))
    assert list(model.get_feature_names_out()[:2]) == ["adaboostclassifier0", "adaboostclassifier1"]
    three = sf.AdaBoostClassifier(n_estimators=4).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert three.transform(X).shape == (len(X), len(three.estimators_) * 3)
    assert len(three.get_feature_names_out()) == len(three.estimators_) * 3


def test_the_trace_has_the_weights_of_the_rows(rng):
    X, y = two_moons(rng)
    with sf.recording() as trace:
        model = sf.AdaBoostClassifier(n_estimators=4).fit(X, y)
    fit = trace.fits[0]
    assert fit.name == "AdaBoostClassifier"
    assert_allclose(fit.starts[0]["sample_weights_"], 1 / len(y))
    weights = [shown["sample_weights_"] for shown in fit.snapshots]
    assert_allclose([each.sum() for each in weights], 1)
    first = next(model.staged_predict(X))
    assert weights[0][first != y].min() > weights[0][first == y].max()
    assert_allclose(weights[0][first != y].sum(), 0.5)  # the learner is of no use for the new weights


def test_staged_answers_end_at_the_last(rng):
    X, y = two_moons(rng)
    model = sf.AdaBoostClassifier(n_estimators=9).fit(X, y)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
    assert_allclose(list(model.staged_score(X, y)), 1 - model.history_.metric("training_error"))


def test_categories_and_missing_values_where_the_learner_takes_them():
    import pandas as pd

    rows = pd.DataFrame({"size": [1.0, 2.0, np.nan, 4.0] * 10, "kind": ["a", "b", "c", "a"] * 10})
    y = ([0, 1, 1, 0] * 9) + [1, 1, 0, 0]
    model = sf.AdaBoostClassifier(n_estimators=5).fit(rows, y)
    assert model.score(rows, y) >= 0.9


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"estimator": sf.LinearRegression()}, "estimator must be"),
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"by": "chance"}, "by must be"),
    ],
)
def test_bad_parameters(given, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.AdaBoostClassifier(**given).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("model", [sf.AdaBoostClassifier(), sf.AdaBoostRegressor()])
def test_a_perfect_first_learner_is_saved(tmp_path, model):
    X, y = np.arange(6.0)[:, None], np.repeat([0, 1], 3)
    sf.save(model.fit(X, y), tmp_path / "model.sff")
    assert_array_equal(sf.load(tmp_path / "model.sff").predict(X), y)
