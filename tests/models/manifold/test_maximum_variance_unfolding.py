"""Maximum variance unfolding: rolled sheets, exact lengths, the dual bound, pieces, landmarks, new rows, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist, pdist
from threadpoolctl import threadpool_limits

import suffice as sf
from suffice.errors import Disconnected, InvalidParameter, MemoryNeeded, NotConverged
from suffice.indices import Brute, NeighborGraph
from suffice.models.manifold.unfolding import Unfolding


@pytest.fixture(scope="module")
def roll():
    rng = np.random.default_rng(0)
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(250)), 10 * rng.random(250)
    length = t * np.sqrt(1 + t**2) / 2 + np.arcsinh(t) / 2
    return np.column_stack([t * np.cos(t), height, t * np.sin(t)]), np.column_stack([length, height])


@pytest.fixture(scope="module")
def fitted(roll):
    return sf.MaximumVarianceUnfolding(2, n_neighbors=5, random_state=0).fit(roll[0])


def residual_variance(sheet, Z):
    """1 − the squared correlation of the distances along the sheet with those in the map."""
    return 1 - np.corrcoef(pdist(sheet), pdist(Z))[0, 1] ** 2


def test_a_rolled_sheet_is_found_again(roll, fitted):
    X, sheet = roll
    isomap = sf.Isomap(2, n_neighbors=5).fit_transform(X)
    assert residual_variance(sheet, fitted.embedding_) < 1e-3 < residual_variance(sheet, isomap)
    assert procrustes(sheet, fitted.embedding_)[2] < 3e-3
    assert fitted.explained_share_ > 0.99
    assert fitted.history_.status == "converged"


def test_lengths_are_kept_and_the_history_says_how_well(roll, fitted):
    X, _ = roll
    near = np.argsort(cdist(X, X), axis=1)[:, 1:6]
    given = np.linalg.norm(X[:, None] - X[near], axis=2)
    found = np.linalg.norm(fitted.embedding_[:, None] - fitted.embedding_[near], axis=2)
    assert np.linalg.norm(found - given) < 0.15 * np.linalg.norm(given)  # the coordinates beyond the map have the rest
    violation = [done.metrics["violation"] for done in fitted.history_.iterations]
    assert violation[-1] == fitted.constraint_violation_ <= 2e-3 < violation[0]


def test_all_distances_kept_are_principal_components():
    X = np.random.default_rng(1).normal(size=(30, 3)) * [4, 2, 1]
    model = sf.MaximumVarianceUnfolding(3, n_neighbors=29, tol=1e-8, random_state=0).fit(X)
    assert_allclose(pdist(model.embedding_), pdist(X), rtol=1e-5)
    assert_allclose(np.abs(model.embedding_), np.abs(sf.PCA(3).fit_transform(X)), atol=1e-4)
    assert_allclose(model.eigenvalues_[:3], np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1], rtol=1e-5)


def problem_of(m=25, at_most=True):
    rng = np.random.default_rng(2)
    X, mass = rng.normal(size=(m, 3)), rng.integers(1, 4, m).astype(float)
    graph = NeighborGraph.nearest(Brute().built(X), X, 5)
    return Unfolding(graph.edges, graph.lengths**2, mass / mass.mean(), None, at_most), X


def test_no_other_points_have_a_larger_variance():
    """The dual programme bounds the variance of all points, of any number of coordinates, from above."""
    problem, _ = problem_of()
    rng = np.random.default_rng(3)
    now = problem.start(rng.normal(size=(25, 9)), rng)
    with threadpool_limits(1, user_api="blas"):  # as in a fit
        for _ in range(40):
            done = problem.step(now, 1e-7)
            now = done.state
            if done.done:
                break
    assert now.violation < 1e-7
    bound = problem.bound(now.multiplier)
    assert now.variance <= bound * (1 + 1e-5)
    assert now.variance >= bound * (1 - 1e-3)


def test_the_slope_is_that_of_the_lagrangian():
    for at_most in (True, False):
        problem, X = problem_of(at_most=at_most)
        now = problem.start(X, np.random.default_rng(4))

        def value(z, problem=problem, now=now):
            return problem._lagrangian(z.reshape(-1, 3), now)[0]

        slope = problem._lagrangian(X, now)[1]
        assert_allclose(slope, approx_fprime(X.ravel(), value, 1e-7), atol=1e-5 * np.abs(slope).max())


def test_edges_at_most_as_long(roll):
    model = sf.MaximumVarianceUnfolding(2, n_neighbors=5, edges="at_most", random_state=0).fit(roll[0])
    assert residual_variance(roll[1], model.embedding_) < 0.02


def test_landmarks(roll):
    X, sheet = roll
    model = sf.MaximumVarianceUnfolding(2, n_neighbors=5, landmarks=60, random_state=0).fit(X)
    assert residual_variance(sheet, model.embedding_) < 0.01
    with pytest.raises(MemoryNeeded, match="250 rows made of 60 landmarks take 480,000 bytes"):
        sf.MaximumVarianceUnfolding(2, landmarks=60, memory=100_000).fit(X)
    with pytest.raises(InvalidParameter, match="landmarks must be None where rows are no complete dense numbers"):
        sf.MaximumVarianceUnfolding(2, landmarks=60, metric="precomputed").fit(cdist(X, X))


def test_given_distances_and_the_same_bits(roll, fitted):
    X = roll[0]
    given = sf.MaximumVarianceUnfolding(2, n_neighbors=5, metric="precomputed", random_state=0).fit(cdist(X, X))
    assert procrustes(fitted.embedding_, given.embedding_)[2] < 1e-3
    with sf.threads(1):
        again = sf.MaximumVarianceUnfolding(2, n_neighbors=5, random_state=0).fit(X)
    assert again.embedding_.tobytes() == fitted.embedding_.tobytes()


def test_new_rows_keep_their_distances(roll, fitted):
    X, _ = roll
    assert_allclose(fitted.transform(X), fitted.embedding_)
    new = X[:30] + 0.1 * np.random.default_rng(5).normal(size=(30, 3))
    assert np.median(np.linalg.norm(fitted.transform(new) - fitted.embedding_[:30], axis=1)) < 0.3


def test_a_graph_in_pieces(roll):
    X = np.vstack([roll[0][:80], roll[0][:40] + 500])
    with pytest.warns(Disconnected, match="falls into 2 pieces"):
        joined = sf.MaximumVarianceUnfolding(2, random_state=0).fit(X)
    assert joined.n_pieces_ == 2
    assert np.linalg.norm(joined.embedding_[:80].mean(axis=0) - joined.embedding_[80:].mean(axis=0)) > 300
    with pytest.warns(Disconnected, match="the other 40 rows are placed as new ones"):
        largest = sf.MaximumVarianceUnfolding(2, pieces="largest", random_state=0).fit(X)
    assert np.isfinite(largest.embedding_).all()


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("k", [1, 4])
def test_few_rows_and_more_coordinates_than_rows(n, k):
    X = np.random.default_rng(n).normal(size=(n, 2))
    model = sf.MaximumVarianceUnfolding(k, random_state=0).fit(X)
    assert model.embedding_.shape == (n, k)
    if n < 4 and k > 1:
        assert_allclose(pdist(model.embedding_), pdist(X), rtol=0.01)
    assert_allclose(sf.MaximumVarianceUnfolding(k).fit(np.ones((n, 2))).embedding_, 0)


def test_what_cannot_be_kept_is_said():
    X = np.random.default_rng(6).normal(size=(40, 4))
    with pytest.warns(NotConverged, match="squares of lengths are still wrong by"):
        sf.MaximumVarianceUnfolding(2, max_iter=1, random_state=0).fit(X)
    with pytest.raises(InvalidParameter, match="edges must be 'equal' or 'at_most'"):
        sf.MaximumVarianceUnfolding(edges="some").fit(X)
