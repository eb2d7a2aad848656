"""What neighbours models refuse, and corners."""

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from suffice.distances import Gower
from suffice.errors import InvalidData, InvalidParameter
from suffice.indices import LSH

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(400, 4)), RNG.normal(size=(60, 4))
CLASSES = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, 400)]
TARGETS = X @ RNG.normal(size=(4, 2)) + 0.1 * RNG.normal(size=(400, 2))
ALGORITHMS = ["auto", "brute", "kd_tree"]


# ---- refusals ----


@pytest.mark.parametrize("cls", [sf.KNeighborsClassifier, sf.KNeighborsRegressor, sf.NearestNeighbors])
def test_more_neighbours_than_rows(cls):
    y = np.zeros(3, dtype=int)
    with pytest.raises(InvalidData, match=rf"{cls.__name__}: n_neighbors=4 is more than the rows, 3"):
        cls(n_neighbors=4).fit(X[:3], y)
    model = cls(n_neighbors=4).partial_fit(X[:3], y)
    with pytest.raises(InvalidData, match=r"4 neighbours|n_neighbors=4"):
        model.kneighbors(Q)


def test_bad_questions():
    model = sf.NearestNeighbors().fit(X)
    with pytest.raises(InvalidParameter, match="n_neighbors must be an integer"):
        model.kneighbors(Q, 0)
    with pytest.raises(InvalidParameter, match="radius must be a number"):
        model.radius_neighbors(Q, -1.0)
    with pytest.raises(InvalidParameter, match="mode must be"):
        model.kneighbors_graph(Q, mode="both")
    with pytest.raises(InvalidData, match="NearestNeighbors: X has 3 features"):
        model.kneighbors(Q[:, :3])
    with pytest.raises(InvalidParameter, match="do not suit metric"):
        sf.NearestNeighbors(metric="euclidean", metric_params={"q": 3}).fit(X)
    with pytest.raises(InvalidData, match="weights must give one number"):
        sf.KNeighborsRegressor(weights=lambda d: d - 5).fit(X, TARGETS).predict(Q)


def test_undefined_distances():
    with pytest.raises(InvalidData, match="all zeros and has no direction"):
        sf.NearestNeighbors(metric="cosine").fit(np.zeros((9, 2)))
    with pytest.raises(InvalidData, match="infinite"):
        sf.KNeighborsClassifier(1, metric="kl").fit([[1.0, 0.0]], ["a"]).predict([[0.5, 0.5]])


def test_approximate_models_say_their_recall():
    model = sf.KNeighborsClassifier(3, algorithm=LSH(recall=0.95)).fit(X, CLASSES)
    assert model.index_.measured_recall >= 0.95
    assert np.mean(model.predict(Q) == sf.KNeighborsClassifier(3).fit(X, CLASSES).predict(Q)) > 0.8


def test_classes_announced():
    with pytest.raises(InvalidData, match="'cat', which is not among"):
        sf.KNeighborsClassifier().partial_fit(X, CLASSES, classes=["ant", "bee"])


def test_gower_by_object():
    model = sf.NearestNeighbors(n_neighbors=1, metric=Gower(categorical=(0,))).fit(np.round(X))
    assert model.kneighbors(np.round(X[:5]))[0].max() == 0


def test_mahalanobis_of_columns_that_determine_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X[:, 2] = 2 * X[:, 0]
    found = sf.NearestNeighbors(n_neighbors=3, metric="mahalanobis").fit(X).kneighbors(X)[0]
    expected = sf.NearestNeighbors(n_neighbors=3, metric="mahalanobis").fit(X[:, :2]).kneighbors(X[:, :2])[0]
    np.testing.assert_allclose(found, expected, atol=1e-9)


# ---- corners ----


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: sf.KNeighborsClassifier(weights=lambda d: "a").fit(X, CLASSES).predict(X),
            "weights must give one number",
        ),
        (
            lambda: sf.KNeighborsRegressor(weights=lambda d: d[:1]).fit(X, TARGETS).predict(X),
            "weights must give one number",
        ),
        (lambda: sf.ParzenClassifier(window=lambda u: None).fit(X, CLASSES).predict(X), "window must give one number"),
        (lambda: sf.KNeighborsClassifier(metric_params={3: 3}).fit(X, CLASSES), "metric_params must have names"),
        (lambda: sf.KNeighborsClassifier(p=10**400).fit(X, CLASSES), "p must be"),
        (lambda: sf.ParzenClassifier(10**400).fit(X, CLASSES), "radius must be"),
        (lambda: sf.KNeighborsRegressor().fit(X, TARGETS[:, 0]).partial_fit(X, TARGETS), "y has 2 targets"),
        (lambda: sf.KNeighborsClassifier().fit(X, CLASSES).remove(5), "KNeighborsClassifier: "),
        (lambda: sf.NearestNeighbors().fit(X).remove(rows=[1.5]), "rows are named by integers"),
    ],
)
def test_what_makes_no_sense(ask, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        ask()


def test_weights_of_any_size_and_none():
    even = sf.KNeighborsRegressor(3).fit(X, TARGETS[:, 0])
    huge = sf.KNeighborsRegressor(3, weights=lambda d: np.full(len(d), 1e308)).fit(X, TARGETS[:, 0])
    np.testing.assert_allclose(huge.predict(X), even.predict(X))
    none = sf.KNeighborsRegressor(3, weights=lambda d: 0 * d).fit(X, TARGETS[:, 0])
    np.testing.assert_allclose(none.predict(X[:2]), [TARGETS[:, 0].mean()] * 2)


def test_rows_in_another_form_are_added_and_removed():
    dense, thin = sf.KNeighborsClassifier().fit(X, CLASSES), sf.KNeighborsClassifier().fit(sparse.csr_array(X), CLASSES)
    both = sf.KNeighborsClassifier().fit(np.vstack([X, X[:9]]), np.append(CLASSES, CLASSES[:9]))
    for model, more in ((dense, sparse.csr_array(X[:9])), (thin, X[:9])):
        model.partial_fit(more, CLASSES[:9])
        np.testing.assert_allclose(model.predict_proba(X), both.predict_proba(X))


@pytest.mark.parametrize("window", ["gaussian", "exponential"])
def test_windows_without_an_end_leave_out_rows_without_a_common_column(window):
    rows, targets = np.array([[0.0, np.nan], [1.0, 5.0], [9.0, 7.0], [np.nan, 8.0]]), np.arange(4.0)
    model = sf.ParzenRegressor(1.0, window=window).fit(rows, targets)
    without = sf.ParzenRegressor(1.0, window=window).fit(rows[:3], targets[:3])
    np.testing.assert_allclose(model.predict([[1.0, np.nan]]), without.predict([[1.0, np.nan]]))
    with pytest.raises(InvalidData, match="no column in common"):
        model.predict([[np.nan, np.nan]])


def test_hash_tables_answer_for_missing_values():
    spoilt = Q.copy()
    spoilt[::3, 1] = np.nan
    found = sf.NearestNeighbors(algorithm=LSH()).fit(X).kneighbors(spoilt)[1][::3]
    np.testing.assert_array_equal(found, sf.NearestNeighbors(algorithm="brute").fit(X).kneighbors(spoilt)[1][::3])
