"""Models of neighbours: scikit-learn's answers, weights, missing values, ties, files, rows that come and go."""

import numpy as np
import pandas as pd
import pytest
import sklearn.neighbors as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import suffice as sf
from suffice.distances import Gower, Mahalanobis
from suffice.errors import InvalidData, InvalidParameter
from suffice.indices import LSH, Brute, KDTree, Scanned
from suffice.models.neighbors import NearestDecides, PriorDecides, RandomDecides

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
    with pytest.raises(InvalidData, match=r"ParzenRegressor: .*row 1: none within radius=0.5"):
        sf.ParzenRegressor(0.5, empty="refuse").fit(rows, [1.0, 2.0, 6.0]).predict([[1.0], [9.0]])


def test_gaussian_windows_do_not_underflow():
    model = sf.ParzenRegressor(1e-3, window="gaussian").fit([[0.0], [1.0]], [5.0, 7.0])
    np.testing.assert_allclose(model.predict([[0.4], [100.0]]), [5.0, 7.0])


# ---- weights, missing values, mixed columns ----


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**20), st.sampled_from(["brute", "kd_tree"]))
def test_weights_are_repeated_rows(seed, algorithm):
    rng = np.random.default_rng(seed)
    rows, weight = np.round(rng.random((30, 2)) * 4), rng.integers(0, 4, 30)
    y, again = rng.integers(0, 3, 30), np.repeat(np.arange(30), weight)
    if weight.sum() < 5:
        return
    weighted = sf.KNeighborsClassifier(5, algorithm=algorithm).fit(rows, y, sample_weight=weight)
    repeated = sf.KNeighborsClassifier(5, algorithm=algorithm).fit(rows[again], y[again])
    np.testing.assert_allclose(weighted.predict_proba(rows), repeated.predict_proba(rows))


def test_fractions_of_rows_are_looked_for_farther_out():
    model = sf.KNeighborsRegressor(1).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0], [0.25, 0.5, 0.5, 0.25])
    np.testing.assert_allclose(model.predict([[0.0]]), 0.25 * 0 + 0.5 * 1 + 0.25 * 2)


def test_missing_values_in_rows_and_queries():
    missing = X.copy()
    missing[RNG.random(X.shape) < 0.1] = np.nan
    found = sf.NearestNeighbors().fit(missing).kneighbors(missing[:50])
    theirs = sk.NearestNeighbors(metric="nan_euclidean").fit(missing).kneighbors(missing[:50])
    np.testing.assert_allclose(found[0], theirs[0], atol=1e-7)
    with pytest.raises(InvalidData, match="KNeighborsClassifier: column 0, row 0 holds NaN"):
        sf.KNeighborsClassifier(algorithm="kd_tree").fit(np.full((9, 1), np.nan), np.zeros(9, dtype=int))


def test_mixed_columns():
    people = pd.DataFrame({"age": [20.0, 30.0, 60.0, 61.0], "town": ["Bath", "Bath", "York", "York"]})
    model = sf.KNeighborsClassifier(1, metric="gower").fit(people, ["young", "young", "old", "old"])
    new = pd.DataFrame({"age": [58.0, None], "town": ["York", "Bath"]})
    assert model.predict(new).tolist() == ["old", "young"]
    model.partial_fit(pd.DataFrame({"age": [5.0], "town": ["York"]}), ["child"])
    assert model.predict(pd.DataFrame({"age": [6.0], "town": ["York"]})).tolist() == ["child"]


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_what_a_distance_learns_counts_weights(metric, algorithm):
    weight = np.arange(len(X)) % 4
    again = np.repeat(np.arange(len(X)), weight)
    given = sf.NearestNeighbors(metric=metric, algorithm=algorithm).fit(X, sample_weight=weight)
    repeated = sf.NearestNeighbors(metric=metric, algorithm=algorithm).fit(X[again])
    np.testing.assert_allclose(given.score_samples(X), repeated.score_samples(X))
    alone = given.partial_fit(X[:9], sample_weight=np.full(9, 5)).kneighbors(X)[0][:, 0]
    more = repeated.partial_fit(np.repeat(X[:9], 5, axis=0)).kneighbors(X)[0][:, 0]
    np.testing.assert_allclose(alone, more, atol=1e-7)


# ---- ties ----


def test_rows_as_near_as_the_last_share_its_votes():
    rows, labels = np.array([[0.0], [1.0], [-1.0], [1.0], [5.0]]), np.array(["a", "b", "b", "c", "c"])
    model = sf.KNeighborsClassifier(2).fit(rows, labels)  # one vote for row 0, one for the three rows at distance 1
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[1 / 2, 1 / 3, 1 / 6]])
    np.testing.assert_allclose(sf.KNeighborsRegressor(2).fit(rows, [3, 6, 9, 0, 7]).predict([[0.0]]), [(3 + 5) / 2])
    assert model.kneighbors([[0.0]])[1].tolist() == [[0, 1]]
    weighted = sf.KNeighborsClassifier(3).fit(rows, labels, sample_weight=[1, 3, 1, 4, 9])
    np.testing.assert_allclose(weighted.predict_proba([[0.0]]), [[1 / 3, 2 / 3 / 2, 2 / 3 / 2]])
    nearest = sf.KNeighborsClassifier(3, ties="nearest").fit([[1.0], [1.0], [-1.0], [2.0], [2.0]], list("cbbcc"))
    assert nearest.predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("ties", ["first", "nearest", "prior", "random"])
def test_the_order_of_the_rows_does_not_matter(rng, algorithm, weights, ties):
    rows, labels = rng.integers(0, 3, (900, 3)).astype(float), rng.integers(0, 3, 900)
    given, order = rng.integers(0, 3, 900), rng.permutation(900)
    for weight in (None, given):
        model = sf.KNeighborsClassifier(7, algorithm=algorithm, weights=weights, ties=ties)
        first = clone(model).fit(rows, labels, sample_weight=weight)
        other = clone(model).fit(rows[order], labels[order], sample_weight=None if weight is None else weight[order])
        np.testing.assert_allclose(first.predict_proba(rows), other.predict_proba(rows), atol=1e-12)
        np.testing.assert_array_equal(first.predict(rows), other.predict(rows))
    empty = [sf.ParzenClassifier(0.5).fit(rows[i], labels[i]) for i in (np.arange(900), order)]
    np.testing.assert_allclose(empty[0].predict_proba(rows + 0.5), empty[1].predict_proba(rows + 0.5), atol=1e-12)


def test_ties_among_rows_with_few_columns_in_common():
    rows = np.array([[0.0, np.nan], [0.0, np.nan], [np.nan, 1.0], [3.0, np.nan]])
    model = sf.KNeighborsRegressor(2).fit(rows, [1.0, 2.0, 3.0, 4.0])
    assert model.predict([[0.0, np.nan]]).tolist() == [1.5]  # row 2 has no distance from it, and none is needed
    with pytest.raises(InvalidData, match="query 1 has a distance from fewer rows"):
        model.predict([[0.0, np.nan], [np.nan, 1.0]])


# ---- rows come and go ----

MODELS = [
    sf.KNeighborsClassifier(3),
    sf.KNeighborsClassifier(3, algorithm="kd_tree"),
    sf.KNeighborsClassifier(3, metric="mahalanobis"),
    sf.ParzenClassifier(1.0, window="gaussian"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rows_added_and_removed_equal_a_fit(model):
    from sklearn.base import clone

    pieces = clone(model).partial_fit(X[:2], CLASSES[:2]).partial_fit(X[2:300], CLASSES[2:300])
    pieces.partial_fit(X[300:], CLASSES[300:])
    np.testing.assert_allclose(pieces.predict_proba(Q), clone(model).fit(X, CLASSES).predict_proba(Q))
    fewer = clone(model).fit(X[:250], CLASSES[:250])
    np.testing.assert_allclose(pieces.remove(X[250:], CLASSES[250:]).predict_proba(Q), fewer.predict_proba(Q))
    numbered = clone(model).fit(X, CLASSES).remove(rows=np.arange(250, 400))
    np.testing.assert_allclose(numbered.predict_proba(Q), fewer.predict_proba(Q))


def test_auto_changes_its_mind_as_rows_come():
    rows = RNG.normal(size=(3000, 2))
    model = sf.NearestNeighbors().partial_fit(rows[:50])
    assert isinstance(model.index_, Brute)
    model.partial_fit(rows[50:])
    assert isinstance(model.index_, KDTree)
    gap = np.array([[np.nan, 1.0]])
    model.partial_fit(gap)
    assert isinstance(model.index_, Brute)
    whole = sf.NearestNeighbors().fit(np.vstack([rows, gap]))
    np.testing.assert_array_equal(model.kneighbors(Q[:, :2])[1], whole.kneighbors(Q[:, :2])[1])


def test_removing_what_is_not_there():
    model = sf.KNeighborsClassifier(1).fit(X, CLASSES)
    with pytest.raises(InvalidData, match="row 0 is not among the rows of the fit"):
        model.remove(X[:1] + 1)
    with pytest.raises(InvalidData, match="no rows are left"):
        model.remove(rows=np.arange(400))
    assert model.n_samples_fit_ == 400


# ---- rows in files ----

NAMED = pd.DataFrame(Q, columns=list("abcd"))


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=CLASSES, value=TARGETS[:, 0], weight=np.arange(400) % 3)
    for i in range(4):
        frame[i * 100 : (i + 1) * 100].to_parquet(tmp_path / f"{i}.parquet", row_group_size=30)
    return str(tmp_path / "*.parquet"), frame


@pytest.mark.parametrize("weight", [None, "weight"])
def test_rows_that_stay_in_files(table, weight):
    path, frame = table
    w = None if weight is None else frame[weight]
    source = sf.scan(path, columns=list("abcd"), weight=weight)
    scanned, held = sf.NearestNeighbors(memory=1000).fit(source), sf.NearestNeighbors().fit(X, sample_weight=w)
    assert isinstance(scanned.index_, Scanned)
    assert "read for each question" in scanned.index_.reason
    for ours, theirs in zip(scanned.kneighbors(NAMED), held.kneighbors(Q), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(scanned.radius_neighbors(NAMED)[1], held.radius_neighbors(Q)[1], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(scanned.kneighbors(source)[1], held.kneighbors(X)[1])


def test_classes_of_rows_in_files(table):
    path, frame = table
    source = sf.scan(path, columns=list("abcd"), target="kind", weight="weight")
    scanned = sf.KNeighborsClassifier(memory=1).fit(source)
    held = sf.KNeighborsClassifier().fit(X, CLASSES, frame["weight"])
    np.testing.assert_allclose(scanned.predict_proba(NAMED), held.predict_proba(Q))
    window = sf.ParzenClassifier(1.0, memory=1).fit(source)
    inside = sf.ParzenClassifier(1.0).fit(X, CLASSES, frame["weight"])
    np.testing.assert_array_equal(window.predict(NAMED), inside.predict(Q))


def test_what_files_cannot_do(table):
    source = sf.scan(table[0], columns=list("abcd"))
    with pytest.raises(InvalidParameter, match="depends on all rows"):
        sf.NearestNeighbors(metric="mahalanobis", memory=1).fit(source)
    with pytest.raises(InvalidParameter, match="'auto' or 'brute'"):
        sf.NearestNeighbors(algorithm="kd_tree", memory=1).fit(source)
    model = sf.NearestNeighbors(metric=Mahalanobis(np.eye(4)), memory=1).fit(source)
    with pytest.raises(InvalidParameter, match="cannot be inserted"):
        model.partial_fit(pd.DataFrame(X, columns=list("abcd")))
    with pytest.raises(InvalidParameter, match="not in memory"):
        model.kneighbors()


def test_rows_on_dask(table):
    import dask.array as da
    import dask.dataframe as dd

    held = sf.NearestNeighbors().fit(X)
    known = sf.NearestNeighbors(memory=1).fit(da.from_array(X, chunks=((150, 1, 249), 4)))
    unknown = sf.NearestNeighbors(memory=1).fit(dd.from_pandas(table[1][list("abcd")], npartitions=3))
    for model, queries in ((known, Q), (unknown, NAMED)):
        np.testing.assert_array_equal(model.kneighbors(queries)[1], held.kneighbors(Q)[1])
    distances, rows = held.kneighbors(da.from_array(Q, chunks=(20, 4)))
    np.testing.assert_array_equal(rows.compute(), held.kneighbors(Q)[1])
    assert isinstance(distances, da.Array)


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
