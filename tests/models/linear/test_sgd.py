"""Linear models by stochastic gradient descent, and the perceptron."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as sk
from scipy import sparse

import suffice as sf
from suffice.errors import Diverged, InvalidData, InvalidParameter, NotConverged
from suffice.losses import as_loss

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2000, 8))
SCORE = X @ RNG.normal(size=8)
LABELS = np.where(SCORE + RNG.normal(size=2000) > 0, "yes", "no")
FRESH = RNG.normal(size=(2000, 8))


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_hinge", "modified_huber", "perceptron"])
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_held_out_losses_are_those_of_scikit_learn(loss, penalty):
    given = {"loss": loss, "penalty": penalty, "alpha": 1e-3, "max_iter": 20, "tol": None, "random_state": 0}
    given |= {"learning_rate": "invscaling", "eta0": 0.1, "power_t": 0.5}
    ours, theirs = (cls(**given).fit(X[:1500], LABELS[:1500]) for cls in (sf.SGDClassifier, sk.SGDClassifier))
    signs = np.where(LABELS[1500:] == "yes", 1.0, -1.0)
    cost = [as_loss(loss).value(model.decision_function(X[1500:]), signs).mean() for model in (ours, theirs)]
    assert cost[0] <= cost[1] * 1.02 + 1e-3
    if loss != "perceptron":  # whose slopes are 0 and noise, with a penalty
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=0.1 * np.abs(theirs.coef_).max())


def test_averages_are_those_of_scikit_learn():
    given = {"max_iter": 20, "tol": None, "average": True, "random_state": 0}
    ours, theirs = (cls(**given).fit(X, LABELS) for cls in (sf.SGDClassifier, sk.SGDClassifier))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=0.05 * np.abs(theirs.coef_).max())


def test_steps_that_lead_away_are_seen_at_the_end():
    with pytest.warns(Diverged, match="SGDClassifier: diverged"):
        sf.SGDClassifier("squared_hinge", alpha=1e-3, max_iter=5, tol=None, random_state=0).fit(X, LABELS)


@pytest.mark.parametrize("loss", ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_is_that_of_scikit_learn(loss):
    given = {"loss": loss, "max_iter": 30, "tol": None, "average": True, "random_state": 0}
    ours, theirs = (cls(**given).fit(X, SCORE) for cls in (sf.SGDRegressor, sk.SGDRegressor))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=0.02)
    np.testing.assert_allclose(ours.predict(FRESH), theirs.predict(FRESH), atol=0.1)


def test_dense_sparse_and_single_precision_give_the_same():
    rows = np.where(np.abs(X) > 1, X, 0.0)
    dense = sf.SGDClassifier(random_state=0, max_iter=3, tol=None).fit(rows, LABELS)
    for table in (sparse.csr_matrix(rows), np.asfortranarray(rows)):
        other = sf.SGDClassifier(random_state=0, max_iter=3, tol=None).fit(table, LABELS)
        np.testing.assert_allclose(other.coef_, dense.coef_, rtol=1e-9)
    single = sf.SGDClassifier(random_state=0, max_iter=3, tol=None).fit(rows.astype(np.float32), LABELS)
    np.testing.assert_allclose(single.coef_, dense.coef_, rtol=1e-2, atol=1e-2)


def test_partial_fit_is_one_epoch_and_goes_on():
    model = sf.SGDClassifier(random_state=0)
    with pytest.raises(InvalidParameter, match="classes must be passed on the first call to partial_fit"):
        model.partial_fit(X[:10], LABELS[:10])
    models = [sf.SGDClassifier(random_state=seed) for seed in range(10)]
    for model in models:
        for first in range(0, 2000, 100):
            model.partial_fit(X[first : first + 100], LABELS[first : first + 100], classes=["no", "yes"])
        assert model.t_ == 2000
    assert np.mean([m.score(FRESH, np.where(FRESH @ m.coef_[0] > 0, "yes", "no")) for m in models]) > 0.9
    assert np.mean([m.score(X, LABELS) for m in models]) > 0.775  # one alone is 0.795 ± 0.02
    with pytest.raises(InvalidData, match="y has the class 'perhaps', which is not among"):
        model.partial_fit(X[:2], ["yes", "perhaps"])
    with pytest.raises(InvalidParameter, match="class_weight='balanced' needs all rows at once"):
        sf.SGDClassifier(class_weight="balanced").partial_fit(X, LABELS, classes=["no", "yes"])


def test_early_stopping_judges_by_rows_that_are_kept_back():
    model = sf.SGDClassifier(early_stopping=True, random_state=0).fit(X, LABELS)
    assert model.history_.status == "converged"
    assert model.score(X, LABELS) > 0.8
    with pytest.raises(InvalidData, match="early_stopping leaves no rows"):
        sf.SGDClassifier(early_stopping=True, random_state=0).fit(X[:2], ["a", "b"])


def test_columns_of_very_different_sizes_diverge_with_a_sentence():
    rows = X * np.array([1e8] * 4 + [1.0] * 4)
    with pytest.warns(Diverged, match="SGDClassifier: diverged, .*StandardScaler"):
        model = sf.SGDClassifier(random_state=0).fit(rows, LABELS)
    assert np.isfinite(model.coef_).all()
    with pytest.warns(Diverged, match="SGDRegressor: diverged, .*StandardScaler"):
        model = sf.SGDRegressor(random_state=0).fit(rows, SCORE)
    assert np.isfinite(model.coef_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sf.SGDClassifier(random_state=0).fit(sf.StandardScaler().fit_transform(rows), LABELS)


@pytest.mark.parametrize("scale", [1e-8, 1.0])
def test_small_columns_and_constant_ones_are_no_trouble(scale):
    rows = np.column_stack([X * scale, np.ones(2000)])
    model = sf.SGDClassifier(random_state=0).fit(rows, LABELS)
    assert np.isfinite(model.coef_).all()


def test_one_class_and_one_row_are_refused():
    for model in (sf.SGDClassifier(), sf.Perceptron()):
        with pytest.raises(InvalidData, match="y holds one class"):
            model.fit(X[:5], ["a"] * 5)
    assert np.isfinite(sf.SGDRegressor(random_state=0).fit(X[:1], SCORE[:1]).coef_).all()


def test_class_weights_move_the_plane():
    plain, heavy = (
        sf.SGDClassifier(class_weight=w, average=True, random_state=0).fit(X, LABELS) for w in (None, {"yes": 20.0})
    )
    assert (heavy.predict(X) == "yes").mean() > (plain.predict(X) == "yes").mean() + 0.1


def test_probabilities_where_a_loss_has_them():
    for loss in ("log_loss", "modified_huber"):
        share = sf.SGDClassifier(loss, random_state=0).fit(X, LABELS).predict_proba(FRESH)
        np.testing.assert_allclose(share.sum(axis=1), 1)
    assert not hasattr(sf.SGDClassifier().fit(X, LABELS), "predict_proba")


# ---- the perceptron ----


def separable(margin=0.2):
    w = np.array([1.0, -1.0, 0.5, 0, 0, 0, 0, 0])
    distance = X @ w / np.linalg.norm(w)
    kept = np.abs(distance) > margin
    return X[kept], distance[kept] > 0, float(np.abs(distance[kept]).min())


def test_the_perceptron_converges_on_separable_rows_within_novikoffs_bound():
    rows, y, margin = separable()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = sf.Perceptron(tol=None, fit_intercept=False).fit(rows, y)
    assert model.history_.status == "converged"
    assert model.score(rows, y) == 1.0
    assert 0 < model.mistakes_ <= (np.linalg.norm(rows, axis=1).max() / margin) ** 2
    assert model.history_.objective[-1] == 0.0


def test_the_perceptron_stops_on_inseparable_rows_and_says_so():
    rows, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]  # exclusive or
    with pytest.warns(NotConverged, match=r"no plane that separates the classes was found after \d+ mistakes in"):
        model = sf.Perceptron().fit(rows, y)
    assert model.mistakes_ > 0
    with pytest.warns(NotConverged, match="in 50 epochs"):
        sf.Perceptron(max_iter=50, tol=None).fit(rows, y)


def test_the_rate_of_the_perceptron_only_scales_its_plane():
    rows, y, _ = separable()
    one, ten = (sf.Perceptron(tol=None, eta0=eta).fit(rows, y) for eta in (1.0, 10.0))
    np.testing.assert_allclose(ten.coef_, 10 * one.coef_, rtol=1e-12)
    assert ten.mistakes_ == one.mistakes_


def test_a_perceptron_by_hand():
    """Rows one by one: (1, 1)+, (−1, 1)−, (1, −1)+ from w = 0, b = 0."""
    rows, y = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]), [1, 0, 1]
    model = sf.Perceptron(shuffle=False, tol=None).fit(rows, y)
    # (1, 1): 0 is a mistake, w = (1, 1), b = 1. (−1, 1): score 1, w = (2, 0), b = 0. All right from then on.
    np.testing.assert_allclose(model.coef_, [[2.0, 0.0]])
    assert (model.intercept_[0], model.mistakes_, model.n_iter_) == (0.0, 2, 2)
