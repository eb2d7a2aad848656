"""Bias, variance and noise: laws, closed forms, and what is refused."""

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, TimeLimit
from suffice.selection.curves.terms import absolute_terms, squared_terms


def constant(rng, X=None):
    X = rng.normal(size=(25, 1)) if X is None else X
    return X, 3 + 2 * rng.normal(size=len(X))


def test_least_squares_has_the_terms_of_theory():
    """y = x + e on fixed rows: no bias, noise σ², variance σ² (1/n + (x − x̄)² / Sxx); without a slope bias is x²."""
    fixed = np.linspace(-1, 1, 21)[:, None]

    def line(rng, X=None):
        return fixed, fixed[:, 0] + 0.5 * rng.normal(size=21)

    found = sf.decompose(sf.LinearRegression(), line, repeats=1000)
    wanted = np.array([0.25, 0.0, 0.25 * 2 / 21, 0.25 * (1 + 2 / 21)])
    values, errors = np.array([[row["value"], row["standard_error"]] for row in found.table()]).T
    assert np.all(np.abs(values - wanted) < 4 * errors + 1e-4)
    flat = sf.decompose(sf.Ridge(1e9), line, repeats=200)
    assert abs(flat.bias - np.mean(fixed**2)) < 0.02


def test_standard_errors_are_the_spread_over_other_rows_as_well():
    """A line of y = x² + e on [−1, 1]: bias² is ∫ (x² − 1/3)² / 2 = 4/45, of whichever 30 rows it is measured on."""

    def bowl(rng, X=None):
        X = rng.uniform(-1, 1, (30, 1)) if X is None else X
        return X, X[:, 0] ** 2 + 0.5 * rng.normal(size=len(X))

    found = [sf.decompose(sf.LinearRegression(), bowl, repeats=20, random_state=seed) for seed in range(16)]
    far = np.array([(one.bias - 4 / 45) / one.errors.bias for one in found])
    assert np.mean(far**2) < 2.5
    assert abs(np.mean([one.noise for one in found]) - 0.25) < 0.02


def test_terms_sum_up_and_have_no_bias_of_their_own():
    rng = np.random.default_rng(0)
    f, y, asked = rng.normal(size=(30, 7)), rng.normal(size=(30, 7)) + 1, np.ones((30, 7), dtype=bool)
    terms = squared_terms(f, y, asked, np.ones(30), True)
    every = np.mean((f[:, None] - y[None]) ** 2)
    np.testing.assert_allclose(terms.error, every)
    np.testing.assert_allclose(terms.noise, y.var(axis=0, ddof=1).mean())
    few = [squared_terms(f[i : i + 3], y[i : i + 3], asked[:3], np.ones(3), True).bias for i in range(0, 30, 3)]
    assert abs(np.mean(few) - terms.bias) < 0.4
    alone = squared_terms(f, np.tile(y[0], (30, 1)), asked, np.ones(30), False)
    assert alone.noise is None
    np.testing.assert_allclose(alone.error, np.mean((f - y[0]) ** 2))


def test_zero_one_terms_by_hand():
    """One row whose class is 0 in 3 of 4 draws; fits say 1, 1, 1, 0: noise ¼, the wrong main class costs ½."""
    f, y = np.array([[1], [1], [1], [0]]), np.array([[0], [0], [0], [1]])
    terms = absolute_terms(f, y, np.ones((4, 1), dtype=bool), np.ones(4), 2, True)
    assert (terms.noise, terms.bias, terms.variance, terms.disagreement) == (0.25, 0.5, -0.125, 0.25)
    assert terms.error == 0.75 * 0.75 + 0.25 * 0.25
    once = absolute_terms(f, np.zeros((4, 1), dtype=int), np.ones((4, 1), dtype=bool), np.ones(4), 2, False)
    assert (once.noise, once.bias, once.variance, once.error) == (None, 1.0, -0.25, 0.75)


def test_classes_of_simulated_tables():
    def coin(rng, X=None):
        X = rng.normal(size=(40, 1)) if X is None else X
        return X, np.where((X[:, 0] > 0) ^ (rng.random(len(X)) < 0.2), "yes", "no")

    found = sf.decompose(sf.DecisionTreeClassifier(max_depth=1), coin, repeats=40)
    assert abs(found.noise - 0.2) < 0.03
    assert abs(found.noise + found.bias + found.variance - found.error) < 1e-12
    assert found.bias < 0.05
    assert "0–1 loss, 40 training tables" in str(found)


def test_more_flexible_models_have_less_bias_and_more_variance():
    def wave(rng, X=None):
        X = rng.uniform(0, 6, (50, 1)) if X is None else X
        return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=len(X))

    found = sf.decompose_over(sf.KNeighborsRegressor(), wave, values=[1, 5, 40], repeats=30)
    rows = found.table()
    assert rows[0]["bias²"] < rows[2]["bias²"]
    assert rows[0]["variance"] > rows[2]["variance"]
    assert found.values[found.best] == 5
    assert found.plot(ax=False).table()["name"].tolist()[::3] == ["error", "noise", "bias²", "variance"]
    assert "least error" in str(found)


def test_one_table_by_bootstrap_cannot_tell_noise_from_bias():
    iris = sf.datasets.load("iris")
    X, y = iris.matrix()[::3], iris["species"][::3]
    found = sf.decompose(sf.GaussianNB(), X, y, repeats=20)
    assert found.noise is None
    assert [row["term"] for row in found.table()] == ["bias + noise", "variance", "error"]
    frame = sf.datasets.load("iris").to_frame()[["petal_length", "petal_width"]]
    numbers = sf.decompose(sf.KNeighborsRegressor(3), frame, iris["sepal_length"], repeats=20)
    assert numbers.rows == 150
    assert numbers.bias > 0
    assert numbers.variance > 0


def test_the_same_seed_gives_the_same_and_stopping_keeps_what_is_done():
    first, again = (sf.decompose(sf.Ridge(), constant, repeats=12, random_state=3) for _ in range(2))
    assert first.terms == again.terms
    calls = []

    def stopping(rng, X=None):
        calls.append(1)
        if len(calls) > 31:
            raise KeyboardInterrupt
        return constant(rng, X)

    found = sf.decompose(sf.Ridge(), stopping, repeats=100)
    assert (found.status, found.tables) == ("interrupted", 15)


def test_a_time_limit_is_for_all_tables():
    with sf.limits(seconds=1e-9), pytest.raises(TimeLimit):
        sf.decompose(sf.RandomForestRegressor(5), constant, repeats=1000)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: sf.decompose(sf.Ridge(), lambda rng: np.eye(3), repeats=10), r"data\(rng\) -> \(X, y\)"),
    (lambda: sf.decompose(sf.Ridge(), constant, repeats=3), "repeats must be an integer, at least 10; got 3"),
    (lambda: sf.decompose(sf.KMeans(2), np.eye(3), np.ones(3)), "KMeans gives clusters; take a classifier"),
    (lambda: sf.decompose(sf.Ridge(), np.eye(3)), "needs y, but y is None"),
    (lambda: sf.decompose_over(sf.Ridge(), constant, values=[-1.0]), "alpha must be .* got -1.0"),
])  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        call()
