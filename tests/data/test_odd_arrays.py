"""Arrays that hold no numbers, and arguments of other kinds, are refused by errors of ours."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, NoClosedForm, NotNumbers
from suffice.evaluation import confusion, evaluate, roc
from suffice.resampling import bootstrap, corrected_t, silhouettes, wilson

X = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros(6, dtype=[("a", float), ("b", int)]), [[10**400, 1], [2, 3]], [[{}, 1], [2, 3]],
        np.array([[object(), 1.0], [2.0, 3.0]], dtype=object),
    ],
    ids=["records", "an integer of 400 digits", "a dict", "an object"],
)  # fmt: skip
def test_cells_that_are_no_numbers(rows):
    with pytest.raises(NotNumbers, match="KMeans: the cells of X must be numbers"):
        sf.KMeans(2).fit(rows)
    with pytest.raises(InvalidData, match="Gaussian"):
        sf.distributions.Gaussian().fit(rows)


def test_a_column_of_a_frame_with_a_very_long_integer():
    with pytest.raises(NotNumbers, match="Column 'a' holds an integer that is larger than any double"):
        sf.KMeans(2).fit(pd.DataFrame({"a": [10**400, 1, 2], "b": [1.0, 2.0, 3.0]}))


@pytest.mark.parametrize("weight", [1j, "1", None], ids=["complex", "text", "objects"])
def test_weights_that_are_no_numbers(weight):
    with pytest.raises(InvalidData, match=r"sample_weight must be (numbers|finite)"):
        sf.KMeans(2).fit(X, sample_weight=np.full(6, weight))
    with pytest.raises(InvalidData, match="sample_weight"):
        sf.KMeans(2).fit(X, sample_weight=10**400)


@pytest.mark.parametrize("y", [np.arange(3), 5.0, [[1], [2, 3]], sparse.csr_array(X)])
def test_a_target_that_is_not_used_is_not_looked_at(y):
    model = sf.BisectingKMeans(2, random_state=0)
    np.testing.assert_array_equal(model.fit(X, y).labels_, model.fit(X).labels_)


def test_labels_of_different_kinds():
    with pytest.raises(InvalidData, match="cannot be sorted"):
        sf.GaussianNB().fit(X, np.array(["a", 1, "b", 2, "a", 1], dtype=object))
    with pytest.raises(InvalidData, match="records"):
        sf.GaussianNB().fit(X, np.zeros(6, dtype=[("a", float)]))


@pytest.mark.parametrize("seed", [-1, 0.5, "a", object()])
def test_seeds_that_are_none(seed):
    for draw in (
        lambda: sf.distributions.Poisson([1.0]).sample(3, seed),
        lambda: bootstrap(np.mean, X[:, 0], random_state=seed),
        lambda: evaluate(sf.GaussianNB(), X, [0, 1] * 3, random_state=seed),
    ):
        with pytest.raises(InvalidParameter, match="random_state must be"):
            draw()


@pytest.mark.parametrize("n", [1.5, -1, True, 10**400, "a"])
def test_numbers_of_draws_that_are_none(n):
    with pytest.raises(InvalidParameter, match="n must be a whole number, at least 0"):
        sf.distributions.Poisson([1.0]).sample(n)


def test_scores_of_what_cannot_be_compared():
    model = sf.LinearRegression().fit(X[:, :1], X[:, 0])
    for y in (X[:3, 0], np.full(6, np.nan), np.zeros(6, dtype=[("a", float), ("b", int)]), 3.0):
        with pytest.raises(InvalidData, match="LinearRegression"):
            model.score(X[:, :1], y)


def test_functions_of_evaluation():
    for call in (
        lambda: roc([True, False], ["a", "b"]),
        lambda: confusion(["a"], np.zeros(1, dtype=[("a", float)])),
        lambda: confusion(["a"], ["a"], sample_weight=[-1.0]),
        lambda: corrected_t(["a"], 3, 1),
        lambda: silhouettes(X, [0] * 6),
        lambda: wilson("a", 3),
        lambda: evaluate(sf.GaussianNB(), X, [0, 1] * 3, measures=5),
        lambda: sf.compare({"a": sf.GaussianNB()}, X, [0, 1] * 3, search=3),
        lambda: sf.describe(X, quantiles=0.5),
        lambda: sf.prepared(3, X),
        lambda: sf.distributions.kl(["a"], [1.0]),
    ):
        with pytest.raises((InvalidData, InvalidParameter)):
            call()


def test_the_divergence_from_another_family_has_no_formula():
    poisson, gamma = sf.distributions.Poisson([1.0]), sf.distributions.Exponential([1.0])
    with pytest.raises(NoClosedForm, match="within one family only; got Exponential"):
        poisson.kl(gamma)


def test_an_index_is_asked_for_what_it_has():
    index = sf.indices.KDTree().built(X)
    for call in (
        lambda: index.kneighbors(X, 1.5),
        lambda: index.kneighbors(X, "a"),
        lambda: index.radius_neighbors(X, {}),
        lambda: index.radius_neighbors(X, np.nan),
        lambda: index.remove(["a"]),
        lambda: index.remove([1.5]),
        lambda: sf.indices.LSH().built(X * 1e200),
    ):
        with pytest.raises((InvalidData, InvalidParameter)):
            call()


DATES = np.array(["2020-01-01", "NaT", "2020-03-01"], dtype="datetime64[D]")


@pytest.mark.parametrize(
    "X",
    [DATES[:, None], (DATES - DATES[0])[:, None], [[date, 1.0] for date in DATES],
     np.array([[date, 1.0] for date in DATES], dtype=object)],
)  # fmt: skip
def test_dates_are_no_numbers(X):
    for model in (sf.KMeans(2), sf.DecisionTreeRegressor()):
        with pytest.raises(sf.errors.InvalidData, match="holds dates or spans of time"):
            model.fit(X, [1.0, 2.0, 3.0])


def test_dates_as_targets():
    X = np.arange(3.0)[:, None]
    with pytest.raises(sf.errors.InvalidData, match="y holds dates"):
        sf.LinearRegression().fit(X, DATES)
    with pytest.raises(sf.errors.InvalidData, match="row 1 has no label"):
        sf.DecisionTreeClassifier().fit(X, DATES)
