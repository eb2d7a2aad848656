"""Several targets: counts, and constraints that cannot hold for all of them."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

pytestmark = pytest.mark.native


def counts(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, rng.poisson(np.exp(np.column_stack([X[:, 0], 2 - 2 * X[:, 1]])))


def test_counts_are_judged_by_their_deviance():
    X, Y = counts()
    ours = sf.DecisionTreeRegressor(criterion="poisson", max_depth=3).fit(X, Y)
    theirs = DecisionTreeRegressor(criterion="poisson", max_depth=3, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    assert ours.impurities_[0] == pytest.approx(theirs.tree_.impurity[0])
    squared = sf.DecisionTreeRegressor(max_depth=3).fit(X, Y)
    assert not np.array_equal(squared.trees_.threshold, ours.trees_.threshold)


def test_twice_the_same_counts_are_one():
    X, Y = counts()
    one = sf.DecisionTreeRegressor(criterion="poisson", max_depth=4).fit(X, Y[:, 0]).trees_
    other = sf.DecisionTreeRegressor(criterion="poisson", max_depth=4).fit(X, Y[:, [0, 0]]).trees_
    np.testing.assert_array_equal(one.threshold, other.threshold)


def test_a_column_of_zeros_has_no_deviance():
    X, Y = counts()
    Y[:, 1] = 0
    with pytest.raises(InvalidData, match="all of column 1 of y are 0"):
        sf.DecisionTreeRegressor(criterion="poisson").fit(X, Y)


def test_constraints_are_of_one_number():
    X, Y = counts()
    three = np.digitize(Y[:, 0], [1, 3])
    models = [
        (sf.DecisionTreeRegressor(), Y), (sf.RandomForestRegressor(2), Y),
        (sf.DecisionTreeRegressor(criterion="absolute_error"), Y),
        (sf.DecisionTreeClassifier(), three), (sf.ExtraTreesClassifier(2), three),
    ]  # fmt: skip
    for model, y in models:
        with pytest.raises(InvalidParameter, match="monotonic_cst is of one target or two classes"):
            model.set_params(monotonic_cst=[1, 0]).fit(X, y)
        model.set_params(monotonic_cst=[0, 0]).fit(X, y)
    sf.DecisionTreeRegressor(criterion="absolute_error", monotonic_cst=[1, 0]).fit(X, Y[:, 0])
    sf.DecisionTreeClassifier(monotonic_cst=[1, 0]).fit(X, Y[:, 0] > 1)
