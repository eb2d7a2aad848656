"""UMAP: its curve, its graph, its force, weights, labels, new rows, pieces, other distances, limits."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness

import suffice as sf
from suffice.backend import embedding
from suffice.backend.embedding import Curve, Drawing, Edges, Sample, Sampling
from suffice.data import Chunk
from suffice.errors import Disconnected, InvalidParameter, MemoryNeeded
from suffice.indices import Brute, NeighborGraph
from suffice.indices.graph import nearest_others
from suffice.models.manifold.fuzzy_curve import fitted_curve
from suffice.models.manifold.fuzzy_graph import fuzzy_graph, memberships
from suffice.models.manifold.labelled import LabelledObjects, told_apart
from suffice.models.manifold.objects import Objects
from suffice.models.manifold.sampled_descent import Layout, SampledDescent

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore::suffice.errors.Disconnected")]

REFERENCE = Path(__file__).parents[2] / "reference"
VALUES = json.loads((REFERENCE / "umap_values.json").read_text(encoding="utf-8"))
SWISS = np.loadtxt(REFERENCE / "swiss.csv", delimiter=",", skiprows=1)
SHORT = {"n_epochs": 60, "n_neighbors": 8, "random_state": 0}


def blobs(n, d=6, k=4, apart=6.0):
    rng = np.random.default_rng(0)
    group = np.arange(n) % k
    return rng.normal(size=(k, d))[group] * apart + rng.normal(size=(n, d)), group


@pytest.fixture(scope="module")
def rows():
    return blobs(300)


@pytest.fixture(scope="module")
def fitted(rows):
    return sf.UMAP(2, n_neighbors=10, random_state=0).fit(rows[0])


def descent_of(m=40, mass=None, negatives=5, push=1.5):
    rng = np.random.default_rng(1)
    graph = fuzzy_graph(NeighborGraph.nearest(Brute().built(X := rng.normal(size=(m, 3))), X, 5), 6, 1.0, 1.0)
    mass = np.ones(m) if mass is None else mass
    return graph, SampledDescent.of(graph, mass, Layout(Curve(1.6, 0.9), push, negatives, 1.0, 100), 7)


# ---- umap-learn ----


@pytest.mark.parametrize("one", VALUES["curves"], ids=lambda one: f"{one['min_dist']}, {one['spread']}")
def test_curves_are_those_of_umap_learn(one):
    assert_allclose(fitted_curve(one["min_dist"], one["spread"]), one["ab"], rtol=2e-4)


@pytest.mark.parametrize("one", VALUES["graphs"], ids=lambda one: str(one["options"]))
def test_graphs_are_those_of_umap_learn(one):
    options = {"local_connectivity": 1.0, "set_op_mix_ratio": 1.0, **one["options"]}
    k = options["n_neighbors"]
    near = NeighborGraph.nearest(Brute().built(SWISS), SWISS, k - 1)
    graph = fuzzy_graph(near, k, options["local_connectivity"], options["set_op_mix_ratio"]).toarray()
    expected = np.zeros_like(graph)
    i, j, values = (np.array(column) for column in zip(*one["cells"], strict=True))
    expected[i, j] = expected[j, i] = values
    assert_allclose(graph, expected, atol=2e-5)


# ---- the graph ----


def test_memberships_sum_to_the_logarithm():
    X, _ = blobs(60)
    lists = nearest_others(Brute().built(X), X, 9)
    for connectivity in (0.0, 0.5, 1.0, 2.5):
        own = memberships(lists, 10, connectivity).reshape(60, 9)
        assert_allclose(own.sum(axis=1), np.log2(10), rtol=1e-9)
        assert_array_equal((own == 1).sum(axis=1), int(connectivity))
    scaled = memberships(lists._replace(distances=lists.distances * 1e-200), 10, 1.0)
    assert_allclose(scaled, memberships(lists, 10, 1.0), rtol=1e-9)


def test_equally_near_neighbours_have_no_width():
    """More neighbours at one distance than memberships may sum to: they are all entirely such."""
    lists = nearest_others(Brute().built(X := np.vstack([np.zeros(6), np.eye(6)])), X, 6)
    assert_allclose(memberships(lists, 7, 1.0)[:6], 1)


# ---- the descent ----


@pytest.mark.parametrize("masses", [False, True])
def test_the_mean_force_is_the_slope_as_it_is_written(masses):
    """−2 Σ μ ∇ log ν over the edges of a point, and −Σ μ · negatives · push · the mean of ∇ log(1 − ν) over all."""
    rng = np.random.default_rng(2)
    mass = rng.integers(1, 4, 40).astype(float) if masses else np.ones(40)
    graph, descent = descent_of(mass=mass)
    Z = rng.normal(size=(40, 2)) * 3
    epochs, tiny = 4000, 1e-12
    after = embedding.sampled(Z, descent.edges, descent.sampling, descent.sample, np.full(epochs, tiny)).points
    apart = Z[:, None] - Z
    wide = np.sum(apart**2, axis=2) + 1e-3
    near = 1 / (1 + 1.6 * wide**0.9)
    W = graph.toarray() * mass
    W *= np.max(graph.toarray()) / np.max((graph.toarray() > 0) * mass, axis=1, keepdims=True)

    def cut(hold):
        return (hold * np.minimum(1, 4 / np.maximum(np.abs(hold) * np.linalg.norm(apart, axis=2), 1e-300)))[:, :, None]

    pull = np.sum(2 * W[:, :, None] * cut(-1.8 * (1 - near) / wide) * apart, axis=1)
    push = np.einsum("ijk,j->ik", cut(1.5 * 1.8 * near / wide) * apart, mass / mass.sum())
    expected = pull + 5 * W.sum(axis=1, keepdims=True) * push
    assert_allclose((after - Z) / (epochs * tiny), expected, atol=0.05 * np.abs(expected).max())


def test_the_estimate_is_near_the_objective_as_it_is_written():
    graph, descent = descent_of(m=200)
    Z = np.random.default_rng(3).normal(size=(200, 2)) * 4
    found = embedding.sampled(Z, descent.edges, descent.sampling, descent.sample, np.zeros(1))
    near = 1 / (1 + 1.6 * (cdist(Z, Z, "sqeuclidean") + 1e-3) ** 0.9)
    W, degree = graph.toarray(), graph.sum(axis=1)
    assert_array_equal(found.points, Z)
    assert_allclose(found.pulls[0], -np.sum(W * np.log(near)) / W.sum(), rtol=0.02)
    assert_allclose(found.pushes[0], -degree @ np.log(1 - near).mean(axis=1) / degree.sum(), rtol=0.2)


@pytest.mark.parametrize("mass", [[1, 1, 1], [1, 2, 6, 1], [1e-9, 1, 1e9], [3, 3, 3, 1, 2], np.geomspace(1, 1e4, 50)])
def test_points_are_drawn_by_their_mass(mass):
    mass = np.asarray(mass, dtype=float)
    drawing = Drawing.of(mass)
    drawn = drawing.share.copy()
    np.add.at(drawn, drawing.alias, 1 - drawing.share)
    assert_allclose(drawn / len(mass), mass / mass.sum(), atol=1e-12)


def test_the_same_bits_for_any_threads():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    found = set()
    for n in (1, 2, 3):
        with sf.threads(n):
            model = sf.UMAP(2, n_epochs=6, random_state=0).fit(X)
            found.add(model.embedding_.tobytes() + model.transform(X[:50] + 0.1).tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("bad", ["others", "alias", "sample", "ends", "many"])
def test_what_leads_out_of_the_points_is_refused(bad):
    Z = np.zeros((3, 2))
    edges = Edges(np.array([1, 2, 2]), *(np.zeros(2, dtype=kind) for kind in (np.int32, np.uint32, np.uint32)))
    sample, drawing = Sample(*(np.zeros(1, dtype=np.int32) for _ in range(3))), Drawing.of(np.ones(3))
    if bad == "others":
        edges.others[1] = 3
    if bad == "alias":
        drawing.alias[0] = -1
    if bad == "sample":
        sample.against[0] = 3
    if bad in ("ends", "many"):
        edges = edges._replace(ends=np.array([2, 1, 2] if bad == "ends" else [1, 2, 3]))
    with pytest.raises(ValueError, match=r"out of range|ends of lists|cells"):
        embedding.sampled(Z, edges, Sampling(Curve(1.0, 1.0), 1.0, 5, 0, drawing), sample, np.ones(1))


# ---- the map ----


def test_groups_are_kept_and_the_history_falls(rows, fitted):
    X, group = rows
    assert trustworthiness(X, fitted.embedding_, n_neighbors=10) > 0.93
    near = np.argsort(cdist(fitted.embedding_, fitted.embedding_), axis=1)[:, 1:6]
    assert np.mean(group[near] == group[:, None]) == 1
    objective = fitted.history_.objective
    assert fitted.history_.status == "converged"
    assert len(objective) == fitted.n_iter_ == 500
    assert fitted.cross_entropy_ == objective[-1] < 0.75 * objective[0]
    last = fitted.history_.iterations[-1].metrics
    assert_allclose(last["attraction"] + last["repulsion"], objective[-1])


@pytest.mark.parametrize("init", ["spectral", "pca", "random"])
def test_it_may_begin_anywhere(rows, init):
    X, group = rows
    model = sf.UMAP(2, init=init, n_epochs=200, random_state=1).fit(X)
    nearest = np.argsort(cdist(model.embedding_, model.embedding_), axis=1)[:, 1]
    assert np.mean(group[nearest] == group) > 0.99


def test_it_goes_on_from_places(rows):
    X = rows[0]
    start = np.random.default_rng(0).normal(size=(300, 2))
    model = sf.UMAP(2, init=start, n_epochs=1, learning_rate=1e-9, random_state=0).fit(X)
    assert_allclose(model.embedding_, start, atol=1e-3)
    again = sf.UMAP(2, init=np.zeros((300, 2)), n_epochs=60, random_state=0).fit(X)
    assert np.ptp(again.embedding_) > 1


def test_a_roll_is_unrolled():
    rng = np.random.default_rng(0)
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(700)), 21 * rng.random(700)
    roll = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    model = sf.UMAP(2, n_neighbors=10, n_epochs=300, random_state=0).fit(roll)
    assert trustworthiness(roll, model.embedding_, n_neighbors=10) > 0.99


def test_no_push_and_large_values(rows):
    X = rows[0][:60]
    for options in ({"negative_sample_rate": 0}, {"repulsion_strength": 0}, {"negative_sample_rate": 1000}):
        assert np.isfinite(sf.UMAP(2, **SHORT, **options).fit(X).embedding_).all()
    wild = sf.UMAP(2, **SHORT, a=1e6, b=3.0, learning_rate=1e3).fit(X)
    assert np.isfinite(wild.embedding_).all()
    assert (wild.a_, wild.b_) == (1e6, 3.0)


def test_weights_have_no_unit_and_none_is_a_new_row(rows):
    X = rows[0][:120]
    weight = np.random.default_rng(4).integers(1, 4, 120)
    one = sf.UMAP(2, **SHORT).fit(X, sample_weight=weight)
    assert_allclose(sf.UMAP(2, **SHORT).fit(X, sample_weight=0.25 * weight).embedding_, one.embedding_)
    none = sf.UMAP(2, **SHORT).fit(np.vstack([X, X[:5] + 1]), sample_weight=np.append(weight, np.zeros(5)))
    assert_allclose(none.embedding_[:120], one.embedding_)
    assert_allclose(none.embedding_[120:], one.transform(X[:5] + 1))


# ---- new rows ----


def test_new_rows_go_to_the_least_cross_entropy_of_their_own(rows, fitted):
    X, group = rows
    rng = np.random.default_rng(5)
    new = X[:30] + 0.3 * rng.normal(size=(30, 6))
    places = fitted.transform(new)
    assert np.mean(group[np.argmin(cdist(places, fitted.embedding_), axis=1)] == group[:30]) == 1
    found = Brute().built(X).kneighbors(new, 9)
    lists = nearest_others(Brute().built(X), X, 9)._replace(
        ends=np.arange(1, 31) * 9, distances=found.distances.ravel(), rows=found.rows.ravel()
    )
    share = memberships(lists, 10, 1.0).reshape(30, 9)
    share /= share.sum(axis=1, keepdims=True)
    sorted_points = fitted.embedding_
    for i, place in enumerate(places):

        def own(z, i=i):
            near = 1 / (1 + fitted.a_ * (np.sum((z - sorted_points) ** 2, axis=1) + 1e-3) ** fitted.b_)
            return -2 * share[i] @ np.log(near[found.rows[i]]) - 5 * np.log(1 - near).mean()

        assert np.abs(approx_fprime(place, own, 1e-7)).max() < 1e-4
        assert own(place) <= own(sorted_points[found.rows[i, 0]]) + 1e-9
    assert_allclose(fitted.transform(X), fitted.embedding_)
    assert_allclose(fitted.transform(new)[7], fitted.transform(new[7:8])[0], atol=1e-9)


def test_new_rows_beside_many_objects():
    X, group = blobs(2500, k=5)
    model = sf.UMAP(2, n_epochs=100, random_state=0).fit(X)
    places = model.transform(X[:40] + 0.1)
    assert np.mean(group[np.argmin(cdist(places, model.embedding_), axis=1)] == group[:40]) == 1


def test_other_distances(rows):
    X, group = rows[0][:150], rows[1][:150]
    D = cdist(X, X, "cityblock")
    for model, given in (
        (sf.UMAP(2, metric="manhattan", n_epochs=150, random_state=0), X),
        (sf.UMAP(2, metric="precomputed", n_epochs=150, random_state=0), D),
        (sf.UMAP(2, metric="manhattan", n_epochs=150, landmarks=100, random_state=0), X),
    ):
        Z = model.fit(given).embedding_
        assert np.mean(group[np.argsort(cdist(Z, Z), axis=1)[:, 1]] == group) == 1
        assert_allclose(model.transform(given[:5]), Z[:5])


# ---- few rows, copies, pieces ----


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_few_rows_and_many_coordinates(n, k):
    X = np.random.default_rng(n).normal(size=(n, 2))
    model = sf.UMAP(k, n_epochs=20, random_state=0).fit(X)
    assert model.embedding_.shape == (n, k)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(X + 1)).all()


def test_equal_rows_are_one_place():
    assert_allclose(sf.UMAP(2, **SHORT).fit(np.ones((5, 3))).embedding_, 0, atol=1e-3)
    X = np.random.default_rng(0).normal(size=(30, 3))
    Z = sf.UMAP(2, **SHORT).fit_transform(np.vstack([X, X[:10]]))
    assert_allclose(Z[30:], Z[:10])


@pytest.mark.parametrize("pieces", ["keep", "largest", "join"])
def test_pieces(pieces):
    X, group = blobs(150, k=3, apart=50.0)
    with pytest.warns(Disconnected, match="3 pieces"):
        model = sf.UMAP(2, n_neighbors=8, n_epochs=100, pieces=pieces, random_state=0).fit(X)
    assert model.n_pieces_ == 3
    assert np.isfinite(model.embedding_).all()
    own = group if pieces != "largest" else group[:0]
    nearest = np.argsort(cdist(model.embedding_, model.embedding_), axis=1)[:, 1]
    assert np.all(group[nearest][: len(own)] == own)


def test_edges_that_join_pieces_belong_to_the_graph():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    graph = NeighborGraph.nearest(Brute().built(X), X, 2)
    alone = fuzzy_graph(graph, 3, 1.0, 1.0).toarray()
    both = fuzzy_graph(graph.joined(lambda rows, others: cdist(X[rows], X[others])), 3, 1.0, 1.0).toarray()
    assert both[2, 3] == both[3, 2] == 1
    both[2, 3] = both[3, 2] = 0
    assert_allclose(both, alone)


# ---- labels ----


def test_labels_tell_groups_apart():
    X, _ = blobs(200, apart=0.0)
    y = np.array(["no", "yes"])[np.arange(200) % 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        with_labels = sf.UMAP(2, target_weight=1.0, n_epochs=150, random_state=0).fit(X, y)
    nearest = np.argsort(cdist(with_labels.embedding_, with_labels.embedding_), axis=1)[:, 1]
    assert np.mean(y[nearest] == y) > 0.95
    unknown = np.where(np.arange(200) < 100, y, "?")
    some = sf.UMAP(2, target_weight=1.0, unlabelled="?", n_epochs=150, random_state=0).fit_transform(X, unknown)
    assert np.isfinite(some).all()
    plain = sf.UMAP(2, **SHORT).fit(X).embedding_
    assert_array_equal(sf.UMAP(2, **SHORT).fit(X, y).embedding_, plain)  # labels count where they are asked for


def test_equal_rows_of_two_labels_have_none():
    rows = Chunk(np.array([[2.0], [1.0], [2.0], [3.0]]), np.array(["a", "b", "b", "?"]))
    found = LabelledObjects.with_labels(Objects.of(rows, "UMAP"), rows, "?")
    assert found.label.tolist() == [1, -1, -1]


def test_memberships_of_other_labels_fall():
    graph = descent_of()[0]
    label = np.arange(40) % 3 - 1
    same = told_apart(graph, label, 0.0).toarray()
    none = told_apart(graph, label, 1.0).toarray()
    differ = (label[:, None] != label) & (label[:, None] >= 0) & (label >= 0)
    assert not none[differ].any()
    assert same[differ].any()
    assert_allclose(none.max(axis=1)[none.any(axis=1)], 1)
    assert_allclose(none, none.T)


# ---- limits and what is refused ----


def test_an_early_end_keeps_the_map(rows):
    model = sf.UMAP(2, n_epochs=1_000_000, random_state=0)
    with sf.limits(seconds=0.3):
        model.fit(rows[0])
    assert model.history_.status == "time_limit"
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (sf.UMAP(min_dist=2.0), InvalidParameter, "min_dist must be at most spread, which is 1.0; got 2.0"),
        (sf.UMAP(init=np.ones((3, 2))), InvalidParameter, r"init must have one row an object.* shape \(300, 2\)"),
        (sf.UMAP(n_neighbors=1), InvalidParameter, "n_neighbors must be an integer, at least 2"),
        (sf.UMAP(set_op_mix_ratio=2), InvalidParameter, "set_op_mix_ratio must be a number, at least 0, at most 1"),
        (sf.UMAP(memory=100_000), MemoryNeeded, "14 neighbours of each of 300 different rows take 420,000 bytes"),
    ],
)
def test_what_is_refused(rows, model, error, message):
    with pytest.raises(error, match=message):
        model.fit(rows[0])


def test_labels_and_landmarks_do_not_go_together(rows):
    with pytest.raises(InvalidParameter, match="target_weight must be None with landmarks"):
        sf.UMAP(target_weight=0.5, landmarks=50).fit(*rows)
