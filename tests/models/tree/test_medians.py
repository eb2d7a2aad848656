"""Trees of medians: absolute errors, exactly."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import suffice as sf
from suffice.backend.growth import Draws, Limits, native, portable
from suffice.growth import Cuts, ranked_targets

pytestmark = pytest.mark.native


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.standard_t(2, size=n), rng.integers(1, 5, size=n).astype(float)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3}, {"max_leaf_nodes": 12}])
def test_the_tree_is_that_of_scikit_learn(seed, limits):
    X, y, _ = rows(seed=seed)
    ours = sf.DecisionTreeRegressor(criterion="absolute_error", **limits).fit(X, y)
    theirs = DecisionTreeRegressor(criterion="absolute_error", random_state=0, **limits).fit(X, y)
    assert ours.n_leaves_ == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-12)
    leaf = theirs.tree_.children_left < 0
    mean = np.average(theirs.tree_.impurity[leaf], weights=theirs.tree_.n_node_samples[leaf])
    assert ours.impurity_ == pytest.approx(mean, abs=1e-10)


def test_every_split_is_the_best():
    """Cuts often gain the same, where no median moves: the first of the best is taken."""
    X, y, w = rows(80)
    tree = sf.DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=8).fit(X, y, w).trees_

    def away(own):
        order = np.argsort(y[own])
        so_far = np.cumsum(w[own][order])
        median = y[own][order][np.searchsorted(so_far, so_far[-1] / 2)]
        return w[own] @ np.abs(y[own] - median)

    def walk(node, own):
        if tree.left[node] < 0:
            return
        best = []
        for j in range(3):
            for value in np.unique(X[own, j])[:-1]:
                left = X[own, j] <= value
                if min(w[own][left].sum(), w[own][~left].sum()) >= 8:
                    best.append(away(own[left]) + away(own[~left]))
        assert tree.gain[node] == pytest.approx(away(own) - min(best), abs=1e-9)
        left = X[own, tree.column[node]] <= tree.threshold[node]
        walk(tree.left[node], own[left])
        walk(tree.left[node] + 1, own[~left])

    walk(0, np.arange(80))
    assert len(tree.left) > 10


def test_weights_are_repetitions():
    X, y, w = rows()
    weighted = sf.DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=5).fit(X, y, w)
    times = w.astype(int)
    repeated = sf.DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=5).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_array_equal(weighted.trees_.threshold, repeated.trees_.threshold)
    np.testing.assert_array_equal(weighted.trees_.value, repeated.trees_.value)


def test_the_scale_of_weights_does_not_matter():
    X, y, w = rows()
    one, other = (
        sf.DecisionTreeRegressor(criterion="absolute_error", max_depth=4).fit(X, y, scale * w) for scale in (1, 2.5)
    )
    np.testing.assert_array_equal(one.trees_.value, other.trees_.value)


def test_the_median_is_in_the_middle_where_half_of_the_weight_is_reached():
    def said(y, w):
        return (
            sf.DecisionTreeRegressor(criterion="absolute_error", max_depth=0)
            .fit(np.zeros((len(y), 1)), y, w)
            .predict([[0.0]])[0]
        )

    assert said([1.0, 2.0, 4.0, 9.0], None) == 3
    assert said([1.0, 2.0, 9.0], None) == 2
    assert said([1.0, 2.0, 9.0], [2, 1, 1]) == 1.5
    assert said([1.0, 2.0, 9.0], [0.1, 0.1, 0.3]) == 9
    assert said([1.0, 7.0, 2.0, 9.0], [1, 0, 1, 1]) == 2


def test_outliers_do_not_move_a_leaf():
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 20, 1.0, 3.0)
    y[[3, 30]] = 1e6, -1e6
    model = sf.DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y)
    assert model.trees_.threshold[0] == 19.5
    assert model.predict([[0.0], [39.0]]).tolist() == [1, 3]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("monotone", "q"), [(None, 1), (np.array([1, 0, 0], dtype=np.int8), 1), (None, 2)])
def test_the_kernel_grows_the_tree_of_the_definition(exact, monotone, q):
    X, y, w = rows(60)
    X[::7, 1] = np.nan
    X[:, 2] = np.random.default_rng(1).integers(0, 5, size=60)
    cuts = Cuts.of_rows(X, w, {2: 5})
    table = cuts.sorted(X) if exact else cuts.coded(X)
    Y = np.column_stack([y, X[:, 0] - 3 * y**2])[:, :q]
    targets, _ = ranked_targets(np.round(Y, 1), w)
    draws = Draws(np.array([3, 4]), np.random.default_rng(0).integers(0, 3, size=(2, 60)).astype(np.int32))
    for limits in (
        Limits(3),
        Limits(2, least_leaf=4.0),
        Limits(3, most_leaves=6.0, best_first=True),
        Limits(3, random_cuts=True),
    ):
        grow = "grow_sorted" if exact else "grow_coded"
        one, other = (getattr(by, grow)(table, targets, limits, draws, monotone, False)[0] for by in (native, portable))
        for name, values in one.comparable().items():
            np.testing.assert_allclose(values, other.comparable()[name], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_leaf_nodes": 12}])
def test_several_targets_as_of_scikit_learn(limits):
    X, y, _ = rows()
    Y = np.column_stack([y, X[:, 1] + 0.3 * y])
    ours = sf.DecisionTreeRegressor(criterion="absolute_error", **limits).fit(X, Y)
    theirs = DecisionTreeRegressor(criterion="absolute_error", random_state=0, **limits).fit(X, Y)
    assert ours.predict(X).shape == (200, 2)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-12)
    assert ours.impurities_[0] == pytest.approx(theirs.tree_.impurity[0])
    alone = sf.DecisionTreeRegressor(criterion="absolute_error", **limits).fit(X, y)
    twice = sf.DecisionTreeRegressor(criterion="absolute_error", **limits).fit(X, np.column_stack([y, y]))
    np.testing.assert_array_equal(twice.predict(X)[:, 1], alone.predict(X))


def test_a_tree_of_medians_is_pruned_as_by_scikit_learn():
    X, y, _ = rows()
    path = sf.DecisionTreeRegressor(criterion="absolute_error", max_depth=3).cost_complexity_pruning_path(X, y)
    other = DecisionTreeRegressor(criterion="absolute_error", max_depth=3, random_state=0).cost_complexity_pruning_path(
        X, y
    )
    assert path.ccp_alphas == pytest.approx(other.ccp_alphas, abs=1e-12)
    assert path.impurities == pytest.approx(other.impurities, abs=1e-10)


def test_histograms_and_sorted_values_agree_where_bins_are_values():
    X, y, w = rows(100)
    one, other = (
        sf.DecisionTreeRegressor(criterion="absolute_error", splitter=splitter).fit(np.round(X, 1), y, w)
        for splitter in ("best", "histogram")
    )
    np.testing.assert_array_equal(one.trees_.threshold, other.trees_.threshold)
