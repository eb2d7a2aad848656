"""Linear and quadratic discriminants against the table of the notes, R's MASS and scikit-learn."""

import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.discriminant_analysis as sk
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice.errors import IllConditioned, InvalidData, InvalidParameter

BOTH = [sf.LinearDiscriminantAnalysis, sf.QuadraticDiscriminantAnalysis]


@pytest.fixture(scope="module")
def r():
    """Values that R computed; tests/reference/make_bayes_values.R made them."""
    return json.loads((Path(__file__).parents[2] / "reference" / "bayes_values.json").read_text())


@pytest.fixture(scope="module")
def crabs():
    table = sf.datasets.load("crabs")
    groups = (table["sp"] == "O") * 1 + (table["sex"] == "M") * 2
    return np.log(table.matrix()), groups


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    return table.matrix(), table["species"]


def _same_up_to_sign(ours, theirs, **tolerance):
    sign = np.sign(np.sum(np.asarray(ours) * theirs, axis=0))
    assert_allclose(ours * sign, theirs, **tolerance)


# -- the crabs table ------------------------------------------------------------------------------------------------


def test_crabs_table_of_the_notes(crabs):
    model = sf.LinearDiscriminantAnalysis(unbiased=True).fit(*crabs)
    means = [
        [2.564985, 2.475174, 3.312685, 3.462327, 2.441351],
        [2.852455, 2.683831, 3.529370, 3.649555, 2.733273],
        [2.672724, 2.443774, 3.437968, 3.578077, 2.560806],
        [2.787885, 2.489921, 3.490431, 3.589426, 2.701580],
    ]
    coefficients = [
        [-31.217207, -2.851488, 25.719750],
        [-9.485303, -24.652581, -6.067361],
        [-9.822169, 38.578804, -31.679288],
        [65.950295, -21.375951, 30.600428],
        [-17.998493, 6.002432, -14.541487],
    ]
    assert_array_equal(model.priors_, [0.25] * 4)
    assert_array_equal(model.means_.round(6), means)
    _same_up_to_sign(model.scalings_.round(6), np.array(coefficients), rtol=0, atol=1e-9)
    assert_array_equal(model.explained_variance_ratio_.round(4), [0.6891, 0.3018, 0.0091])


# -- R ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "priors"), [("lda_log_crabs", None), ("lda_iris_priors", [0.2, 0.5, 0.3])])
def test_linear_against_r(r, crabs, iris, name, priors):
    X, y = crabs if "crabs" in name else iris
    model = sf.LinearDiscriminantAnalysis(unbiased=True, priors=priors).fit(X, y)
    assert_allclose(model.means_, r[name]["means"], rtol=1e-12)
    _same_up_to_sign(model.scalings_, np.array(r[name]["scaling"]), rtol=1e-8)
    assert_allclose(model.explained_variance_ratio_, r[name]["trace"], rtol=1e-9)
    _same_up_to_sign(model.transform(X), np.array(r[name]["coordinates"]), rtol=1e-7, atol=1e-9)
    assert_allclose(model.predict_proba(X), r[name]["posterior"], rtol=1e-7, atol=1e-12)
    assert_array_equal(model.predict(X).astype(str), r[name]["class"])


@pytest.mark.parametrize(("name", "priors"), [("qda_log_crabs", None), ("qda_iris_priors", [0.2, 0.5, 0.3])])
def test_quadratic_against_r(r, crabs, iris, name, priors):
    X, y = crabs if "crabs" in name else iris
    model = sf.QuadraticDiscriminantAnalysis(unbiased=True, priors=priors).fit(X, y)
    assert_allclose(model.means_, r[name]["means"], rtol=1e-12)
    assert_allclose(np.linalg.slogdet(model.covariance_)[1], r[name]["ldet"], rtol=1e-9)
    assert_allclose(model.predict_proba(X), r[name]["posterior"], rtol=1e-6, atol=1e-12)
    assert_array_equal(model.predict(X).astype(str), r[name]["class"])


# -- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
@pytest.mark.parametrize("classes", [2, 3])
def test_linear_against_scikit_learn(iris, shrinkage, classes):
    X, y = iris[0][: 50 * classes], iris[1][: 50 * classes]
    ours = sf.LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    theirs = sk.LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-12)
    if classes == 2:
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7)
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6, atol=1e-8)


def test_linear_scores_against_the_svd_solver(iris):
    X, y = iris
    ours, theirs = sf.LinearDiscriminantAnalysis().fit(X, y), sk.LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
    _same_up_to_sign(ours.transform(X), theirs.transform(X), rtol=1e-7, atol=1e-9)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("mine", "other"),
    [({}, {}), ({"reg_param": 0.2}, {"reg_param": 0.2})]
    + [({"shrinkage": s}, {"shrinkage": s, "solver": "eigen"}) for s in (0.3, "auto")],
)
def test_quadratic_against_scikit_learn(iris, mine, other):
    X, y = iris
    ours = sf.QuadraticDiscriminantAnalysis(**mine).fit(X, y)
    theirs = sk.QuadraticDiscriminantAnalysis(store_covariance=True, **other).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.scalings_, theirs.scalings_, rtol=1e-8)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-7)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
@pytest.mark.parametrize("model", BOTH)
def test_weights_are_repetitions(rng, iris, model, shrinkage):
    X, y = iris
    weight = rng.integers(0, 4, 150)
    again = np.repeat(np.arange(150), weight)
    weighted = model(shrinkage=shrinkage).fit(X, y, sample_weight=weight)
    repeated = model(shrinkage=shrinkage).fit(X[again], y[again])
    assert_allclose(weighted.covariance_, repeated.covariance_, rtol=1e-9)


@pytest.mark.parametrize("shrinkage", [None, "auto"])
@pytest.mark.parametrize("model", BOTH)
def test_rows_come_and_go(iris, model, shrinkage):
    X, y = iris
    whole = model(shrinkage=shrinkage).fit(X[20:], y[20:])
    pieces = model(shrinkage=shrinkage).partial_fit(X[:70], y[:70]).partial_fit(X[70:], y[70:]).remove(X[:20], y[:20])
    assert_allclose(pieces.covariance_, whole.covariance_, rtol=1e-9)


# -- what the models are ----------------------------------------------------------------------------------------------


def test_decision_interval_of_two_gaussians():
    """Standard deviations 1 and 1/3 about −1 and 1: class 2 where 8x² − 20x + 8 < 2 log 3, an interval."""
    X = np.array([[-2.0], [0.0], [2 / 3], [4 / 3]])
    model = sf.QuadraticDiscriminantAnalysis().fit(X, [1, 1, 2, 2])
    assert_allclose(model.means_.ravel(), [-1, 1])
    assert_allclose(np.sqrt(model.covariance_.ravel()), [1, 1 / 3])
    ends = np.roots([8, -20, 8 - 2 * np.log(3)])[::-1]
    assert_array_equal(ends.round(2), [0.34, 2.16])
    assert_allclose(model.decision_function(ends[:, None]), 0, atol=1e-12)
    assert_array_equal(model.predict([[0.33], [0.34], [2.16], [2.17]]), [1, 2, 2, 1])
    tied = sf.LinearDiscriminantAnalysis().fit(X, [1, 1, 2, 2])
    assert_allclose(tied.decision_function([[0.0]]), 0, atol=1e-12)


def test_within_covariance_is_the_identity_in_the_coordinates(crabs):
    X, y = crabs
    model = sf.LinearDiscriminantAnalysis().fit(X, y)
    Z = model.transform(X)
    within = sum(np.cov(Z[y == k].T, bias=True) for k in range(4)) / 4
    assert_allclose(within, np.eye(3), atol=1e-9)
    assert model.get_feature_names_out().tolist() == [f"lineardiscriminantanalysis{j}" for j in range(3)]
    assert sf.LinearDiscriminantAnalysis(n_components=2).fit_transform(X, y).shape == (200, 2)


@pytest.mark.parametrize("model", BOTH)
def test_the_objective_is_the_negative_log_likelihood(iris, model):
    X, y = iris
    fitted = model(shrinkage=0.2, priors=[0.2, 0.5, 0.3]).fit(X, y)
    joint = fitted.predict_joint_log_proba(X)
    expected = -joint[np.arange(len(y)), np.searchsorted(fitted.classes_, y)].sum()
    assert_allclose(fitted.history_.objective[-1], expected, rtol=1e-10)


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", BOTH)
def test_fewer_rows_than_columns(rng, model):
    X, y = rng.normal(size=(8, 20)), np.repeat([0, 1], 4)
    X[y == 1] += 3
    with pytest.warns(IllConditioned, match=r"singular in \d+ of 20 directions"):
        fitted = model().fit(X, y)
    assert_array_equal(fitted.predict(X), y)
    assert fitted.score(rng.normal(size=(50, 20)) + 3, np.ones(50)) > 0.7 or model is sf.QuadraticDiscriminantAnalysis


@pytest.mark.parametrize("model", BOTH)
def test_constant_columns_say_nothing(iris, model):
    X, y = iris
    padded = np.column_stack([X, np.full(150, 1e8)])
    with pytest.warns(IllConditioned, match="singular in 1 of 5"):
        fitted = model().fit(padded, y)
    assert_allclose(fitted.predict_proba(padded), model().fit(X, y).predict_proba(X), rtol=1e-6, atol=1e-12)


def test_a_class_on_a_plane_has_the_floor_there(rng):
    X = rng.normal(size=(60, 3))
    y = np.repeat([0, 1], 30)
    X[y == 1, 2] = X[y == 1, 0]
    with pytest.warns(IllConditioned, match="class '1' is singular in 1 of 3"):
        model = sf.QuadraticDiscriminantAnalysis(floor=1e-6).fit(X, y)
    assert_allclose(np.linalg.eigvalsh(model.covariance_[1])[0], 1e-6, rtol=0.5)
    assert_array_equal(model.predict(X), y)


def test_a_class_of_one_row(iris):
    X, y = iris[0][:101], iris[1][:101]
    assert_array_equal(sf.LinearDiscriminantAnalysis().fit(X, y).classes_, ["setosa", "versicolor", "virginica"])
    with pytest.warns(IllConditioned, match="class 'virginica' is singular in 4 of 4"):
        model = sf.QuadraticDiscriminantAnalysis().fit(X, y)
    assert model.predict(X[-1:])[0] == "virginica"
    with pytest.raises(InvalidData, match="unbiased=True has nothing left to divide by"):
        sf.QuadraticDiscriminantAnalysis(unbiased=True).fit(X, y)


@pytest.mark.parametrize("model", BOTH)
def test_one_class_only(iris, model):
    X = iris[0][:50]
    fitted = model().fit(X, iris[1][:50])
    assert set(fitted.predict(X)) == {"setosa"}
    assert_allclose(fitted.predict_proba(X), 1)


def test_refusals(iris):
    X, y = iris
    with pytest.raises(InvalidParameter, match=r"n_components cannot be larger than .* 2 for 3 classes; got 3"):
        sf.LinearDiscriminantAnalysis(n_components=3).fit(X, y)
    with pytest.raises(InvalidParameter, match=r"priors must have one number a class, shape \(3,\); got shape \(2,\)"):
        sf.QuadraticDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(InvalidParameter, match=r"shrinkage must be a number, at least 0, at most 1, or .*; got 2"):
        sf.LinearDiscriminantAnalysis(shrinkage=2).fit(X, y)


def test_shrinking_a_constant_column_leaves_the_others_as_they_are(iris):
    X, y = iris
    more = np.column_stack([X, np.full(len(X), 3.0)])
    ours = sf.LinearDiscriminantAnalysis(shrinkage=0.3).fit(more, y)
    theirs = sk.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)
    assert_allclose(ours.predict_proba(more), theirs.fit(more, y).predict_proba(more), atol=0.02)
