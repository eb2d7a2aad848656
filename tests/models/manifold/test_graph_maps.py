"""Isomap and locally linear embedding: scikit-learn's answers, new rows, pieces, landmarks, bad input."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn import manifold as theirs
from sklearn.datasets import make_swiss_roll

import suffice as sf
from suffice.errors import Disconnected, InvalidData, InvalidParameter, MemoryNeeded

ROLL, ALONG = make_swiss_roll(300, random_state=0)
RNG = np.random.default_rng(0)
METHODS = ("standard", "modified", "hessian", "ltsa")
PIECES = np.vstack([ROLL[:100], ROLL[100:140] + 500, ROLL[140:150] - 700])


def same_up_to_sign(mine, other, rtol=1e-6):
    sign = np.sign(np.sum(mine * other, axis=0))
    assert_allclose(mine, other * sign, atol=rtol * np.abs(other).max())


@pytest.fixture(scope="module")
def isomap():
    return sf.Isomap(2, n_neighbors=8).fit(ROLL)


def test_isomap_as_scikit_learn(isomap):
    other = theirs.Isomap(n_components=2, n_neighbors=8).fit(ROLL)
    same_up_to_sign(isomap.embedding_, other.embedding_)
    assert_allclose(isomap.reconstruction_error(), other.reconstruction_error())
    new = ROLL[:20] + 0.3
    same_up_to_sign(isomap.transform(new), other.transform(new))
    radius = {"n_neighbors": None, "radius": 6.0}
    same_up_to_sign(
        sf.Isomap(2, **radius).fit(ROLL).embedding_, theirs.Isomap(n_components=2, **radius).fit(ROLL).embedding_
    )


def test_isomap_unrolls(isomap):
    along, height = 1.5 * np.pi * (1 + 2 * np.random.default_rng(0).random((2, 600))) * [[1], [2]]
    roll = np.column_stack([along * np.cos(along), height, along * np.sin(along)])
    unrolled = sf.Isomap(2, n_neighbors=8).fit(roll)
    assert abs(np.corrcoef(unrolled.embedding_[:, 0], along)[0, 1]) > 0.98
    assert unrolled.explained_share_ > 0.9
    shown = unrolled.shepard(1000)
    assert np.corrcoef(shown.dissimilarity, shown.distance)[0, 1] > 0.98
    assert_allclose(isomap.transform(ROLL), isomap.embedding_, atol=1e-8)


def test_with_all_neighbours_it_is_classical_scaling():
    X = RNG.normal(size=(40, 4))
    for metric in ("euclidean", "manhattan"):
        mine = sf.Isomap(3, n_neighbors=39, metric=metric).fit(X)
        classical = sf.ClassicalMDS(3, metric=metric).fit(X)
        assert_allclose(mine.embedding_, classical.embedding_, atol=1e-9)
        assert_allclose(mine.eigenvalues_, classical.eigenvalues_)


def test_given_dissimilarities_are_as_good_as_rows(isomap):
    given = sf.Isomap(2, n_neighbors=8, metric="precomputed").fit(cdist(ROLL, ROLL))
    same_up_to_sign(given.embedding_, isomap.embedding_)
    new = ROLL[:5] + 0.3
    same_up_to_sign(given.transform(cdist(new, ROLL)), isomap.transform(new))


def test_landmarks(isomap):
    some = sf.Isomap(2, n_neighbors=8, landmarks=60, random_state=0).fit(ROLL)
    assert sf.procrustes(isomap.embedding_, some.embedding_).disparity < 0.05
    assert_allclose(some.transform(ROLL), some.embedding_, atol=1e-8)
    again = sf.Isomap(2, n_neighbors=8, landmarks=60, random_state=0).fit(ROLL)
    assert again.embedding_.tobytes() == some.embedding_.tobytes()
    with pytest.raises(MemoryNeeded, match=r"300 to 300 different rows.*2,880,000 bytes.*landmarks=500"):
        sf.Isomap(memory=100_000).fit(ROLL)
    assert sf.Isomap(memory=200_000, landmarks=30).fit(ROLL).embedding_.shape == (300, 2)


@pytest.mark.parametrize("model", [sf.Isomap(2, n_neighbors=5), sf.LocallyLinearEmbedding(2, n_neighbors=5)])
def test_pieces_are_joined_or_the_largest_is_mapped(model):
    with pytest.warns(
        Disconnected, match="falls into 3 pieces, the largest of 100 of 150 different rows. They were joined"
    ):
        joined = model.fit(PIECES)
    assert joined.n_pieces_ == 3
    assert np.isfinite(joined.embedding_).all()
    if isinstance(model, sf.Isomap):
        with warnings.catch_warnings():  # of the pieces, and of SciPy's
            warnings.simplefilter("ignore")
            same_up_to_sign(joined.embedding_, theirs.Isomap(n_components=2, n_neighbors=5).fit(PIECES).embedding_)
    with pytest.warns(Disconnected, match="The largest is mapped, and the other 50 rows are placed as new ones"):
        largest = sf.Isomap(2, n_neighbors=5, pieces="largest").fit(PIECES)
    alone = sf.Isomap(2, n_neighbors=5).fit(PIECES[:100])
    assert_allclose(largest.embedding_[:100], alone.embedding_, atol=1e-8)
    assert_allclose(largest.embedding_[100:], alone.transform(PIECES[100:]), atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_locally_linear_as_scikit_learn(method):
    options = {"n_neighbors": 12, "method": method}
    mine = sf.LocallyLinearEmbedding(2, **options).fit(ROLL)
    if method != "hessian":  # theirs takes all directions but the tangents, as "ltsa" does; ours are the paper's
        other = theirs.LocallyLinearEmbedding(n_components=2, eigen_solver="dense", **options).fit(ROLL)
        same_up_to_sign(mine.embedding_, other.embedding_, 1e-5)
        assert_allclose(mine.reconstruction_error_, other.reconstruction_error_, rtol=1e-5)
        same_up_to_sign(mine.transform(ROLL[:20] + 0.3), other.transform(ROLL[:20] + 0.3), 1e-5)
    assert_array_equal(mine.transform(ROLL), mine.embedding_)
    assert_allclose(mine.embedding_.T @ mine.embedding_, np.eye(2), atol=1e-8)
    assert_allclose(mine.embedding_.sum(axis=0), 0, atol=1e-6)


def test_the_hessian_form_finds_a_flat_sheet():
    """Of a sheet with a hole the coordinates are found up to a linear map, which is what the form is for."""
    flat = RNG.uniform(size=(500, 2))
    flat = flat[np.abs(flat - 0.5).max(axis=1) > 0.2]
    rolled = np.column_stack([np.cos(4 * flat[:, 0]), np.sin(4 * flat[:, 0]), flat[:, 1]])
    mine = sf.LocallyLinearEmbedding(2, n_neighbors=12, method="hessian").fit_transform(rolled)
    design = np.column_stack([np.ones(len(flat)), mine])
    rest = flat - design @ np.linalg.lstsq(design, flat, rcond=None)[0]
    assert rest.var() < 0.01 * flat.var()


def test_a_band_and_the_whole_matrix_give_the_same():
    X = RNG.normal(size=(400, 6))  # no narrow band
    mine = sf.LocallyLinearEmbedding(2, n_neighbors=10).fit(X)
    other = theirs.LocallyLinearEmbedding(n_components=2, n_neighbors=10, eigen_solver="dense").fit(X)
    same_up_to_sign(mine.embedding_, other.embedding_, 1e-5)


@pytest.mark.parametrize("model", [sf.Isomap, sf.LocallyLinearEmbedding])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows_and_equal_rows(model, n):
    X = np.random.default_rng(n).normal(size=(n, 4))
    assert model(3).fit_transform(X).shape == (n, 3)
    assert_allclose(model(2).fit_transform(np.ones((6, 2))), 0, atol=1e-12)
    if model is sf.Isomap:
        assert_allclose(pdist(model(3).fit_transform(X)), pdist(X), rtol=1e-6)


def test_parameters_that_do_not_fit():
    with pytest.raises(InvalidParameter, match=r"n_neighbors=5 and radius=1.0 say both"):
        sf.Isomap(radius=1.0).fit(ROLL)
    with pytest.raises(InvalidParameter, match="are both None"):
        sf.Isomap(n_neighbors=None).fit(ROLL)
    with pytest.raises(InvalidData, match=r"method='hessian' needs at least 6 neighbours a row.*some row has 5"):
        sf.LocallyLinearEmbedding(method="hessian").fit(ROLL)
    with pytest.raises(InvalidData, match=r"method='ltsa' needs at least n_components=4 columns; X has 3"):
        sf.LocallyLinearEmbedding(4, method="ltsa").fit(ROLL)
    with pytest.raises(InvalidData, match="must be symmetric"):
        sf.Isomap(metric="precomputed").fit(RNG.random((4, 4)) * (1 - np.eye(4)))


@pytest.mark.parametrize("unit", [2.0**-450, 2.0**490])
def test_any_unit(unit):
    """Neither very small nor very large numbers over- or underflow on the way to a map that has a place for them."""
    X = np.random.default_rng(3).normal(size=(40, 3))
    for model in (sf.Isomap(2), sf.ClassicalMDS(2, metric="manhattan"), sf.MaximumVarianceUnfolding(2, landmarks=20)):
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        one, other = model.fit_transform(X), model.fit_transform(X * unit)
        assert_allclose(other / unit, one, atol=1e-6)
    for method in ("standard", "modified", "hessian", "ltsa"):
        local = sf.LocallyLinearEmbedding(2, n_neighbors=9, method=method)
        assert_allclose(local.fit_transform(X * unit), local.fit_transform(X), atol=1e-9)
    tiny = sf.LocallyLinearEmbedding(2, n_neighbors=9).fit(X * unit)
    assert_allclose(
        tiny.transform(X[:5] * unit + unit / 9),
        sf.LocallyLinearEmbedding(2, n_neighbors=9).fit(X).transform(X[:5] + 1 / 9),
    )


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-540, 2.0**500])
@pytest.mark.parametrize(
    "model",
    [
        sf.ClassicalMDS(2, metric="precomputed"),
        sf.ClassicalMDS(2, metric="precomputed", correction="additive"),
        sf.ClassicalMDS(2, metric="precomputed", landmarks=9, random_state=0),
        sf.Isomap(2, metric="precomputed"),
        sf.Isomap(2, metric="precomputed", landmarks=9, random_state=0),
    ],
)
def test_given_dissimilarities_in_any_unit(model, unit):
    """Squares of dissimilarities neither over- nor underflow, in a fit and where new rows are placed by them."""
    D = cdist(*[np.random.default_rng(3).normal(size=(20, 3))] * 2, "cityblock")
    one, other = model.fit(D).embedding_, model.fit(D * unit)
    assert_allclose(other.embedding_ / unit, one, atol=1e-9)
    assert_allclose(other.transform(D * unit) / unit, one, atol=1e-9)
