"""Bagging: draws, columns, rows out of the bag, and any model inside."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, TooFewRows


def table(rng, n=120):
    X = rng.normal(size=(n, 4))
    return X, np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5]), X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("model", [None, sf.GaussianNB(), KNeighborsClassifier(3), LogisticRegression()])
def test_probabilities_are_the_mean_over_the_models(rng, model):
    X, y, _ = table(rng)
    bag = sf.BaggingClassifier(model, n_estimators=7, random_state=0).fit(X, y)
    assert_allclose(bag.predict_proba(X), np.mean([one.predict_proba(X) for one in bag.estimators_], axis=0))
    assert_array_equal(bag.predict(X), bag.classes_[np.argmax(bag.predict_proba(X), axis=1)])
    assert bag.score(X, y) > 0.7


@pytest.mark.parametrize("model", [None, sf.LinearRegression(), KNeighborsRegressor(3), LinearRegression()])
def test_predictions_are_the_mean_over_the_models(rng, model):
    X, _, y = table(rng)
    bag = sf.BaggingRegressor(model, n_estimators=7, random_state=0).fit(X, y)
    assert_allclose(bag.predict(X), np.mean([one.predict(X) for one in bag.estimators_], axis=0))
    several = sf.BaggingRegressor(model, n_estimators=3, random_state=0).fit(X, np.column_stack([y, -y]))
    assert_allclose(several.predict(X)[:, 0], -several.predict(X)[:, 1], atol=1e-8)


def test_weights_are_as_good_as_repeated_rows(rng):
    """A model that takes weights and one that does not learn the same from the same draws."""

    X, _, y = table(rng)
    ours = sf.BaggingRegressor(sf.LinearRegression(), 5, random_state=1).fit(X, y)

    class NoWeights(LinearRegression):
        def fit(self, X, y):
            return super().fit(X, y)

    theirs = sf.BaggingRegressor(NoWeights(), 5, random_state=1).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


def test_rows_are_drawn_by_weight(rng):
    X, y, _ = table(rng)
    weight = np.where(np.arange(len(y)) < 60, 2.0, 0.0)
    bag = sf.BaggingClassifier(n_estimators=5, oob_score=False, random_state=0).fit(X, y, sample_weight=weight)
    for seed in bag.seeds_:
        counts = bag._drawn_rows(np.random.default_rng(seed), weight)
        assert counts.sum() == 120
        assert not counts[60:].any()


def test_without_replacement_each_row_is_drawn_once(rng):
    bag = sf.BaggingClassifier(bootstrap=False, max_samples=0.5)
    counts = bag._drawn_rows(rng, np.array([1.0, 2.0, 0.0, 1.0, 1.0]))
    assert sorted(counts[counts > 0]) in ([1.0, 1.0], [1.0, 2.0])
    assert counts[2] == 0
    X, y, _ = table(rng)
    whole = sf.BaggingClassifier(n_estimators=3, bootstrap=False).fit(X, y)
    alone = sf.DecisionTreeClassifier().fit(X, y)
    assert_array_equal(whole.predict(X), alone.predict(X))


@pytest.mark.parametrize("again", [False, True])
def test_columns_are_drawn(rng, again):
    X, y, _ = table(rng)
    bag = sf.BaggingClassifier(
        sf.GaussianNB(), n_estimators=20, max_features=0.5, bootstrap_features=again, random_state=0
    ).fit(X, y)
    assert all(len(features) == 2 for features in bag.estimators_features_)
    assert again == any(len(set(features)) < 2 for features in bag.estimators_features_)
    first = bag.estimators_[0].predict_proba(X[:, bag.estimators_features_[0]])
    one = sf.BaggingClassifier(
        sf.GaussianNB(), n_estimators=1, max_features=0.5, bootstrap_features=again, random_state=0
    ).fit(X, y)
    assert_allclose(one.predict_proba(X), first)


def test_the_rows_out_of_the_bag(rng):
    X, y, _ = table(rng, 200)
    bag = sf.BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    said, times = np.zeros((200, 3)), np.zeros(200)
    for model, seed in zip(bag.estimators_, bag.seeds_, strict=True):
        out = bag._drawn_rows(np.random.default_rng(seed), np.ones(200)) == 0
        said[out] += model.predict_proba(X[out])
        times[out] += 1
    assert_allclose(bag.oob_decision_function_, said / times[:, None])
    right = bag.classes_[np.argmax(said, axis=1)] == y
    assert bag.oob_score_ == right.mean()
    assert bag.oob_interval_[0] < bag.oob_score_ < bag.oob_interval_[1]
    new_X, new_y, _ = table(np.random.default_rng(5), 2000)
    assert bag.oob_interval_[0] - 0.03 < bag.score(new_X, new_y) < bag.oob_interval_[1] + 0.03


def test_r2_out_of_the_bag(rng):
    from sklearn.metrics import r2_score

    X, _, y = table(rng, 200)
    bag = sf.BaggingRegressor(n_estimators=40, oob_score=True, random_state=0).fit(X, y)
    assert_allclose(bag.oob_score_, r2_score(y, bag.oob_prediction_))
    assert bag.oob_interval_[0] < bag.oob_score_ < bag.oob_interval_[1]
    new_X, _, new_y = table(np.random.default_rng(5), 2000)
    assert abs(bag.score(new_X, new_y) - bag.oob_score_) < 0.08


def test_rows_that_every_model_learned_from_have_no_answer(rng):
    X, y, _ = table(rng)
    with pytest.warns(TooFewRows, match="rows have no answer out of the bag"):
        bag = sf.BaggingClassifier(n_estimators=1, oob_score=True, random_state=0).fit(X, y)
    assert np.isnan(bag.oob_decision_function_).any()
    assert np.isfinite(bag.oob_score_)


def test_a_class_that_a_model_has_not_seen_has_no_share(rng):
    X = rng.normal(size=(40, 2))
    y = np.array(["rare"] + ["often"] * 39)
    bag = sf.BaggingClassifier(n_estimators=25, random_state=0).fit(X, y)
    assert any(len(model.classes_) == 1 for model in bag.estimators_)
    assert bag.predict_proba(X).shape == (40, 2)
    assert_allclose(bag.predict_proba(X).sum(axis=1), 1)


def test_a_warm_start_adds_models(rng):
    X, y, _ = table(rng)
    few = sf.BaggingClassifier(n_estimators=4, warm_start=True, random_state=3).fit(X, y)
    first = list(few.estimators_)
    more = few.set_params(n_estimators=9).fit(X, y)
    whole = sf.BaggingClassifier(n_estimators=9, random_state=3).fit(X, y)
    assert more.estimators_[:4] == first
    assert_array_equal(more.seeds_, whole.seeds_)
    assert_allclose(more.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(InvalidParameter, match="at least the 9 models"):
        more.set_params(n_estimators=5).fit(X, y)


def test_bagging_lowers_the_error_of_deep_trees(rng):
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=300) > 0).astype(int)
    bag = sf.BaggingClassifier(n_estimators=50, random_state=0).fit(X[:150], y[:150])
    tree = sf.DecisionTreeClassifier(random_state=0).fit(X[:150], y[:150])
    assert bag.score(X[150:], y[150:]) > tree.score(X[150:], y[150:])


def test_sparse_rows_where_the_model_takes_them(rng):
    X = sparse.random_array((60, 8), density=0.3, rng=rng, format="csr")
    y = (np.asarray(X.sum(axis=1)).ravel() > 1).astype(int)
    bag = sf.BaggingClassifier(sf.MultinomialNB(), 5, max_features=4, random_state=0).fit(X, y)
    assert_allclose(bag.predict_proba(X), bag.predict_proba(X.toarray()))


def test_decision_functions_where_the_model_has_them(rng):
    X, y, _ = table(rng)
    assert not hasattr(sf.BaggingClassifier(), "decision_function")
    bag = sf.BaggingClassifier(sf.LinearSVC(), 5, random_state=0).fit(X, y)
    assert_allclose(bag.decision_function(X), np.mean([m.decision_function(X) for m in bag.estimators_], axis=0))


def test_few_draws_are_warned_of(rng):
    X, y, _ = table(rng)
    with pytest.warns(TooFewRows, match="the weights stand for 1 rows"):
        sf.BaggingClassifier(n_estimators=2, random_state=0).fit(X, y, sample_weight=np.full(120, 1 / 120))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"estimator": sf.LinearRegression()}, "estimator must be"),
        ({"max_samples": 0.0}, "max_samples must be"),
        ({"max_features": 5}, "at most the 4 columns"),
        ({"bootstrap": False, "max_samples": 500}, "at most the 120 rows"),
        ({"bootstrap": False, "oob_score": True}, "oob_score needs rows"),
    ],
)
def test_bad_parameters(rng, given, words):
    X, y, _ = table(rng)
    with pytest.raises(InvalidParameter, match=words):
        sf.BaggingClassifier(**given).fit(X, y)


def test_a_warm_start_refuses_other_columns_classes_and_targets(rng):
    X, y, numbers = table(rng)
    bag = sf.BaggingClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y).set_params(n_estimators=3)
    for other, label, what in ((X[:, :2], y, "columns"), (X, y + 1, "classes")):
        with pytest.raises(InvalidData, match=f"which are of other {what}"):
            bag.fit(other, label)
    assert bag.fit(X, y).score(X, y) > 0.8
    mean = sf.BaggingRegressor(n_estimators=2, warm_start=True, random_state=0).fit(X, numbers)
    with pytest.raises(InvalidData, match="which are of other targets"):
        mean.set_params(n_estimators=3).fit(X, np.column_stack([numbers, numbers]))


@pytest.mark.parametrize(
    "model",
    [sf.BaggingClassifier(n_estimators=2, random_state=0), sf.AdaBoostClassifier(by="sampling", random_state=0)],
)
@pytest.mark.parametrize("weight", [1e8, 1e100])
def test_weights_that_stand_for_very_many_rows_are_drawn(rng, model, weight):
    X = table(rng)[0]
    assert model.fit(X, X[:, 0] > 0, np.full(len(X), weight)).score(X, X[:, 0] > 0) > 0.95


def test_members_grown_side_by_side_are_the_same():
    X, y = np.random.default_rng(0).normal(size=(3000, 5)), np.arange(3000) % 3
    found = []
    for threads in (1, 3):
        with sf.threads(threads):
            found.append(sf.BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y))
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in found))
    assert found[0].oob_score_ == found[1].oob_score_


@pytest.mark.parametrize(
    "kind", [sf.BaggingRegressor, sf.AdaBoostRegressor, sf.BaggingClassifier, sf.AdaBoostClassifier]
)
def test_trees_inside_take_numbers_whose_squares_overflow(kind):
    X = np.array([[-1e308], [-1.0], [1.0], [1e308]])
    said = kind(n_estimators=20, random_state=0).fit(X, [0, 0, 1, 1]).predict(X)
    assert (said > 0.5).tolist() == [False, False, True, True]
