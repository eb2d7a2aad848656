"""The nodes that rows pass."""

import numpy as np
from scipy import sparse
from sklearn.tree import DecisionTreeRegressor as Theirs

import suffice as sf
from suffice.growth import Trees
from suffice.growth.paths import decision_path


def table(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] * X[:, 1] + rng.normal(size=n) / 4


def test_a_path_is_that_of_scikit_learn():
    X, y = table()
    ours, theirs = sf.DecisionTreeRegressor(max_depth=5).fit(X, y), Theirs(max_depth=5, random_state=0).fit(X, y)
    mine, other = ours.decision_path(X), theirs.decision_path(X)
    assert sparse.issparse(mine)
    assert mine.format == "csr"
    assert mine.shape == other.shape
    assert mine.has_sorted_indices
    number = {}  # nodes are numbered otherwise: the same rows pass each
    for j in range(mine.shape[1]):
        number.setdefault(mine[:, [j]].toarray().tobytes(), []).append(j)
    for j in range(other.shape[1]):
        assert number[other[:, [j]].toarray().astype(np.int64).tobytes()]
    np.testing.assert_array_equal(mine.sum(axis=1), other.sum(axis=1))
    assert (mine[np.arange(len(X)), ours.apply(X)] == 1).all()


def test_the_paths_of_several_trees():
    X, y = table()
    parts = [sf.DecisionTreeRegressor(max_depth=k).fit(X, y).trees_ for k in (0, 1, 6)]
    found = decision_path(Trees.joined(parts), Trees.joined(parts).leaves(X))
    each = [decision_path(part, part.leaves(X)) for part in parts]
    np.testing.assert_array_equal(found.toarray(), sparse.hstack(each).toarray())
