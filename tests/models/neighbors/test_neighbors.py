"""Nearest neighbours and windows: scikit-learn's answers, formulas, and rules of ties."""

import tracemalloc

import numpy as np
import pytest
import sklearn.neighbors as sk
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData
from suffice.models.neighbors import NearestDecides, PriorDecides, RandomDecides, parzen

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(400, 4)), RNG.normal(size=(60, 4))
CLASSES = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, 400)]
TARGETS = X @ RNG.normal(size=(4, 2)) + 0.1 * RNG.normal(size=(400, 2))
ALGORITHMS = ["auto", "brute", "kd_tree"]


# ---- scikit-learn's answers ----


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)])
@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_classifier_agrees(algorithm, weights, p):
    ours = sf.KNeighborsClassifier(7, weights=weights, p=p, algorithm=algorithm).fit(X, CLASSES)
    metric = "chebyshev" if np.isinf(p) else "minkowski"
    theirs = sk.KNeighborsClassifier(7, weights=weights, metric=metric, p=2 if np.isinf(p) else p).fit(X, CLASSES)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-10)
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("y", [TARGETS, TARGETS[:, 0]])
def test_regressor_agrees(weights, y):
    ours = sf.KNeighborsRegressor(4, weights=weights).fit(X, y)
    theirs = sk.KNeighborsRegressor(4, weights=weights).fit(X, y)
    rows = np.vstack([Q, X[:5]])  # also at distance 0
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), rtol=1e-10)


def test_constant_windows_agree():
    ours = sf.ParzenClassifier(1.5).fit(X, CLASSES)
    theirs = sk.RadiusNeighborsClassifier(1.5, outlier_label="most_frequent").fit(X, CLASSES)
    some = np.array([len(rows) > 0 for rows in theirs.radius_neighbors(Q, return_distance=False)])
    np.testing.assert_allclose(ours.predict_proba(Q[some]), theirs.predict_proba(Q[some]))
    regressor, other = sf.ParzenRegressor(1.5).fit(X, TARGETS), sk.RadiusNeighborsRegressor(1.5).fit(X, TARGETS)
    np.testing.assert_allclose(regressor.predict(Q[some]), other.predict(Q[some]), rtol=1e-10)


@pytest.mark.parametrize(
    ("window", "kernel"),
    [
        ("gaussian", lambda u: np.exp(-(u**2) / 2)),
        ("exponential", lambda u: np.exp(-u)),
        ("epanechnikov", lambda u: np.maximum(1 - u**2, 0)),
        ("triangular", lambda u: np.maximum(1 - u, 0)),
        ("biweight", lambda u: np.maximum(1 - u**2, 0) ** 2),
        ("tricube", lambda u: np.maximum(1 - u**3, 0) ** 3),
        (lambda u: 1 / (1 + u**2), lambda u: 1 / (1 + u**2)),
    ],
)
def test_windows_are_their_formulas(window, kernel):
    near = np.abs(Q).max(axis=1) < 1.2  # no window is empty
    K = kernel(np.linalg.norm(Q[near][:, None] - X, axis=2) / 3.0)
    expected = K @ TARGETS / K.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sf.ParzenRegressor(3.0, window=window).fit(X, TARGETS).predict(Q[near]), expected)
    shares = np.stack([K[:, c == CLASSES].sum(axis=1) for c in ("ant", "bee", "cat")], axis=1) / K.sum(axis=1)[:, None]
    model = sf.ParzenClassifier(3.0, window=window).fit(X, CLASSES)
    np.testing.assert_allclose(model.predict_proba(Q[near]), shares)
    np.testing.assert_array_equal(model.predict(Q[near]), model.classes_[np.argmax(shares, axis=1)])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_lists_agree(algorithm):
    ours = sf.NearestNeighbors(n_neighbors=6, radius=1.0, algorithm=algorithm).fit(X)
    theirs = sk.NearestNeighbors(n_neighbors=6, radius=1.0).fit(X)
    for rows in (Q, None):
        for mine, other in zip(ours.kneighbors(rows), theirs.kneighbors(rows), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-10)
        mine, other = ours.radius_neighbors(rows), theirs.radius_neighbors(rows, sort_results=True)
        for a, b in zip(mine[1], other[1], strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(ours.kneighbors(Q, 3, return_distance=False), ours.kneighbors(Q, 3)[1])
    np.testing.assert_allclose(ours.score_samples(Q), -theirs.kneighbors(Q)[0][:, -1])


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("rows", [Q, None])
def test_graphs_agree(mode, rows):
    ours, theirs = sf.NearestNeighbors(n_neighbors=6).fit(X), sk.NearestNeighbors(n_neighbors=6).fit(X)
    graph = ours.kneighbors_graph(rows, mode=mode)
    assert graph.format == "csr"
    np.testing.assert_allclose(graph.toarray(), theirs.kneighbors_graph(rows, mode=mode).toarray())
    near = ours.radius_neighbors_graph(rows, 1.0, mode)
    np.testing.assert_allclose(near.toarray(), theirs.radius_neighbors_graph(rows, 1.0, mode).toarray())


def test_duplicates_crowd_a_row_out_of_its_own_list():
    model = sf.NearestNeighbors(n_neighbors=2).fit(np.zeros((5, 1)))
    assert model.kneighbors(return_distance=False).tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]


def test_sparse_rows():
    S = sparse.random_array((200, 40), density=0.2, rng=np.random.default_rng(1), format="csr")
    y = np.arange(200) % 3
    model = sf.KNeighborsClassifier(5, metric="cosine").fit(S, y)
    assert type(model.index_).__name__ == "InvertedLists"
    theirs = sk.KNeighborsClassifier(5, metric="cosine").fit(S, y)
    np.testing.assert_allclose(model.predict_proba(S[:30]), theirs.predict_proba(S[:30]))


def test_order_zero_counts_differing_columns():
    codes = np.round(X)
    ours = sf.NearestNeighbors(p=0).fit(codes).kneighbors(codes[:9])
    np.testing.assert_allclose(ours[0], sk.NearestNeighbors(metric="hamming").fit(codes).kneighbors(codes[:9])[0])


# ---- ties ----


def test_tie_rules():
    rows, y = [[0.0], [1.0], [10.0]], ["b", "a", "b"]  # one vote each at 0.4; b is nearer and larger
    votes = {
        rule: sf.KNeighborsClassifier(2, ties=rule).fit(rows, y).predict([[0.4]])[0]
        for rule in ("first", "nearest", "prior")
    }
    assert votes == {"first": "a", "nearest": "b", "prior": "b"}
    assert sf.KNeighborsClassifier(2, ties=NearestDecides()).fit(rows, y).predict([[0.6]])[0] == "a"
    assert sf.KNeighborsClassifier(2, ties=PriorDecides()).fit(rows, y).predict([[0.6]])[0] == "b"


def test_chance_decides_alike_and_does_not_depend_on_pieces():
    model = sf.KNeighborsClassifier(2, ties=RandomDecides(seed=4)).fit([[0.0], [1.0]], ["a", "b"])
    rows = np.linspace(0, 1, 400)[:, None]
    found = model.predict(rows)
    assert 150 < np.sum(found == "a") < 250
    np.testing.assert_array_equal(np.concatenate([model.predict(rows[:7]), model.predict(rows[7:])]), found)


# ---- empty windows ----


def test_empty_windows():
    y = ["b", "b", "a"]
    rows = [[0.0], [1.0], [3.0]]
    assert sf.ParzenClassifier(0.5).fit(rows, y).predict([[9.0]])[0] == "a"
    assert sf.ParzenClassifier(0.5, empty="prior").fit(rows, y).predict([[9.0]])[0] == "b"
    assert sf.ParzenRegressor(0.5, empty="prior").fit(rows, [1.0, 2.0, 6.0]).predict([[9.0]]) == [3.0]
    with pytest.raises(InvalidData, match=r"ParzenRegressor: row 1 has no row of the fit .*none within radius=0.5"):
        sf.ParzenRegressor(0.5, empty="refuse").fit(rows, [1.0, 2.0, 6.0]).predict([[1.0], [9.0]])


def test_gaussian_windows_do_not_underflow():
    model = sf.ParzenRegressor(1e-3, window="gaussian").fit([[0.0], [1.0]], [5.0, 7.0])
    np.testing.assert_allclose(model.predict([[0.4], [100.0]]), [5.0, 7.0])


@pytest.mark.parametrize("cells", [4, 40, 400, 4000])
def test_blocks_of_any_length_answer_each_row_once(monkeypatch, rng, cells):
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    rows = rng.normal(size=(137, 2))
    classifier, regressor = sf.ParzenClassifier(0.4).fit(X, y), sf.ParzenRegressor(0.4).fit(X, y)
    said = classifier.predict(rows), classifier.predict_proba(rows), regressor.predict(rows)
    monkeypatch.setattr(parzen, "_CELLS", cells)
    for before, after in zip(
        said, (classifier.predict(rows), classifier.predict_proba(rows), regressor.predict(rows)), strict=True
    ):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(("index", "most"), [("kd_tree", 3), ("brute", 60)])
def test_windows_that_end_are_searched_in_few_long_blocks(monkeypatch, rng, index, most):
    X, y, Q = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000), rng.normal(size=(500, 3))
    model = sf.ParzenClassifier(0.1, algorithm=index).fit(X, y)
    wanted, asked = model.predict_proba(Q), []
    search = type(model.index_).first_radius_neighbors

    def counted(index, rows, radius, most):
        asked.append(len(rows))
        return search(index, rows, radius, most)

    monkeypatch.setattr(type(model.index_), "first_radius_neighbors", counted)
    monkeypatch.setattr(parzen, "_CELLS", 10_000)
    np.testing.assert_array_equal(model.predict_proba(Q), wanted)
    assert len(asked) <= most


@pytest.mark.parametrize("window", ["constant", "epanechnikov"])
def test_windows_that_hold_all_rows_after_empty_ones_need_little_memory(monkeypatch, rng, window):
    """256 bytes for each of the pairs looked at together: 1 GB."""
    cells, n = 1 << 17, 2000
    monkeypatch.setattr(parzen, "_CELLS", cells)
    X, y = rng.normal(size=(n, 4)) * 0.05, rng.integers(0, 3, n)
    model = sf.ParzenClassifier(radius=1.0, window=window, empty="prior").fit(X, y)
    Q = np.concatenate([np.full((30 * cells // n, 4), 50.0), X])
    model.predict(Q[:1])
    tracemalloc.start()
    try:
        model.predict(Q)
        assert tracemalloc.get_traced_memory()[1] < 256 * cells
    finally:
        tracemalloc.stop()
