"""Gradient boosting: against scikit-learn, by hand, and the promises of its parameters."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.metrics import mean_pinball_loss, roc_auc_score

import suffice as sf
from suffice.backend.boosting import StepWeights, group_quantiles
from suffice.errors import Diverged, InvalidData, InvalidParameter

pytestmark = pytest.mark.native


def two_classes(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def numbers(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.exp(0.7 * X[:, 0] + 0.5 * np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=n))


def test_one_round_of_one_split_by_hand():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0.0, 0.0, 6.0, 10.0])
    model = sf.HistGradientBoostingRegressor(
        max_iter=1, max_leaf_nodes=2, min_samples_leaf=1, learning_rate=0.5, l2_regularization=2.0
    ).fit(X, y)
    # Residuals −4, −4, 2, 6 around the mean 4: leaves say ½ · −8 / (2 + 2) and ½ · 8 / (2 + 2).
    np.testing.assert_allclose(model.predict(X), [3.0, 3.0, 5.0, 5.0])
    assert model.trees_.gain[0] == pytest.approx(64 / 4 + 64 / 4)
    assert model.history_.objective[0] == pytest.approx(0.5 * np.mean([9, 9, 1, 25]))


def test_classes_as_well_as_scikit_learn():
    X, y = two_classes()
    ours = sf.HistGradientBoostingClassifier(max_iter=50).fit(X[:2000], y[:2000])
    theirs = ensemble.HistGradientBoostingClassifier(max_iter=50).fit(X[:2000], y[:2000])
    found, wanted = (roc_auc_score(y[2000:], m.predict_proba(X[2000:])[:, 1]) for m in (ours, theirs))
    assert found > wanted - 0.005
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).mean() < 0.03


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma"])
def test_numbers_as_well_as_scikit_learn(loss):
    X, y = numbers()
    ours = sf.HistGradientBoostingRegressor(loss).fit(X[:1500], y[:1500])
    theirs = ensemble.HistGradientBoostingRegressor(loss=loss).fit(X[:1500], y[:1500])
    assert ours.score(X[1500:], y[1500:]) > theirs.score(X[1500:], y[1500:]) - 0.02


@pytest.mark.parametrize("loss", ["huber", "tweedie", "squared_epsilon_insensitive", "student_t"])
def test_other_losses_of_linear_models_fall(loss):
    X, y = numbers()
    model = sf.HistGradientBoostingRegressor(loss, max_iter=30).fit(X, y)
    assert np.all(np.diff(model.history_.objective) < 0)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("loss", ["exponential", "modified_huber", "squared_hinge"])
def test_other_losses_of_signs_classify(loss):
    X, y = two_classes()
    assert sf.HistGradientBoostingClassifier(loss, max_iter=50).fit(X[:2000], y[:2000]).score(X[2000:], y[2000:]) > 0.85
    with pytest.raises(InvalidParameter, match="is for two classes; y has 3"):
        sf.HistGradientBoostingClassifier(loss).fit(X, y + (X[:, 0] > 1))


def test_quantiles():
    X, y = numbers()
    model = sf.HistGradientBoostingRegressor("quantile", quantile=0.9).fit(X, y)
    assert np.mean(y < model.predict(X)) == pytest.approx(0.9, abs=0.02)
    theirs = ensemble.HistGradientBoostingRegressor(loss="quantile", quantile=0.9).fit(X, y)
    found, wanted = (mean_pinball_loss(y, m.predict(X), alpha=0.9) for m in (model, theirs))
    assert found < 1.1 * wanted
    with pytest.raises(InvalidParameter, match="needs quantile"):
        sf.HistGradientBoostingRegressor("quantile").fit(X, y)


def test_group_quantiles_are_those_of_each_group():
    rng = np.random.default_rng(0)
    values, group, times = rng.normal(size=60), rng.integers(0, 4, 60), rng.integers(1, 4, 60)
    weighted = group_quantiles(values, group, 5, 0.3, times.astype(float))
    repeated = group_quantiles(np.repeat(values, times), np.repeat(group, times), 5, 0.3, None)
    np.testing.assert_array_equal(weighted, repeated)
    for g in range(4):
        own = np.repeat(values, times)[np.repeat(group, times) == g]
        assert repeated[g] == np.quantile(own, 0.3, method="averaged_inverted_cdf")
    assert repeated[4] == 0


def test_rows_that_weigh_nothing_do_not_change_the_numbers_of_others():
    gradient = np.array([0.3, -0.2, 1e9])
    some = StepWeights(np.array([1.0, 2.0, 0.0]), 3).targets(gradient, 1.0, 0.0)
    np.testing.assert_array_equal(some.sums[2], 0)
    np.testing.assert_allclose(some.sums[:2, 0] * some.first_unit, [-0.3, 0.4], rtol=1e-7)


def test_predictions_rise_where_asked():
    X, y = numbers()
    grid = np.linspace(-2, 2, 60)
    for way in (1, -1):
        model = sf.HistGradientBoostingRegressor(monotonic_cst=[way, 0, 0, 0], max_iter=30).fit(X, y)
        for row in X[:20]:
            rows = np.repeat(row[None], 60, axis=0)
            rows[:, 0] = grid
            assert np.all(way * np.diff(model.predict(rows)) >= 0)


def test_columns_that_may_not_meet_do_not():
    X, y = numbers()
    for given in ("no_interactions", [{0}, {1}]):
        model = sf.HistGradientBoostingRegressor(interaction_cst=given, max_iter=20).fit(X, y)
        rows = np.repeat(X[:1], 4, axis=0)
        rows[[1, 3], 0] += 1.0
        rows[[2, 3], 1] += 1.0
        a, b, c, d = model.predict(rows)
        assert d - c == pytest.approx(b - a)
    pairs = sf.HistGradientBoostingRegressor(interaction_cst="pairwise", max_iter=5).fit(X, y)
    for t in range(5):
        tree = pairs.trees_[t]
        for leaf in np.flatnonzero(tree.left < 0):
            assert len(_columns_above(tree, leaf)) <= 2


def _columns_above(tree, node):
    found = set()
    while node:
        node = int(np.flatnonzero((tree.left == node) | (tree.left == node - 1) & (tree.left >= 0))[0])
        found.add(int(tree.column[node]))
    return found


def test_staged_predictions_end_at_the_prediction():
    X, y = two_classes(500)
    model = sf.HistGradientBoostingClassifier(max_iter=12).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_iter_ == 12
    np.testing.assert_allclose(stages[-1], model.predict_proba(X))
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    losses = [-np.mean(np.log(p[np.arange(len(y)), y])) for p in stages]
    np.testing.assert_allclose(losses, model.history_.objective)


def test_a_warm_start_goes_on_as_if_it_had_not_stopped():
    X, y = two_classes(800)
    whole = sf.HistGradientBoostingClassifier(max_iter=20, max_features=0.5, random_state=3).fit(X, y)
    model = sf.HistGradientBoostingClassifier(max_iter=8, max_features=0.5, random_state=3, warm_start=True).fit(X, y)
    model.set_params(max_iter=20).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))
    with pytest.raises(InvalidParameter, match="must be greater than 20"):
        model.fit(X, y)


@pytest.mark.parametrize("scoring", ["loss", "roc_auc", None])
def test_rounds_end_when_held_out_rows_gain_no_more(scoring):
    X, y = two_classes(1500)
    model = sf.HistGradientBoostingClassifier(
        max_iter=300, learning_rate=0.5, early_stopping=True, scoring=scoring, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    score = model.history_.metric("validation_score")
    assert model.n_iter_ < 300
    assert model.history_.status == "converged"
    assert score[-5:].max() <= score[-6] + model.tol
    with pytest.raises(InvalidData, match="early_stopping leaves no rows"):
        sf.HistGradientBoostingClassifier(early_stopping=True, random_state=0).fit(X[:2], [0, 1])


def test_many_rows_stop_early_by_themselves():
    X, y = two_classes(11_000)
    model = sf.HistGradientBoostingClassifier(max_iter=3, random_state=0).fit(X, y)
    assert np.isfinite(model.history_.metric("validation_score")).all()


def test_subsamples_learn_from_some_rows():
    X, y = two_classes()
    model = sf.HistGradientBoostingClassifier(subsample=0.5, random_state=0, max_iter=40).fit(X[:2000], y[:2000])
    assert model.trees_.weight[0] == 1000
    assert model.score(X[2000:], y[2000:]) > 0.85


@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_bits_for_any_number_of_threads(weighted):
    rng = np.random.default_rng(0)
    X, y = two_classes(30_000)
    X[rng.random(X.shape) < 0.05] = np.nan
    weight = rng.random(len(X)) if weighted else None
    found = []
    for threads in (1, 3):
        with sf.threads(threads):
            model = sf.HistGradientBoostingClassifier(max_iter=5, early_stopping=False).fit(X, y, sample_weight=weight)
            found.append(model.decision_function(X))
    np.testing.assert_array_equal(*found)


def test_weights_are_repeated_rows_however_large():
    X, y = numbers(400)
    for largest in (3, 400):
        times = np.random.default_rng(1).integers(0, largest, len(X))
        settings = {"max_iter": 5, "loss": "poisson", "early_stopping": False}
        one = sf.HistGradientBoostingRegressor(**settings).fit(X, y, sample_weight=times.astype(float))
        other = sf.HistGradientBoostingRegressor(**settings).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


def test_text_and_missing_values_are_columns_like_others():
    import pandas as pd

    rng = np.random.default_rng(0)
    town, height = rng.choice(["Bern", "Oslo", "Rome", "Lima"], 600), rng.normal(size=600)
    y = 2.0 * np.isin(town, ["Oslo", "Lima"]) + (height > 0)
    height[rng.random(600) < 0.2] = np.nan
    frame = pd.DataFrame({"town": pd.Categorical(town), "height": height})
    model = sf.HistGradientBoostingRegressor(max_iter=30).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert model.trees_.has_set.any()


def test_a_target_that_is_constant_needs_one_round():
    model = sf.HistGradientBoostingRegressor().fit(np.arange(50.0)[:, None], np.full(50, 3.0))
    assert model.n_iter_ == 1
    np.testing.assert_array_equal(model.predict([[7.0]]), [3.0])
    with pytest.raises(InvalidData, match="needs targets above 0"):
        sf.HistGradientBoostingRegressor("gamma").fit(np.eye(30), np.zeros(30))


@pytest.mark.parametrize("settings", [{}, {"loss": "squared_hinge"}, {"early_stopping": True}])
def test_one_class_is_what_is_predicted(settings):
    X, y = np.arange(40.0)[:, None], np.full(40, "only")
    model = sf.HistGradientBoostingClassifier(**settings).fit(X, y)
    assert model.n_iter_ == 1
    assert set(model.predict(X)) == {"only"}
    np.testing.assert_array_equal(model.decision_function(X), np.zeros(40))
    if "loss" not in settings:
        np.testing.assert_array_equal(model.predict_proba(X), np.ones((40, 1)))


LOSSES = ["squared_error", "absolute_error", "poisson", "huber"]


@pytest.mark.parametrize("loss", LOSSES)
def test_rounds_that_are_watched_are_those_of_one_call(loss, tmp_path):
    X, y = numbers(300)
    settings = {"loss": loss, "max_iter": 12, "subsample": 0.7, "random_state": 3}
    at_once = sf.HistGradientBoostingRegressor(**settings).fit(X, y)
    with sf.checkpoint(tmp_path / "rounds", seconds=0):
        one_by_one = sf.HistGradientBoostingRegressor(**settings).fit(X, y)
    np.testing.assert_array_equal(at_once.predict(X), one_by_one.predict(X))
    np.testing.assert_array_equal(at_once.history_.objective, one_by_one.history_.objective)


def test_rounds_after_the_last_one_that_is_judged_are_left_out():
    X, y = two_classes(600)
    settings = {"early_stopping": True, "learning_rate": 0.5, "random_state": 0}
    model = sf.HistGradientBoostingClassifier(**settings, n_iter_no_change=3).fit(X, y)
    rounds = model.n_iter_
    assert rounds == len(model.history_.objective) < 100
    same = sf.HistGradientBoostingClassifier(**settings, n_iter_no_change=99, max_iter=rounds).fit(X, y)
    np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("weights", ["none", "fractions"])
def test_many_rows_give_the_same_bits_on_any_number_of_threads(weights):
    X, y = two_classes(70_000)
    y = y + (X[:, 3] > 1)
    w = None if weights == "none" else np.random.default_rng(1).random(len(X))
    found = []
    for threads in (1, 2, 7):
        with sf.threads(threads):
            model = sf.HistGradientBoostingClassifier(max_iter=2, random_state=0).fit(X, y, sample_weight=w)
        found.append(model.decision_function(X[:1000]).tobytes())
    assert len(set(found)) == 1


def test_the_last_score_of_held_out_rows_has_an_interval():
    X, y = numbers(1200)
    settings = {"early_stopping": True, "max_iter": 20, "validation_fraction": 0.5, "random_state": 0}
    history = sf.HistGradientBoostingRegressor(**settings).fit(X, y).history_
    score, low, high = (history.metric(f"validation_{name}") for name in ("score", "low", "high"))
    assert low[-1] < score[-1] < high[-1]
    assert score[-1] == pytest.approx((low[-1] + high[-1]) / 2)
    assert np.isnan(low[:-1]).all()
    few = {**settings, "validation_fraction": 0.1}
    other = sf.HistGradientBoostingRegressor(**few).fit(X, y).history_
    assert other.metric("validation_high")[-1] - other.metric("validation_low")[-1] > high[-1] - low[-1]
    classes = sf.HistGradientBoostingClassifier(**settings).fit(X, np.digitize(y, [0.7, 1.5])).history_
    assert classes.metric("validation_low")[-1] < classes.metric("validation_score")[-1]


def test_monotone_models_are_as_good_as_scikit_learns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(4000, 4))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=4000)
    settings = {"monotonic_cst": [1, 0, 0, 0], "max_iter": 40, "early_stopping": False}
    ours, theirs = (
        kind(**settings).fit(X[:2000], y[:2000])
        for kind in (sf.HistGradientBoostingRegressor, ensemble.HistGradientBoostingRegressor)
    )
    assert ours.score(X[2000:], y[2000:]) > theirs.score(X[2000:], y[2000:]) - 0.01
    rising = np.repeat(X[2000:2050], 20, axis=0)
    rising[:, 0] = np.tile(np.linspace(-3, 3, 20), 50)
    assert (np.diff(ours.predict(rising).reshape(50, 20), axis=1) >= 0).all()


def test_steps_that_lead_ever_further_away_are_told(rng):
    X = rng.normal(size=(100, 2))
    with pytest.warns(Diverged, match=r"the loss rose .* learning_rate=2.5 is too large"):
        sf.HistGradientBoostingRegressor(learning_rate=2.5).fit(X, X[:, 0])
    sf.HistGradientBoostingRegressor(learning_rate=1.0).fit(X, X[:, 0])
