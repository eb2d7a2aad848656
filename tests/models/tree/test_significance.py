"""Growth that stops where a split tells no more than chance would."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, f_oneway

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.growth.significance import count_splits, equal_means, independence

pytestmark = pytest.mark.native
SAME = ("column", "left", "threshold", "weight", "value", "gain")


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


def halves(model, X, node):
    """The rows of both children of a node."""
    path, left = model.decision_path(X).toarray().astype(bool), model.trees_.left[node]
    return path[:, left], path[:, left + 1]


def test_p_values_of_splits_of_classes():
    X, y = rows()
    y = np.digitize(y, [-1, 1])
    model = sf.DecisionTreeClassifier(max_depth=3).fit(X, y)
    p = independence(np.zeros((1, 2, 3)))
    assert p.tolist() == [1.0]
    for node in np.flatnonzero(model.trees_.is_inner):
        counts = np.array([np.bincount(y[own], minlength=3) for own in halves(model, X, node)])
        known = counts[:, counts.sum(axis=0) > 0]
        assert float(independence(counts.astype(float))) == pytest.approx(chi2_contingency(known, correction=False)[1])


def test_p_values_of_means():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=12), rng.normal(size=20) + 0.5
    both = np.concatenate([one, other])
    within = len(one) * one.var() + len(other) * other.var()
    found = equal_means(np.array([len(both) * both.var() - within]), np.array([within]), np.array([32.0]), 1)
    assert found[0] == pytest.approx(f_oneway(one, other)[1])
    assert equal_means(np.array([1.0, 0.0, 1.0]), np.zeros(3), np.array([5.0, 5.0, 2.0]), 1).tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_a_tree_stops_where_a_split_is_not_significant(criterion):
    X, y = rows()
    numbers = criterion in ("squared_error", "poisson")
    cls = sf.DecisionTreeRegressor if numbers else sf.DecisionTreeClassifier
    target = np.rint(np.exp(y / 2)) if criterion == "poisson" else y if numbers else np.digitize(y, [0.0])
    full = cls(criterion=criterion).fit(X, target)
    all_of_it = cls(criterion=criterion, significance=1.0).fit(X, target)
    for name in SAME:
        np.testing.assert_array_equal(getattr(full.trees_, name), getattr(all_of_it.trees_, name))
    model = cls(criterion=criterion, significance=0.01).fit(X, target)
    assert 1 < model.n_leaves_ < full.n_leaves_ / 3
    assert len(model.pruned_) == 0
    assert model.impurities_[0] == pytest.approx(full.impurities_[0])
    for node in np.flatnonzero(model.trees_.is_inner):
        one, other = (target[own] for own in halves(model, X, node))
        if criterion == "squared_error":
            assert f_oneway(one, other)[1] <= 0.01
        elif criterion == "poisson":
            assert count_splits(model.trees_)[node] <= 0.01


def test_leaves_that_stopped_have_no_significant_split():
    X, y = rows()
    model = sf.DecisionTreeRegressor(significance=0.01).fit(X, y)
    leaf = model.apply(X)
    for node in np.flatnonzero(~model.trees_.is_inner):
        own = leaf == node
        stump = sf.DecisionTreeRegressor(max_depth=1).fit(X[own], y[own])
        if stump.n_leaves_ == 2 and own.sum() > 3:
            assert f_oneway(*(y[own][side] for side in halves(stump, X[own], 0)))[1] > 0.01


def test_several_targets_are_tested_together():
    X, y = rows()
    noise = np.random.default_rng(1).normal(size=(len(y), 1))
    alone = sf.DecisionTreeRegressor(significance=1e-4).fit(X, y)
    both = sf.DecisionTreeRegressor(significance=1e-4).fit(X, np.column_stack([y, 1e-3 * noise]))
    assert 1 < both.n_leaves_ <= alone.n_leaves_ + 3


@pytest.mark.parametrize("cls", [sf.DecisionTreeClassifier, sf.DecisionTreeRegressor])
def test_weights_are_repetitions_where_splits_are_tested(cls):
    X, y = rows(120)
    y = np.digitize(y, [0.0])
    times = np.random.default_rng(2).integers(0, 4, size=len(y))
    one = cls(significance=0.05).fit(X, y, times).trees_
    other = cls(significance=0.05).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).trees_
    np.testing.assert_array_equal(one.threshold, other.threshold)


def test_most_leaves_are_counted_among_significant_splits():
    X, y = rows()
    model = sf.DecisionTreeRegressor(significance=0.05, max_leaf_nodes=4).fit(X, y)
    free = sf.DecisionTreeRegressor(significance=0.05).fit(X, y)
    assert model.n_leaves_ == min(4, free.n_leaves_)
    chosen = sf.DecisionTreeRegressor(significance=1.0, max_leaf_nodes=6).fit(X, y)
    usual = sf.DecisionTreeRegressor(max_leaf_nodes=6).fit(X, y)
    np.testing.assert_allclose(chosen.predict(X), usual.predict(X), rtol=1e-12)


def test_exclusive_or_is_not_significant():
    X = np.array([[a, b] for a in (0.0, 1) for b in (0.0, 1)] * 5)
    assert sf.DecisionTreeClassifier(significance=0.5).fit(X, X.sum(axis=1) % 2).n_leaves_ == 1


def test_cross_validation_tests_the_splits_of_folds():
    X, y = rows()
    model = sf.DecisionTreeRegressor(significance=0.01, ccp_alpha="cv").fit(X, y)
    assert model.n_leaves_ <= sf.DecisionTreeRegressor(significance=0.01).fit(X, y).n_leaves_


def test_medians_have_no_test_of_means():
    X, y = rows(30)
    with pytest.raises(InvalidParameter, match="splits by medians"):
        sf.DecisionTreeRegressor(criterion="absolute_error", significance=0.05).fit(X, y)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_impurities_of_nodes_are_those_of_scikit_learn(criterion):
    from sklearn.tree import DecisionTreeRegressor

    X, y = rows(80)
    y = np.rint(np.exp(y))
    ours = sf.DecisionTreeRegressor(criterion=criterion, max_depth=3).fit(X, y)
    theirs = DecisionTreeRegressor(criterion=criterion, max_depth=3, random_state=0).fit(X, y).tree_
    at = {(round(float(w)), round(float(v), 8)): i for w, v, i in zip(
        theirs.weighted_n_node_samples, theirs.value[:, 0, 0], theirs.impurity, strict=True)}  # fmt: skip
    found = [(at[key], own) for key, own in zip(
        zip(ours.trees_.weight.round().astype(int).tolist(), ours.trees_.value[:, 0].round(8).tolist(), strict=True),
        ours.impurities_, strict=True) if key in at]  # fmt: skip
    assert len(found) > len(ours.impurities_) / 2
    np.testing.assert_allclose(*np.array(found).T, atol=1e-9)
    pruned = ours.prune(0.01 * ours.impurities_[0])
    assert len(pruned.impurities_) == len(pruned.trees_.left) < len(ours.trees_.left)
