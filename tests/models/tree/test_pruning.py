"""Pruning: by cost and complexity, on a validation set, and pessimistically."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import suffice as sf
from suffice.errors import InvalidData
from suffice.growth.pruning import pessimistic_errors, replaced_subtrees

pytestmark = pytest.mark.native
REFERENCE = Path(__file__).parents[2] / "reference"
TREES = [(sf.DecisionTreeClassifier, DecisionTreeClassifier), (sf.DecisionTreeRegressor, DecisionTreeRegressor)]


def read(name):
    return np.loadtxt(REFERENCE / name, delimiter=",", skiprows=1)


def noisy(n=300, seed=0):
    """Rows whose weights leave no ties; they are whole, so that no rounding keeps pure nodes from being pure."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 0.5).astype(int) + (X[:, 2] > 1)
    return X, y, rng.integers(1000, 3000, size=n)


def test_the_cp_table_of_rpart_for_kyphosis():
    """`printcp(rpart(Kyphosis ~ Age + Number + Start, kyphosis))`: 17 of 81 are wrong in the root."""
    table = read("kyphosis.csv")
    model = sf.DecisionTreeClassifier(min_samples_split=20, min_samples_leaf=7).fit(table[:, 1:], table[:, 0])
    path = model.cost_complexity_path(measure="error")
    assert path.leaves.tolist() == [5, 2, 1]
    assert path.cp == pytest.approx([0, 0.01960784, 0.17647059], abs=1e-8)
    assert path.relative == pytest.approx([0.7647059, 0.8235294, 1], abs=1e-7)
    assert path.risk[-1] == pytest.approx(17 / 81)
    assert (model.trees_.column[0], model.trees_.threshold[0]) == (2, 8.5)  # Start < 8.5, improve=6.762330
    assert model.trees_.gain[0] == pytest.approx(6.762330, abs=1e-6)


def test_the_cp_table_of_rpart_for_cars():
    """`printcp(rpart(Mileage ~ Weight, car.test.frame))`, of which rpart keeps what is worth cp = 0.01."""
    table = read("car_test_frame.csv")
    model = sf.DecisionTreeRegressor(min_samples_split=20, min_samples_leaf=7).fit(table[:, 1:], table[:, 0])
    path = model.cost_complexity_path()
    kept = path.cp > 0.01
    assert path.risk[-1] == pytest.approx(22.576, abs=1e-3)
    assert path.leaves[kept].tolist() == [3, 2, 1]
    assert path.cp[kept] == pytest.approx([0.012828, 0.134528, 0.595349], abs=1e-6)
    assert path.relative[kept] == pytest.approx([0.27012, 0.40465, 1], abs=1e-5)
    assert model.prune(0.01 * path.risk[-1]).cost_complexity_path().relative[0] == pytest.approx(0.25729, abs=1e-5)


@pytest.mark.parametrize(("ours", "theirs"), TREES)
@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_that_of_scikit_learn(ours, theirs, seed):
    X, y, w = noisy(seed=seed)
    path = ours().cost_complexity_pruning_path(X, y, w)
    other = theirs(random_state=0).cost_complexity_pruning_path(X, y, w)
    assert path.ccp_alphas == pytest.approx(other.ccp_alphas, abs=1e-12)
    assert path.impurities == pytest.approx(other.impurities, abs=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), TREES)
@pytest.mark.parametrize("share", [0.2, 0.7, 0.95])
def test_a_pruned_tree_is_that_of_scikit_learn(ours, theirs, share):
    X, y, w = noisy()
    grown = ours().fit(X, y, w)
    alpha = float(np.quantile(grown.cost_complexity_path().alphas, share)) * 1.0001
    other = theirs(ccp_alpha=alpha, random_state=0).fit(X, y, w)
    for model in (grown.prune(alpha), ours(ccp_alpha=alpha).fit(X, y, w)):
        assert model.n_leaves_ == other.get_n_leaves()
        np.testing.assert_allclose(model.predict(X).astype(float), other.predict(X).astype(float))
        leaf = other.tree_.children_left < 0
        mean = np.average(other.tree_.impurity[leaf], weights=other.tree_.weighted_n_node_samples[leaf])
        assert model.impurity_ == pytest.approx(mean, abs=1e-12)


def test_a_path_has_the_figures_of_its_trees():
    X, y, w = noisy()
    model = sf.DecisionTreeClassifier().fit(X[::2], y[::2], w[::2])
    path = model.cost_complexity_path(X[1::2], y[1::2], w[1::2])
    for k, alpha in enumerate(path.alphas):
        pruned = model.prune(alpha)
        assert pruned.n_leaves_ == path.leaves[k]
        assert pruned.impurity_ == pytest.approx(path.risk[k], abs=1e-12)
        assert 1 - pruned.score(X[::2], y[::2], w[::2]) == pytest.approx(path.error[k], abs=1e-12)
        assert 1 - pruned.score(X[1::2], y[1::2], w[1::2]) == pytest.approx(path.test_error[k], abs=1e-12)
    assert path.leaves[-1] == 1
    assert str(path).splitlines()[0].split() == ["alpha", "leaves", "risk", "relative", "error", "test_error"]
    assert path.plot(ax=False).table()["leaves"].tolist() == path.leaves.tolist()


def test_what_was_cut_is_told(tmp_path):
    X, y, w = noisy()
    model = sf.DecisionTreeClassifier().fit(X, y, w)
    pruned = model.prune(0.01)
    cut = pruned.pruned_
    assert len(model.pruned_) == 0
    assert cut.leaves.sum() - len(cut) == model.n_leaves_ - pruned.n_leaves_
    assert cut.before[0] == pytest.approx(model.impurity_, abs=1e-12)
    assert cut.after[-1] == pytest.approx(pruned.impurity_, abs=1e-12)
    assert (pruned.trees_.left[cut.node] < 0).all()
    assert str(cut).splitlines()[0].split() == ["node", "column", "leaves", "before", "after"]
    sf.save(pruned, tmp_path / "tree.sff")
    again = sf.load(tmp_path / "tree.sff")
    assert again.pruned_.table["column"].tolist() == cut.table["column"].tolist()


def test_subtrees_are_replaced_where_a_leaf_does_no_worse_on_other_rows():
    X, y, w = noisy()
    model = sf.DecisionTreeClassifier().fit(X[::2], y[::2])
    pruned = model.prune_on(X[1::2], y[1::2], w[1::2])
    assert 1 < pruned.n_leaves_ < model.n_leaves_
    assert pruned.score(X[1::2], y[1::2], w[1::2]) >= model.score(X[1::2], y[1::2], w[1::2])
    assert pruned.pruned_.after[-1] == pytest.approx(1 - pruned.score(X[1::2], y[1::2], w[1::2]), abs=1e-12)
    # No subtree of the pruned tree can be replaced without more errors.
    assert pruned.prune_on(X[1::2], y[1::2], w[1::2]).n_leaves_ == pruned.n_leaves_
    assert model.n_leaves_ == sf.DecisionTreeClassifier().fit(X[::2], y[::2]).n_leaves_


def test_replacement_is_the_best_pruning_of_all():
    """Of all ways to prune a small tree, the errors on the other rows are least, and with them the leaves fewest."""
    X, y, _ = noisy(60)
    model = sf.DecisionTreeClassifier(max_depth=3).fit(X[::2], y[::2])
    tree = model.trees_
    errors, _ = model._node_errors(X[1::2], y[1::2], None)

    def best(node):
        if tree.left[node] < 0:
            return errors[node], 1
        left, right = best(tree.left[node]), best(tree.left[node] + 1)
        return min((errors[node], 1), (left[0] + right[0], left[1] + right[1]))

    pruned = model.prune_on(X[1::2], y[1::2])
    assert pruned.n_leaves_ == best(0)[1]
    assert replaced_subtrees(tree, errors)[1][0] == best(0)[0]


def test_a_regression_tree_is_pruned_on_other_rows():
    X, _, w = noisy()
    y = X[:, 0] + np.random.default_rng(1).normal(size=len(X))
    model = sf.DecisionTreeRegressor().fit(X[::2], y[::2])
    pruned = model.prune_on(X[1::2], y[1::2], w[1::2])
    assert pruned.pruned_.after[-1] == pytest.approx(
        np.average((pruned.predict(X[1::2]) - y[1::2]) ** 2, weights=w[1::2])
    )
    assert pruned.score(X[1::2], y[1::2]) > model.score(X[1::2], y[1::2])


def test_pessimistic_errors_are_those_of_quinlan():
    """C4.5: Programs for Machine Learning, section 4.2: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750.

    The three leaves have 3.273 errors to expect, and the leaf in their place, with 1 error among 16, fewer.
    """
    leaves = pessimistic_errors(np.zeros(3), np.array([6.0, 9.0, 1.0]), 0.25)
    assert leaves / [6, 9, 1] == pytest.approx([0.206, 0.143, 0.750], abs=5e-4)
    assert leaves.sum() == pytest.approx(3.273, abs=2e-3)
    whole = pessimistic_errors(np.array([1.0]), np.array([16.0]), 0.25)[0]
    assert binom.cdf(1, 16, whole / 16) == pytest.approx(0.25)
    assert whole < leaves.sum()
    assert pessimistic_errors(np.array([4.0]), np.array([4.0]), 0.25)[0] == 4


def test_pessimistic_pruning_replaces_what_is_not_sure():
    X, y, _ = noisy()
    model = sf.DecisionTreeClassifier(min_samples_leaf=2).fit(X, y)
    pruned, harder = model.prune_pessimistically(), model.prune_pessimistically(0.01)
    assert harder.n_leaves_ < pruned.n_leaves_ < model.n_leaves_
    assert (np.diff(np.append(pruned.pruned_.before, pruned.pruned_.after[-1])) <= 1e-12).all()


def test_cross_validation_chooses_the_cost():
    """One column and a quarter of wrong classes: two leaves are the truth."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(2, 400, 3))
    y, truth = ((own[:, 0] > 0) ^ (rng.uniform(size=400) < 0.25) for own in (X, new))
    grown = sf.DecisionTreeClassifier().fit(X, y)
    model = sf.DecisionTreeClassifier(ccp_alpha="cv").fit(X, y)
    path = model.cv_path_
    assert (model.alpha_, model.n_leaves_) == (path.alpha, 2)
    assert path.alphas[0] == pytest.approx(grown.cost_complexity_path().alphas[-1])
    assert path.error.min() == pytest.approx(0.25, abs=0.05)
    assert path.error[[0, -1]] == pytest.approx([0.5, 0.38], abs=0.07)
    assert model.score(new, truth) > grown.score(new, truth) + 0.05
    assert sf.DecisionTreeClassifier(ccp_alpha="cv", rule="min").fit(X, y).n_leaves_ >= 2


def test_folds_are_trees_of_their_own():
    """The errors of a fold are those of a tree of the other rows, pruned at the geometric means."""
    X, y, w = noisy(200)
    model = sf.DecisionTreeClassifier(ccp_alpha="cv", folds=3).fit(X, y, w)
    grown = sf.DecisionTreeClassifier().fit(X, y, w)
    rows = grown._tree_rows(grown._open(X, y, w, reset=True))
    fold = grown._task(rows).folds(3)
    alphas = model.cv_path_.alphas[::-1]
    middles = np.append(np.sqrt(alphas[:-1] * alphas[1:]), 1e9)
    for k in range(3):
        own = sf.DecisionTreeClassifier().fit(X[fold != k], y[fold != k], w[fold != k])
        out = fold == k
        errors = [1 - own.prune(alpha).score(X[out], y[out], w[out]) for alpha in middles]
        assert model.cv_path_.errors[k, ::-1] == pytest.approx(errors, abs=0.02)


def test_weights_are_repetitions_for_cross_validation_too():
    X, y, _ = noisy(100)
    times = np.random.default_rng(0).integers(1, 4, size=100)
    weighted = sf.DecisionTreeClassifier(ccp_alpha="cv", folds=5).fit(X, y, times)
    repeated = sf.DecisionTreeClassifier(ccp_alpha="cv", folds=5).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.cv_path_.errors == pytest.approx(repeated.cv_path_.errors)
    assert weighted.alpha_ == pytest.approx(repeated.alpha_)


def test_categories_and_missing_cells_are_validated_alike():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 200).astype(float), rng.normal(size=200)])
    y = np.isin(X[:, 0], [1, 4]).astype(int)
    X[::9, 1] = np.nan
    X[4::17, 0] = np.nan
    model = sf.DecisionTreeClassifier(ccp_alpha="cv", categorical_features=[0]).fit(X, y)
    assert model.cv_path_.error.min() < 0.1
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, X, y: m.prune(-1), "alpha must be a number, at least 0"),
        (lambda m, X, y: m.prune(0.1, measure="gini"), "measure must be"),
        (lambda m, X, y: m.prune_on(X, y[:-1]), "300 rows, but y has 299"),
        (lambda m, X, y: m.prune_on(X, y, np.zeros(300)), "must weigh something"),
        (lambda m, X, y: m.prune_pessimistically(0), "confidence must be"),
        (lambda m, X, y: sf.DecisionTreeClassifier(ccp_alpha=-1).fit(X, y), "ccp_alpha must be"),
        (lambda m, X, y: sf.DecisionTreeClassifier(ccp_alpha="cv").fit(X[:1], y[:1]), "at least 2 folds"),
    ],
)
def test_what_cannot_be_used_is_refused(call, words):
    X, y, _ = noisy()
    with pytest.raises(sf.errors.SufficeError, match=words):
        call(sf.DecisionTreeClassifier().fit(X, y), X, y)


def test_a_class_never_seen_is_always_wrong():
    X, y, _ = noisy()
    model = sf.DecisionTreeClassifier().fit(X, y)
    assert model.prune_on(X, np.full(300, 7)).n_leaves_ == 1


def test_labels_of_another_kind_are_refused():
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 0, 0, 1, 1, 0, 1])
    tree = sf.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(InvalidData, match="y has no class of the fit"):
        tree.prune_on(X, y.astype(str))
    assert tree.prune_on(X, np.where(y == 0, 7, y)).n_leaves_ < tree.n_leaves_
