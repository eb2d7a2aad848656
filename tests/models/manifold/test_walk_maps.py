"""Laplacian eigenmaps and diffusion maps: scikit-learn's answers, formulas, pieces, weights, new rows, bad input."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn import manifold as theirs
from sklearn.datasets import make_swiss_roll

import suffice as sf
from suffice.errors import Disconnected, InvalidData, MemoryNeeded
from suffice.models.manifold.walk import walked

ROLL, _ = make_swiss_roll(300, random_state=0)
RNG = np.random.default_rng(0)
PIECES = np.vstack([ROLL[:100], ROLL[100:140] + 500, ROLL[140:150] - 700])


def same_up_to_sign(mine, other, rtol=1e-6):
    sign = np.sign(np.sum(mine * other, axis=0))
    assert_allclose(mine, other * sign, atol=rtol * np.abs(other).max())


@pytest.mark.parametrize(
    "options",
    [{}, {"n_neighbors": 10}, {"affinity": "rbf"}, {"affinity": "rbf", "gamma": 0.01}, {"affinity": "precomputed"}],
)
def test_as_scikit_learn(options):
    X = np.exp(-0.02 * cdist(ROLL, ROLL, "sqeuclidean")) if options.get("affinity") == "precomputed" else ROLL
    mine, other = (
        sf.SpectralEmbedding(3, **options).fit(X),
        theirs.SpectralEmbedding(3, **options, random_state=0).fit(X),
    )
    same_up_to_sign(mine.embedding_, other.embedding_)
    assert_array_equal(mine.transform(X), mine.embedding_)
    assert np.all(np.diff(mine.eigenvalues_) >= 0)
    assert_allclose(mine.history_.objective[-1], mine.eigenvalues_.sum())


def test_the_ways_to_the_vectors_agree():
    """By a band, by Lanczos, and as a whole, of sparse and dense similarities."""
    W = np.exp(-0.05 * cdist(ROLL, ROLL, "sqeuclidean"))
    np.fill_diagonal(W, 0)
    W[W < 1e-3] = 0
    from scipy import sparse

    from suffice.models.manifold import walk

    known = walk._known(walk.scaled(W, 1 / np.sqrt(W.sum(axis=1))), np.sqrt(W.sum(axis=1)))[0]
    S = walk.scaled(W, 1 / np.sqrt(W.sum(axis=1)))
    whole = walk._of_whole(S, known, 3)
    for values, vectors in (walk._by_lanczos(S, known, 3), walk._others(sparse.csr_array(S), known, 3, rough=False)):
        assert_allclose(values, whole[0], rtol=1e-9)
        same_up_to_sign(vectors, whole[1], 1e-6)


def test_pieces_get_vectors_of_their_own():
    with pytest.warns(Disconnected, match=r"falls into 3 pieces.*They are kept apart"):
        mine = sf.SpectralEmbedding(3, n_neighbors=5).fit(PIECES)
    assert_allclose(mine.eigenvalues_[:2], 0, atol=1e-12)
    assert mine.eigenvalues_[2] > 1e-6
    for piece in (slice(0, 100), slice(100, 140), slice(140, 150)):
        assert_allclose(np.ptp(mine.embedding_[piece, :2], axis=0), 0, atol=1e-12)
    assert len(np.unique(mine.embedding_[:, :2].round(8), axis=0)) == 3
    with pytest.warns(Disconnected, match="The largest is mapped"):
        largest = sf.SpectralEmbedding(2, n_neighbors=5, pieces="largest").fit(PIECES)
    same_up_to_sign(largest.embedding_[:100], sf.SpectralEmbedding(2, n_neighbors=5).fit(PIECES[:100]).embedding_)
    with pytest.warns(Disconnected, match="They were joined"):
        assert sf.SpectralEmbedding(2, n_neighbors=5, pieces="join").fit(PIECES).eigenvalues_[0] > 0


def test_a_row_like_no_other():
    W = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    found = walked(W, np.ones(3), 3)
    assert_allclose(found.values, [1, 1, -1])
    assert_allclose(found.degree, 1)
    assert np.isfinite(sf.SpectralEmbedding(2, affinity="precomputed").fit_transform(W)).all()


def test_diffusion_distances():
    """Distances on the whole map are those of the walks after t steps, weighed by the stationary distribution."""
    X = RNG.normal(size=(25, 2))
    model = sf.DiffusionMap(24, gamma=0.5, alpha=0.5, t=2).fit(X)
    K = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    K /= np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1)))
    d = K.sum(axis=1)
    two = np.linalg.matrix_power(K / d[:, None], 2)
    assert_allclose(pdist(model.embedding_), pdist(two / np.sqrt(d / d.sum())), rtol=1e-5, atol=1e-8)
    assert_allclose(model.transform(X + 1e-9), model.embedding_, atol=1e-4 * np.abs(model.embedding_).max())


def test_crowds_are_taken_out():
    """With α = 1 points on a circle, crowded on one side, come out on a circle; with α = 0 they do not."""
    t = 2 * np.pi * np.linspace(0, 1, 400, endpoint=False) ** 1.5
    X = np.column_stack([np.cos(t), np.sin(t)])
    spread = {}
    for alpha in (0.0, 1.0):
        Z = sf.DiffusionMap(2, gamma=100.0, alpha=alpha).fit_transform(X)
        radius = np.hypot(*Z.T)
        spread[alpha] = radius.std() / radius.mean()
    assert spread[1.0] < 0.1 < spread[0.0]


@pytest.mark.parametrize(
    "model", [sf.SpectralEmbedding(2, n_neighbors=8), sf.DiffusionMap(2), sf.DiffusionMap(2, n_neighbors=9)]
)
def test_new_rows_and_weights(model):
    X = np.vstack([ROLL[:150], ROLL[:30]])
    weight = np.r_[np.full(30, 2.0), np.ones(120)]
    weighted = model.fit(ROLL[:150], sample_weight=weight).embedding_
    repeated = model.fit(X)
    same_up_to_sign(repeated.embedding_[:150], weighted)
    assert_array_equal(model.transform(X), repeated.embedding_)
    near = model.transform(ROLL[:150] + 1e-3)
    assert np.median(np.linalg.norm(near - repeated.embedding_[:150], axis=1)) < 0.1 * np.ptp(repeated.embedding_)
    assert_array_equal(model.transform([[1e4, 1e4, 1e4]]).shape, (1, 2))  # far from all: where the nearest row is


@pytest.mark.parametrize("model", [sf.SpectralEmbedding, sf.DiffusionMap])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows_and_equal_rows(model, n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)  # a tenth of three rows
        assert np.isfinite(model(3).fit_transform(np.random.default_rng(n).normal(size=(n, 4)))).all()
        assert np.isfinite(model(2).fit_transform(np.ones((6, 2)))).all()


def test_what_are_no_similarities():
    given = sf.SpectralEmbedding(affinity="precomputed")
    with pytest.raises(InvalidData, match=r"X\[0, 1\] is -1.0; similarities must not be negative"):
        given.fit(-np.ones((3, 3)) + 2 * np.eye(3))
    with pytest.raises(InvalidData, match=r"needs a square matrix.*\(3, 2\)"):
        given.fit(np.ones((3, 2)))
    with pytest.raises(InvalidData, match="similarities must be symmetric"):
        given.fit(np.triu(np.ones((3, 3))))
    with pytest.raises(InvalidData, match="is below 0 for some rows"):
        sf.SpectralEmbedding(affinity="linear").fit(RNG.normal(size=(5, 2)))
    for model in (sf.SpectralEmbedding(affinity="rbf", memory=10_000), sf.DiffusionMap(memory=10_000)):
        with pytest.raises(MemoryNeeded, match="300 × 300 rows"):
            model.fit(ROLL)
