"""Sparse rows: coded a few columns at a time, the same trees as of dense rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

import suffice as sf
from suffice.errors import InvalidData
from suffice.growth import Cuts, cells

pytestmark = pytest.mark.native
SAME = ("column", "left", "threshold", "missing_left", "gain", "weight", "value")
MODELS = [
    sf.DecisionTreeClassifier(max_depth=5),
    sf.DecisionTreeClassifier(splitter="histogram"),
    sf.DecisionTreeClassifier(splitter="random", random_state=0),
    sf.DecisionTreeRegressor(criterion="absolute_error", max_depth=3),
    sf.DecisionTreeRegressor(splitter="histogram", ccp_alpha="cv", folds=3),
    sf.RandomForestClassifier(5, random_state=0, oob_score=True),
    sf.ExtraTreesRegressor(5, random_state=0),
    sf.IsolationForest(n_estimators=10, contamination=0.1, random_state=0),
    sf.AdaBoostClassifier(n_estimators=5),
    sf.AdaBoostRegressor(n_estimators=5),
    sf.BaggingClassifier(sf.DecisionTreeClassifier(), 3, max_features=0.5, random_state=0),
]


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch):
    """So few cells that every table is taken in parts."""
    monkeypatch.setattr(cells, "_AT_ONCE", 1000)


def table(n=400, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.3)
    return X, (X[:, 0] + X[:, 1] ** 2 > 0.2).astype(int)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:60])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_a_model_of_sparse_rows_is_that_of_dense_ones(model, kind):
    X, y = table()
    one, other = clone(model).fit(X, y), clone(model).fit(kind(X), y)
    if hasattr(one, "trees_"):
        for name in SAME:
            assert_array_equal(getattr(one.trees_, name), getattr(other.trees_, name))
    if hasattr(one, "apply"):
        assert_array_equal(one.apply(X), other.apply(kind(X)))
    new = table(seed=1)[0]
    assert_array_equal(one.predict(new), other.predict(kind(new)))
    assert_array_equal(one.predict(kind(new)), other.predict(new))


def test_no_table_of_doubles_is_made(monkeypatch):
    """The widest piece that is filled in has so many cells, whatever the table."""
    seen = []
    whole = sparse.csc_array.toarray
    monkeypatch.setattr(sparse.csc_array, "toarray", lambda self, *args: seen.append(self.shape) or whole(self, *args))
    X = sparse.random_array((300, 50), density=0.05, format="csr", rng=np.random.default_rng(0))
    coded = Cuts.of_rows(X, None, {}).coded(X)
    assert coded.codes.shape == (50, 300)
    assert max(n * d for n, d in seen) <= 1000
    assert_array_equal(coded.codes, Cuts.of_rows(X.toarray(), None, {}).coded(X.toarray()).codes)


def test_categories_in_sparse_columns():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, size=300), rng.normal(size=300) * (rng.uniform(size=300) < 0.2)])
    y = np.isin(X[:, 0], [1, 4]).astype(int)
    for splitter in ("best", "histogram"):
        one, other = (sf.DecisionTreeClassifier(categorical_features=[0], splitter=splitter) for _ in range(2))
        one.fit(X, y), other.fit(sparse.csr_array(X), y)
        assert_array_equal(one.trees_.sets, other.trees_.sets)
        assert one.n_leaves_ == other.n_leaves_ == 2
    with pytest.raises(InvalidData, match="whole numbers"):
        sf.DecisionTreeClassifier(categorical_features=[1]).fit(sparse.csr_array(X), y)


def test_weights_of_sparse_rows():
    X, y = table(150)
    w = np.random.default_rng(1).integers(0, 3, size=len(y))
    one = sf.DecisionTreeClassifier(splitter="histogram").fit(X, y, w)
    other = sf.DecisionTreeClassifier(splitter="histogram").fit(sparse.csr_array(X), y, w)
    assert_array_equal(one.trees_.threshold, other.trees_.threshold)
