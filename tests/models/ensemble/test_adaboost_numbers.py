"""AdaBoost.R2: Drucker's figures, scikit-learn's answers on the same draws, and when it stops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import AdaBoostRegressor as Theirs
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor as TheirTree

import suffice as sf
from suffice.errors import InvalidData

pytestmark = pytest.mark.native
LOSSES = ("linear", "square", "exponential")


class OurDraws(np.random.RandomState):
    """A source of random numbers for scikit-learn that draws rows as ours does."""

    def begin(self, seed):
        self.ours = np.random.default_rng(seed)
        return self

    def random_sample(self, size=None):
        found = self.ours.random(size)
        self.ours.integers(1 << 31)  # the seed of the learner, which ours draws after the rows
        return found

    def randint(self, *args, **kwargs):
        return 0


def rows(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    return X, np.sin(X[:, 0]) + 0.2 * X[:, 1] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_on_the_same_draws_it_is_that_of_scikit_learn(loss, rate):
    X, y = rows()
    tree = sf.DecisionTreeRegressor(max_depth=3)
    ours = sf.AdaBoostRegressor(tree, n_estimators=12, by="sampling", loss=loss, learning_rate=rate, random_state=3)
    theirs = Theirs(TheirTree(max_depth=3), n_estimators=12, loss=loss, learning_rate=rate,
                    random_state=OurDraws().begin(3))  # fmt: skip
    ours.fit(X, y), theirs.fit(X, y)
    assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-8)
    assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-8)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-10)
    for one, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_the_first_round_by_hand():
    """A constant: the errors are 2, 2 and 4, their shares ½, ½ and 1, so ε = 2/3 and nothing can be boosted."""
    X, y = np.zeros((3, 1)), np.array([0.0, 0.0, 6.0])
    model = sf.AdaBoostRegressor(n_estimators=5).fit(X, y)
    assert model.estimator_errors_.tolist() == [pytest.approx(2 / 3)]
    assert "half of the largest" in model.stop_reason_
    assert_allclose(model.predict(X), 2.0)
    square = sf.AdaBoostRegressor(n_estimators=1, loss="square").fit(X, np.array([0.0, 0.0, 6.0]))
    assert square.estimator_errors_[0] == pytest.approx(0.5)
    four = sf.AdaBoostRegressor(n_estimators=1, loss="square").fit(np.zeros((4, 1)), np.array([0.0, 0.0, 0.0, 8.0]))
    error = (3 * (2 / 6) ** 2 + 1) / 4
    assert four.estimator_errors_[0] == pytest.approx(error)
    assert four.estimator_weights_[0] == pytest.approx(np.log((1 - error) / error))
    beta = error / (1 - error)
    weight = np.array([beta ** (8 / 9)] * 3 + [1.0])
    assert_allclose(four.sample_weights_, weight / weight.sum())
    assert four.history_.metric("largest_error")[0] == pytest.approx(6)


@pytest.mark.parametrize("loss", LOSSES)
def test_sums_of_weights_are_below_twice_the_error(loss):
    X, y = rows()
    history = sf.AdaBoostRegressor(n_estimators=20, loss=loss).fit(X, y).history_
    sums = np.diff(np.log(np.concatenate([[1.0], history.objective])))
    assert np.all(sums <= np.log(2 * history.metric("weighted_error")) + 1e-12)


def test_it_is_as_good_as_that_of_scikit_learn():
    X, y = rows(300)
    new, truth = rows(500, seed=1)
    ours = sf.AdaBoostRegressor(n_estimators=50).fit(X, y)
    scores = [Theirs(n_estimators=50, random_state=seed).fit(X, y).score(new, truth) for seed in range(3)]
    assert ours.score(new, truth) > np.mean(scores) - 0.02
    assert ours.score(new, truth) > ours.estimators_[0].score(new, truth)
    assert list(ours.staged_score(new, truth))[-1] == pytest.approx(ours.score(new, truth))


def test_weights_are_repetitions():
    X, y = rows(80)
    times = np.random.default_rng(2).integers(0, 4, size=len(y))
    one = sf.AdaBoostRegressor(n_estimators=8).fit(X, y, times)
    other = sf.AdaBoostRegressor(n_estimators=8).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(one.predict(X), other.predict(X), rtol=1e-8, atol=1e-10)
    assert_allclose(one.estimator_errors_, other.estimator_errors_, rtol=1e-8)


def test_a_perfect_learner_decides_alone():
    X, y = rows(60)
    model = sf.AdaBoostRegressor(sf.DecisionTreeRegressor(), n_estimators=9).fit(X, y)
    assert len(model.estimators_) == 1
    assert "no error" in model.stop_reason_
    assert_allclose(model.predict(X), y, atol=1e-12)


@pytest.mark.parametrize("learner", [sf.Ridge(), LinearRegression()])
def test_any_learner(learner):
    X, y = rows(80)
    model = sf.AdaBoostRegressor(learner, n_estimators=5).fit(X, y)
    assert model.predict(X.astype(np.float32)).dtype == np.float32
    assert np.isfinite(model.predict(X)).all()


def test_a_learner_without_weights_needs_draws():
    X, y = rows(80)
    with pytest.raises(InvalidData, match="takes no sample_weight"):
        sf.AdaBoostRegressor(KNeighborsRegressor(), n_estimators=3).fit(X, y)
    model = sf.AdaBoostRegressor(KNeighborsRegressor(), n_estimators=3, by="sampling", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8


def test_files_hold_it(tmp_path):
    X, y = rows(60)
    X[::7, 0] = np.nan
    model = sf.AdaBoostRegressor(n_estimators=4).fit(X, y)
    sf.save(model, tmp_path / "model.sff")
    assert_allclose(sf.load(tmp_path / "model.sff").predict(X), model.predict(X), rtol=0)
    assert model.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_the_scale_of_weights_does_not_matter(scale):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(200, 3)), rng.uniform(0.2, 2, size=200)
    y = X[:, 0] ** 2 + X[:, 1]
    one, other = (sf.AdaBoostRegressor(n_estimators=10).fit(X, y, sample_weight=weight * by) for by in (1.0, scale))
    np.testing.assert_allclose(other.predict(X), one.predict(X), rtol=1e-9)
