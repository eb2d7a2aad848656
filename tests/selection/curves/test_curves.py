"""Learning and validation curves: what they show, what they say of it, and only where it is true."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.model_selection import validation_curve as theirs

import suffice as sf
from suffice.data import as_source
from suffice.errors import InvalidParameter
from suffice.estimator import Estimator
from suffice.params import declared
from suffice.selection import knob_of
from suffice.selection.searching.ranges import range_of

RNG = np.random.default_rng(0)
TIME = RNG.uniform(0, 12, (300, 1))
WAVE = np.sin(TIME[:, 0]) + 0.5 * RNG.normal(size=300)


@pytest.fixture(scope="module")
def neighbours():
    return sf.validation_curve(sf.KNeighborsRegressor(), TIME, WAVE, values=[1, 15, 200], measures="rmse")


def test_knobs_are_parameters_with_a_range():
    every = [
        one for one in (getattr(sf, name) for name in dir(sf)) if isinstance(one, type) and issubclass(one, Estimator)
    ]
    named = [cls for cls in every if cls.complexity is not None]
    assert len(named) > 50
    for cls in named:
        knob = knob_of(cls())
        assert knob.name in declared(cls), cls
        assert knob.falling == cls.complexity.startswith("-")
        range_of(knob.name, cls())


def test_the_knob_of_a_pipeline_and_of_models_around_models():
    pipeline = sf.make_pipeline(sf.PolynomialFeatures(), sf.StandardScaler(), sf.LinearRegression())
    assert knob_of(pipeline).name == "polynomialfeatures__degree"
    assert knob_of(sf.make_pipeline(sf.PolynomialFeatures(), sf.Ridge())).name == "ridge__alpha"
    assert knob_of(sf.Calibrated(sf.SVC())).name == "model__C"
    assert knob_of(Ridge()).simpler == "alpha"  # of scikit-learn
    assert knob_of(sf.LinearRegression()) is None
    with pytest.raises(InvalidParameter, match="LinearRegression does not say which parameter"):
        sf.validation_curve(sf.LinearRegression(), TIME, WAVE)
    rows = as_source(TIME, WAVE, needs=sf.Ridge()._needs())
    with pytest.raises(InvalidParameter, match="validation_curve: training rows are asked in memory"):
        sf.validation_curve(sf.Ridge(), rows)
    with pytest.raises(InvalidParameter, match=r"name must be a parameter of Ridge; got 'alpa'\. Did you mean 'alpha'"):
        sf.validation_curve(sf.Ridge(), TIME, WAVE, name="alpa")


def test_a_more_flexible_model_has_less_training_error(neighbours):
    assert neighbours.values == (1, 15, 200)
    assert np.all(np.diff(neighbours.training) > 0)
    assert neighbours.fits == ("overfits", "", "underfits")
    assert neighbours.best.params == {"n_neighbors": 15}
    assert "larger values of n_neighbors make the model simpler" in str(neighbours)
    tree = sf.validation_curve(sf.DecisionTreeRegressor(), TIME, WAVE, values=[None, 1, 4], measures="rmse")
    assert tree.values == (1, 4, None)
    assert np.all(np.diff(tree.training) < 0)


def test_the_curve_is_that_of_scikit_learn():
    folds = KFold(4, shuffle=True, random_state=1)
    alphas = [0.1, 10.0, 1000.0]
    found = sf.validation_curve(sf.Ridge(), TIME, WAVE, values=alphas, measures="mse", splits=folds)
    training, new = theirs(Ridge(), TIME, WAVE, param_name="alpha", param_range=alphas, cv=folds,
                           scoring="neg_mean_squared_error")  # fmt: skip
    np.testing.assert_allclose(found.value, -new.mean(axis=1), rtol=1e-9)  # folds of one size: means are pooled values
    np.testing.assert_allclose(found.training, -training.mean(axis=1), rtol=1e-9)
    np.testing.assert_allclose(found.error, new.std(axis=1, ddof=1) / 2, rtol=1e-9)
    assert found.is_logarithmic


def test_pictures_hold_the_figures(neighbours):
    shown = neighbours.plot(ax=False).table()
    np.testing.assert_array_equal(shown["y"][:3], neighbours.value)
    np.testing.assert_array_equal(shown["high"][:3], neighbours.value + neighbours.error)
    np.testing.assert_array_equal(shown["y"][3:], neighbours.training)
    many = sf.search(sf.Ridge(), {"alpha": [1.0, 2.0]}, TIME, WAVE, train=True, measures="rmse")
    assert type(many.plot(ax=False)).__name__ == "BandsDisplay"
    with pytest.raises(InvalidParameter, match="ask with train=True"):
        sf.search(sf.Ridge(), {"alpha": [1.0, 2.0]}, TIME, WAVE, measures="rmse").validation_curve()


def test_of_several_parameters_the_others_are_those_of_the_best():
    found = sf.search(sf.KNeighborsRegressor(), {"n_neighbors": [1, 5], "weights": ["uniform", "distance"]}, TIME, WAVE,
                      train=True, measures="rmse")  # fmt: skip
    curve = found.validation_curve("n_neighbors")
    assert curve.values == (1, 5)
    assert {one.params["weights"] for one in curve.candidates} == {found.params["weights"]}


def test_one_standard_error_takes_the_knob_of_the_model():
    found = sf.search(sf.Ridge(), {"alpha": [0.01, 1.0, 10.0]}, TIME, WAVE, rule="one_se", measures="rmse")
    assert found.params == {"alpha": 10.0}


def test_more_rows_would_not_help_where_the_gap_has_closed():
    X = RNG.normal(size=(6000, 2))
    found = sf.learning_curve(sf.LinearRegression(), X, X @ [1.0, 2.0] + RNG.normal(size=6000), measure="r2",
                              sizes=[0.25, 0.5, 1])  # fmt: skip
    assert found.verdict == "no help"
    assert "more rows would not help" in str(found)
    assert np.all(np.diff(found.rows) > 0)
    assert found.rows[-1] == 5400


def test_more_rows_would_help_where_they_still_do():
    """Two covariances of 10 columns from few rows; with twice the rows the loss is lower by more than the zone."""
    rng = np.random.default_rng(1)

    def table(n):
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 10)) + 0.4 * y[:, None], np.where(y > 0, "a", "b")

    def loss(model, X, y):
        return -np.mean(np.log(model.predict_proba(X)[np.arange(len(y)), (y == "b").astype(int)]))

    model = sf.QuadraticDiscriminantAnalysis()
    found = sf.learning_curve(model, *table(100), measure="log_loss", sizes=[0.25, 0.5, 1])
    assert found.verdict == "help"
    few, many = (np.mean([loss(model.fit(*table(n)), *table(2000)) for _ in range(5)]) for n in (100, 200))
    assert few - many > found.gap.zone
    shown = found.plot(ax=False).table()
    np.testing.assert_array_equal(shown["x"][: len(found.rows)], found.rows)


def test_sizes_are_shares_or_numbers_and_classes_keep_their_shares():
    iris = sf.datasets.load("iris")
    found = sf.learning_curve(sf.GaussianNB(), iris.matrix(), iris["species"], sizes=[30, 0.5, 1], splits=5,
                              measure="accuracy")  # fmt: skip
    assert found.rows.tolist() == [30.0, 60.0, 120.0]
    with pytest.raises(
        InvalidParameter, match=r"sizes must be shares above 0, at most 1, or numbers of rows up to 120"
    ):
        sf.learning_curve(sf.GaussianNB(), iris.matrix(), iris["species"], sizes=[121], splits=5)
    with pytest.raises(InvalidParameter, match="shares of rows are drawn in memory"):
        sf.learning_curve(sf.Ridge(), as_source(TIME, WAVE, needs=sf.Ridge()._needs()))
