"""t-SNE: its slope, its perplexity, its ways to sum, weights, new rows, other distances, limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn import manifold
from sklearn.manifold import trustworthiness

import suffice as sf
from suffice.backend import embedding
from suffice.errors import InvalidParameter, MemoryNeeded
from suffice.indices import Brute
from suffice.indices.graph import nearest_others
from suffice.models.manifold.affinities import Affinities
from suffice.models.manifold.descent import Descent
from suffice.models.manifold.smooth_field import SmoothField

pytestmark = pytest.mark.native

SHORT = {"max_iter": 300, "early_exaggeration_iter": 100, "random_state": 0}


def blobs(n, d=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    group = np.arange(n) % k
    return rng.normal(size=(k, d))[group] * 6 + rng.normal(size=(n, d)), group


@pytest.fixture(scope="module")
def rows():
    return blobs(400)


@pytest.fixture(scope="module")
def fitted(rows):
    return sf.TSNE(2, **SHORT).fit(rows[0])


def affinities_of(X, mass, perplexity=8.0):
    index = Brute().built(X)
    return Affinities.of(nearest_others(index, X, 3 * int(perplexity)), mass, perplexity)


def divergence(Z, P, mass):
    """KL(P ‖ Q) as it is written."""
    near = np.outer(mass, mass) / (1 + cdist(Z, Z, "sqeuclidean"))
    np.fill_diagonal(near, 0)
    Q, some = near / near.sum(), P > 0
    return float(np.sum(P[some] * np.log(P[some] / Q[some])))


def full(found, m):
    P = np.zeros((m, m))
    P[np.repeat(np.arange(m), np.diff(found.ends, prepend=0)), found.others] = found.share
    return P


def test_the_slope_is_that_of_the_divergence():
    """With weights, by finite differences, and the objective as it is written."""
    X, _ = blobs(40)
    rng = np.random.default_rng(1)
    mass = rng.integers(1, 4, 40).astype(float)
    mass /= mass.mean()
    own = affinities_of(X, mass)
    P = full(own, 40)
    assert_allclose(P, P.T, rtol=1e-12)
    assert_allclose(P.sum(), 1)
    Z = rng.normal(size=(40, 2)) * 2
    descent = Descent(own, mass, lambda z: embedding.push(z, z, mass), 1.0, 1.0, 1.0, 0, 300, 0.0)
    slope, value = descent.look(Z)
    assert_allclose(value, divergence(Z, P, mass), rtol=1e-10)
    expected = approx_fprime(Z.ravel(), lambda z: divergence(z.reshape(-1, 2), P, mass), 1e-7).reshape(-1, 2)
    assert_allclose(slope * mass[:, None], expected, atol=2e-6)


def test_lists_have_the_perplexity():
    X, _ = blobs(100)
    lists = nearest_others(Brute().built(X), X, 99)
    squared = lists.distances.reshape(100, 99) ** 2
    for perplexity in (2.0, 30.0, 98.0):
        share, precision = embedding.calibrated(squared.ravel(), lists.ends, np.ones(9900), np.log(perplexity))
        p = share.reshape(100, 99)
        assert_allclose(np.exp(-np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1)), perplexity, rtol=1e-9)
        assert_allclose(p, softmax(-precision[:, None] * squared, axis=1), atol=1e-12)


def test_affinities_are_scikit_learns():
    from sklearn.manifold._t_sne import _joint_probabilities  # what theirs minimises; no public name gives it

    X, _ = blobs(60)
    lists = nearest_others(Brute().built(X), X, 59)
    own = full(Affinities.of(lists, np.ones(60), 10.0), 60)
    theirs = _joint_probabilities(cdist(X, X, "sqeuclidean").astype(np.float32), 10.0, 0)
    assert_allclose(own[np.triu_indices(60, 1)], theirs, atol=1e-6)


@pytest.mark.parametrize("size", [1e-4, 1.0, 10.0])
@pytest.mark.parametrize("k", [1, 2])
def test_the_grid_gives_the_sums(size, k):
    rng = np.random.default_rng(2)
    Z, mass = rng.normal(size=(600, k)) * size, 0.5 + rng.random(600)
    exact, found = embedding.push(Z, Z, mass, True), SmoothField.of(Z, mass).at(Z, True)
    assert_allclose(found.value.sum(), exact.value.sum(), rtol=5e-3)
    assert np.linalg.norm(found.slope - exact.slope) < 0.04 * np.linalg.norm(exact.slope)
    within = SmoothField.of(Z, mass, room=3.0)
    moved = Z + 0.1 * size
    numeric = (within.at(moved + 1e-5 * size).value - within.at(moved - 1e-5 * size).value) / (2e-5 * size)
    assert_allclose(within.at(moved).slope.sum(axis=1), numeric, atol=2e-4 * np.abs(numeric).max())


def test_cells_give_the_sums():
    Z = np.random.default_rng(3).normal(size=(700, 3)) * 10
    exact = embedding.push(Z, Z)
    assert_allclose(embedding.push_by_tree(Z, Z, None, 0.0).slope, exact.slope, atol=1e-9)
    assert_allclose(embedding.push_by_tree(Z, Z, None, 0.5).value, exact.value, rtol=0.05)


def test_as_low_as_scikit_learns(rows, fitted):
    X, _ = rows
    theirs = manifold.TSNE(2, init="pca", random_state=0, method="exact", max_iter=300).fit(X)
    assert fitted.kl_divergence_ < theirs.kl_divergence_ * 1.02
    P = full(affinities_of(X, np.ones(400), 30.0), 400)
    assert_allclose(divergence(fitted.embedding_, P, np.ones(400)), fitted.kl_divergence_, rtol=1e-6)
    assert trustworthiness(X, fitted.embedding_) > 0.95


@pytest.mark.parametrize("method", ["interpolation", "barnes_hut"])
def test_every_method_comes_as_low(rows, fitted, method):
    model = sf.TSNE(2, method=method, **SHORT).fit(rows[0])
    assert abs(model.kl_divergence_ - fitted.kl_divergence_) < 0.05


def test_the_same_bits_for_any_threads(rows):
    for method in ("interpolation", "barnes_hut", "exact"):
        found = set()
        for n in (1, 2, 3):
            with sf.threads(n):
                model = sf.TSNE(2, method=method, max_iter=30, early_exaggeration_iter=10).fit(rows[0])
                found.add(model.embedding_.tobytes() + model.transform(rows[0][:50] + 0.1).tobytes())
        assert len(found) == 1


def test_weights_are_repeated_rows_and_have_no_unit(rows):
    X = rows[0][:120]
    weight = np.random.default_rng(4).integers(1, 4, 120)
    short = {**SHORT, "max_iter": 120}
    one = sf.TSNE(2, **short).fit(X, sample_weight=weight)
    two = sf.TSNE(2, **short).fit(np.repeat(X, weight, axis=0))
    assert_allclose(two.embedding_, np.repeat(one.embedding_, weight, axis=0), atol=1e-6)
    assert_allclose(sf.TSNE(2, **short).fit(X, sample_weight=0.25 * weight).embedding_, one.embedding_, atol=1e-6)
    none = sf.TSNE(2, **short).fit(np.vstack([X, X[:5] + 1]), sample_weight=np.append(weight, np.zeros(5)))
    assert_allclose(none.embedding_[:120], one.embedding_, atol=1e-6)


def test_new_rows_go_to_the_least_divergence_of_their_own(rows, fitted):
    X, group = rows
    rng = np.random.default_rng(5)
    new = X[:40] + 0.3 * rng.normal(size=(40, 6))
    places = fitted.transform(new)
    assert np.mean(group[np.argmin(cdist(places, fitted.embedding_), axis=1)] == group[:40]) == 1
    index = Brute().built(X)
    found = index.kneighbors(new, 90)
    share, _ = embedding.calibrated(found.distances.ravel() ** 2, np.arange(1, 41) * 90, np.ones(3600), np.log(30.0))
    for i, (place, p) in enumerate(zip(places, share.reshape(40, 90), strict=True)):

        def own(z, p=p, i=i):
            near = 1 / (1 + np.sum((z - fitted.embedding_) ** 2, axis=1))
            return -p @ np.log(near[found.rows[i]]) + np.log(near.sum())

        assert np.abs(approx_fprime(place, own, 1e-6)).max() < 1e-4
        assert own(place) <= own(fitted.embedding_[found.rows[i, 0]]) + 1e-9
    assert_allclose(fitted.transform(X), fitted.embedding_)
    assert_allclose(fitted.transform(new)[7], fitted.transform(new[7:8])[0], atol=1e-9)


def test_many_rows_and_new_ones_by_a_grid():
    X, group = blobs(4000, k=5)
    model = sf.TSNE(2, max_iter=150, early_exaggeration_iter=80, perplexity=10, random_state=0).fit(X)
    assert trustworthiness(X[:1500], model.embedding_[:1500]) > 0.9
    new = X[:30] + 0.1
    places = model.transform(new)
    assert np.mean(group[np.argmin(cdist(places, model.embedding_), axis=1)] == group[:30]) == 1


def test_other_distances(rows):
    X = rows[0][:150]
    D = cdist(X, X, "cityblock")
    by_rows = sf.TSNE(2, metric="manhattan", **SHORT).fit(X)
    given = sf.TSNE(2, metric="precomputed", **SHORT).fit(D)
    assert abs(given.kl_divergence_ - by_rows.kl_divergence_) < 0.02
    assert_allclose(given.transform(D[:5]), given.embedding_[:5])
    near = sf.TSNE(2, metric="manhattan", landmarks=100, **SHORT).fit(X)
    assert near.embedding_.shape == (150, 2)
    assert trustworthiness(X, near.embedding_) > 0.85


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_few_rows_and_many_coordinates(n, k):
    X = np.random.default_rng(n).normal(size=(n, 2))
    model = sf.TSNE(k, **SHORT).fit(X)
    assert model.embedding_.shape == (n, k)
    assert np.isfinite(model.embedding_).all()
    assert model.perplexity_ == max(1.0, (n - 1) / 3)
    assert np.isfinite(model.transform(X + 1)).all()


def test_equal_rows_are_one_place():
    assert_allclose(sf.TSNE(2, **SHORT).fit(np.ones((5, 3))).embedding_, 0)
    X = np.random.default_rng(0).normal(size=(30, 3))
    Z = sf.TSNE(2, **SHORT).fit_transform(np.vstack([X, X[:10]]))
    assert_allclose(Z[30:], Z[:10])


def test_an_early_end_keeps_the_map(rows):
    model = sf.TSNE(2, max_iter=100_000, random_state=0)
    with sf.limits(seconds=0.5):
        model.fit(rows[0])
    assert model.history_.status == "time_limit"
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (sf.TSNE(4, method="barnes_hut"), InvalidParameter, "'barnes_hut' is for at most 3 coordinates"),
        (sf.TSNE(3, method="interpolation"), InvalidParameter, "'interpolation' is for at most 2 coordinates"),
        (sf.TSNE(init=np.ones((3, 2))), InvalidParameter, r"init must have one row an object.* shape \(400, 2\)"),
        (sf.TSNE(perplexity=0), InvalidParameter, "perplexity must be a number, above 0"),
        (sf.TSNE(learning_rate="fast"), InvalidParameter, "learning_rate must be"),
        (sf.TSNE(memory=100_000), MemoryNeeded, "90 neighbours of each of 400 different rows take 3,600,000 bytes"),
    ],
)
def test_what_is_refused(rows, model, error, message):
    with pytest.raises(error, match=message):
        model.fit(rows[0])
