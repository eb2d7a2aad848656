"""The tree: cuts, cophenetic distances, leaf order, Newick, pictures; bad input; samples; the divisive tree."""

import pickle
import re

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cophenet, fcluster, leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

import suffice as sf
from suffice.distances import Euclidean, Gower, Mahalanobis
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded
from suffice.models.hierarchy import Hierarchy

mpl.use("Agg")


def blobs(n=90, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(n) % 3]


def fitted(linkage="average", n=90, **parameters):
    return sf.AgglomerativeClustering(3, linkage=linkage, **parameters).fit(blobs(n))


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward", "centroid", "median", "weighted"])
def test_cuts_equal_scipy(method):
    X = blobs()
    tree, Z = sf.AgglomerativeClustering(1, linkage=method).fit(X).tree_, linkage(X, method)
    for height in (0.0, 0.3, 1.0, 4.0, 100.0):
        assert same_partition(tree.cut(height=height), fcluster(Z, height, "distance"))
    for k in (1, 2, 3, 10, 90):
        assert len(np.unique(tree.cut(k=k))) == k


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
@pytest.mark.parametrize("k", [1, 2, 5, 90])
def test_labels_equal_scikit_learn(method, k):
    X = blobs()
    theirs = AgglomerativeClustering(k, linkage=method).fit(X)
    ours = sf.AgglomerativeClustering(k, linkage=method).fit(X)
    assert same_partition(ours.labels_, theirs.labels_)
    assert (ours.n_clusters_, ours.n_leaves_) == (theirs.n_clusters_, theirs.n_leaves_)


def test_labels_are_numbered_as_they_turn_up():
    labels = fitted().labels_
    assert labels[0] == 0
    assert list(dict.fromkeys(labels.tolist())) == [0, 1, 2]


def test_height_instead_of_a_number():
    model = sf.AgglomerativeClustering(None, linkage="average", height=4.0).fit(blobs())
    assert model.n_clusters_ == 3
    np.testing.assert_array_equal(model.labels_, fitted().labels_)


def test_cophenetic_distances_equal_scipy():
    X = blobs()
    model, Z = fitted(), linkage(X, "average")
    correlation, distances = cophenet(Z, pdist(X))
    np.testing.assert_allclose(model.tree_.cophenetic(), distances)
    assert model.tree_.cophenetic_correlation(Euclidean().condensed(X)) == pytest.approx(correlation)


def test_leaf_orders_equal_scipy():
    X = blobs(40)
    tree, Z = fitted(n=40).tree_, linkage(X, "average")
    np.testing.assert_array_equal(tree.leaf_order(), leaves_list(Z))
    best = tree.ordered(pdist(X))
    np.testing.assert_array_equal(best.leaf_order(), leaves_list(optimal_leaf_ordering(Z, pdist(X))))
    D = squareform(pdist(X))
    walk = [D[order[:-1], order[1:]].sum() for order in (tree.leaf_order(), best.leaf_order())]
    assert walk[1] <= walk[0]
    np.testing.assert_array_equal(best.cut(k=3), tree.cut(k=3))


def newick_depths(text):
    """The sum of branch lengths from the root to each leaf, by a parser of its own."""
    stack = [[]]  # for each open bracket the parts so far, each a list of [leaf, depth]
    for token in re.findall(r"'(?:[^']|'')*'|[()]|:[0-9.e+-]+|[^(),;:]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            parts = stack.pop()
            stack[-1].append([leaf for part in parts for leaf in part])
        elif token.startswith(":"):
            for leaf in stack[-1][-1]:
                leaf[1] += float(token[1:])
        else:
            stack[-1].append([[token, 0.0]])
    return dict(stack[0][0])


def test_newick_has_every_leaf_at_the_height_of_the_root():
    tree = fitted(n=20).tree_
    found = newick_depths(tree.newick([f"row {i}" for i in range(20)]))
    assert set(found) == {f"'row {i}'" for i in range(20)}
    np.testing.assert_allclose(list(found.values()), tree.heights[-1], rtol=1e-9)


def test_one_row_is_a_tree():
    model = sf.AgglomerativeClustering(1).fit([[1.0, 2.0]])
    assert model.labels_.tolist() == [0]
    assert model.linkage_matrix_.shape == (0, 4)
    assert model.tree_.newick(["alone"]) == "alone;"
    assert model.tree_.leaf_order().tolist() == [0]
    assert sf.Divisive(1).fit([[1.0, 2.0]]).labels_.tolist() == [0]


def test_rows_without_weight_are_not_in_the_tree():
    X, weight = blobs(12), np.ones(12)
    weight[[2, 7]] = 0
    model = sf.AgglomerativeClustering(3, linkage="average").fit(X, sample_weight=weight)
    assert model.labels_[[2, 7]].tolist() == [-1, -1]
    assert model.n_leaves_ == 10
    np.testing.assert_allclose(model.distances_, linkage(X[weight > 0], "average")[:, 2])


def test_pickle_keeps_the_tree():
    model = pickle.loads(pickle.dumps(fitted()))
    np.testing.assert_array_equal(model.predict(blobs()), fitted().labels_)


# ---- other distances ----


def test_mahalanobis_is_ward_of_turned_rows():
    X, M = blobs(), np.array([[2.0, 0.5], [0.5, 1.0]])
    model = sf.AgglomerativeClustering(3, metric=Mahalanobis(M)).fit(X)
    np.testing.assert_allclose(model.distances_, linkage(X @ np.linalg.cholesky(M), "ward")[:, 2])


def test_mixed_columns_and_gaps():
    frame = pd.DataFrame({"size": [1.0, 1.2, None, 9.0, 9.5], "kind": ["a", "a", "a", "b", "b"]})
    model = sf.AgglomerativeClustering(2, linkage="average", metric="gower").fit(frame)
    np.testing.assert_allclose(model.distances_, linkage(Gower().condensed(frame), "average")[:, 2])
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_complete_tables_by_gowers_distance(dtype):
    X = np.array([[0, 0], [1, 1], [1000, 0], [1001, 1]], dtype=dtype)  # of ranges 1001 and 1
    near, far = (1000 / 1001) / 2, (1 / 1001 + 1) / 2
    model = sf.AgglomerativeClustering(2, linkage="single", metric="gower").fit(X)
    np.testing.assert_allclose(model.distances_, [near, near, far], rtol=1e-6)
    assert model.labels_.tolist() == [0, 1, 0, 1]


def test_splits_with_missing_values():
    X = blobs()
    X[::7, 0] = np.nan
    model = sf.Divisive(3).fit(X)
    given = sf.Divisive(3, metric="precomputed").fit(squareform(Euclidean().condensed(X)))
    np.testing.assert_array_equal(model.children_, given.children_)
    np.testing.assert_allclose(model.distances_, given.distances_)
    assert model.predict(X).tolist() == model.labels_.tolist()


def test_missing_values_with_euclidean_distances():
    X = blobs()
    X[::7, 0] = np.nan
    model = sf.AgglomerativeClustering(3, linkage="complete").fit(X)
    np.testing.assert_allclose(model.distances_, linkage(Euclidean().condensed(X), "complete")[:, 2])


def test_a_function_of_two_rows():
    X = blobs(30)
    model = sf.AgglomerativeClustering(3, linkage="average", metric=lambda a, b: np.abs(a - b).sum()).fit(X)
    np.testing.assert_allclose(model.distances_, linkage(X, "average", "cityblock")[:, 2])


# ---- samples ----


def test_a_sample_is_extended_to_all_rows():
    X = blobs(3000)
    model = sf.AgglomerativeClustering.from_sample(X, 300, n_clusters=3, linkage="average", random_state=0)
    assert len(model.labels_) == 3000
    assert model.n_leaves_ == 300
    assert same_partition(model.labels_, np.arange(3000) % 3)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_sample_of_a_file(tmp_path):
    frame = pd.DataFrame(blobs(2000), columns=["a", "b"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = sf.AgglomerativeClustering.from_sample(sf.scan(tmp_path / "rows.csv"), 200, n_clusters=3, random_state=0)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert same_partition(model.predict(frame), np.arange(2000) % 3)


def test_new_rows_by_their_dissimilarities():
    X = blobs()
    D = squareform(pdist(X))
    model = sf.AgglomerativeClustering(3, linkage="average", metric="precomputed").fit(D)
    np.testing.assert_array_equal(model.predict(D), model.labels_)


# ---- bad input ----


def spoilt(i, j, value):
    D = squareform(pdist(blobs(10)))
    D[i, j] = value
    return D


@pytest.mark.parametrize(
    ("D", "words"),
    [
        (spoilt(1, 2, 9.0), "symmetric"),
        (spoilt(3, 3, 1.0), r"X\[3, 3\] is 1.0"),
        (spoilt(1, 2, -1.0), "not negative"),
        (spoilt(1, 2, np.nan), "NaN|nan"),
        (np.ones((3, 4)), "square"),
        (np.ones(4), "4 distances"),
    ],
)
@pytest.mark.parametrize("model", [sf.AgglomerativeClustering, sf.Divisive])
def test_matrices_that_hold_no_dissimilarities(model, D, words):
    with pytest.raises(InvalidData, match=words):
        model(2, metric="precomputed").fit(D)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_clusters": 2, "height": 1.0}, "n_clusters must be None where height is set"),
        ({"n_clusters": None}, "n_clusters must be None"),
        ({"linkage": "ward", "metric": "cityblock"}, "needs a Euclidean distance"),
        ({"linkage": "centroid", "metric": "cosine"}, "needs a Euclidean distance"),
        ({"linkage": "average", "metric": "kl"}, "is not that from y to x"),
        ({"linkage": "mean"}, "linkage must be"),
        ({"metric": "euclidian"}, "metric must be"),
    ],
)
def test_parameters_that_do_not_go_together(parameters, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.AgglomerativeClustering(**parameters).fit(np.abs(blobs()) + 1)


def test_more_clusters_than_rows():
    with pytest.raises(InvalidData, match=r"n_clusters=5 is more than the rows .*n_samples=3"):
        sf.AgglomerativeClustering(5).fit(blobs(3))


def test_memory_is_said_before_it_is_taken():
    X = blobs(900)
    with pytest.raises(MemoryNeeded, match=r"AgglomerativeClustering: 900 rows need 2,332,800 bytes .*from_sample"):
        sf.AgglomerativeClustering(2, linkage="average", memory=1_000_000).fit(X)
    sf.AgglomerativeClustering(2, linkage="average", memory=1_200_000).fit(X.astype(np.float32))
    for method in ("single", "ward"):
        sf.AgglomerativeClustering(2, linkage=method, memory=1_000_000).fit(blobs(3000))


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward", "centroid"])
@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e200), (np.float32, 1e30)])
def test_numbers_whose_squares_overflow(method, dtype, size):
    X = (blobs(20) * size).astype(dtype)
    with pytest.raises(InvalidData, match="overflow; scale the columns down"):
        sf.AgglomerativeClustering(2, linkage=method).fit(X)
    with pytest.raises(InvalidData, match="overflow"):
        sf.AgglomerativeClustering(2, linkage=method, metric="precomputed").fit(
            np.abs(np.subtract.outer(X[:, 0], X[:, 0]))
        )


def test_rows_without_a_common_column():
    X = np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]])
    for model in (sf.AgglomerativeClustering(2, linkage="average"), sf.Divisive(2)):
        with pytest.raises(InvalidData, match="rows 0 and 1 have no column in common"):
            model.fit(X)


@pytest.mark.parametrize("weight", [1e300, 1e-300, 1e-160])
@pytest.mark.parametrize("linkage", ["ward", "centroid", "average", "median"])
@pytest.mark.parametrize("n", [30, 2100])
def test_weights_are_multiplied_without_overflow(rng, weight, linkage, n):
    X = rng.normal(size=(n, 2))
    plain = sf.AgglomerativeClustering(3, linkage=linkage).fit(X)
    model = sf.AgglomerativeClustering(3, linkage=linkage).fit(X, sample_weight=np.full(n, weight))
    unit = np.sqrt(weight) if linkage == "ward" else 1.0
    np.testing.assert_allclose(model.distances_, plain.distances_ * unit, rtol=1e-10)


def test_a_sample_keeps_columns_of_text(rng):
    frame = pd.DataFrame({"size": rng.normal(size=60), "kind": ["x", "z", "y"] * 20})
    model = sf.AgglomerativeClustering.from_sample(
        frame, 50, n_clusters=3, metric="gower", linkage="average", random_state=0
    )
    assert len(set(zip(frame["kind"], model.labels_, strict=True))) == 3
    for size in (0, -1, 1.5, "a", True):
        with pytest.raises(InvalidParameter, match="size must be an integer, at least 1"):
            sf.AgglomerativeClustering.from_sample(frame, size, metric="gower", linkage="average")


def test_new_rows_with_missing_values():
    model = sf.Divisive(2).fit(np.array([[0.0, 1.0], [1.0, np.nan], [9.0, 3.0]]))
    assert model.predict(np.array([[np.nan, 3.0], [0.5, np.nan]])).tolist() == [1, 0]
    with pytest.raises(InvalidData, match="row 1 has no column in common with any row of the fit"):
        model.predict(np.array([[1.0, 2.0], [np.nan, np.nan]]))


def test_heights_of_any_size():
    model = fitted()
    assert set(model.cut(height=10**400)) == {0}
    for height in ("a", np.nan, True):
        with pytest.raises(InvalidParameter, match="cut: height must be a number"):
            model.cut(height=height)
    for parameters in ({"height": np.inf}, {"distance_threshold": 1e308}):
        assert sf.AgglomerativeClustering(None, **parameters).fit(blobs()).n_clusters_ == 1


@pytest.mark.parametrize("call", [{}, {"k": 2, "height": 1.0}, {"k": 0}, {"k": 91}, {"k": 1.5}, {"k": True}])
def test_cuts_that_make_no_sense(call):
    with pytest.raises(InvalidParameter, match="cut"):
        fitted().cut(**call)


def test_names_must_be_as_many_as_leaves():
    with pytest.raises(InvalidData, match="90 leaves; got 2"):
        fitted().tree_.newick(["a", "b"])


# ---- from the top ----


CITIES = [205, 347, 604, 713, 959, 1021, 1188, 1420, 2734]
ARRESTS = [47.06134295, 47.62793298, 51.91926425, 57.27102234, 77.45308257, 77.88452991, 80.33212309, 137.5167263]


def test_divisive_equals_diana_of_r():
    """The heights and sizes of cluster::diana(UScitiesD) and cluster::diana(USArrests), R 4.2.2."""
    cities = sf.Divisive(2, metric="precomputed").fit(sf.datasets.load("us_city_distances").matrix())
    np.testing.assert_allclose(cities.distances_, CITIES)
    arrests = sf.Divisive(4).fit(sf.datasets.load("usarrests").matrix())
    np.testing.assert_allclose(arrests.distances_[-10:], [*ARRESTS, 150.0455931, 293.6227512], rtol=1e-8)
    assert sorted(np.bincount(arrests.labels_).tolist()) == [7, 10, 14, 19]


def test_top_down_trees_are_the_same_object():
    splits = sf.BisectingKMeans(4, random_state=0).fit(blobs()).tree_
    tree = Hierarchy.from_splits(splits.children, splits.inertia, splits.weight)
    assert tree.n_leaves == 4
    assert tree.heights[-1] == splits.inertia[0]
    assert np.all(np.diff(tree.heights) >= 0)
    np.testing.assert_allclose(np.sort(tree.weight), np.sort(splits.weight[splits.children[:, 0] < 0]))
    assert len(np.unique(tree.cut(k=3))) == 3
    assert tree.newick().count(",") == 3


def test_divisive_heights_never_fall():
    tree = sf.Divisive(3).fit(blobs()).tree_
    assert np.all(np.diff(tree.heights) >= 0)
    assert same_partition(tree.cut(k=3), np.arange(90) % 3)


# ---- pictures ----


@pytest.mark.parametrize("orientation", ["top", "left"])
def test_a_dendrogram_is_drawn(orientation):
    display = fitted().dendrogram(most=20, orientation=orientation)
    assert len(display.ends) == 20
    assert sum(end.count for end in display.ends) == 90
    assert len(display.links) == 19
    assert len(display.ax_.lines) == 20  # and the line of the cut
    assert {link.cluster for link in display.links} == {-1, 0, 1, 2}


def test_a_dendrogram_shows_inversions_and_names():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    display = sf.AgglomerativeClustering(1, linkage="centroid").fit(X).dendrogram(["a", "b", "c"])
    assert sorted(end.name for end in display.ends) == ["a", "b", "c"]
    first, second = display.links
    assert second.height < first.height
    with pytest.raises(InvalidParameter, match="orientation"):
        fitted().dendrogram(orientation="sideways")
