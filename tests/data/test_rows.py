"""Arrays from outside as the kernels read them."""

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from suffice.data.rows import as_csr
from suffice.errors import InvalidData
from suffice.statistics import Moments

RNG = np.random.default_rng(0)


def test_weights_of_many_rows_are_read_and_not_what_is_left_of_a_copy():
    X = RNG.normal(size=(500_000, 2))
    weight = RNG.integers(0, 3, len(X))
    expected = Moments.of(X, weight.astype(float))
    for other in (weight, weight.astype(np.float32), np.repeat(weight, 2)[::2], weight.tolist()):
        assert np.array_equal(Moments.of(X, other).mean, expected.mean)


def test_masked_cells_are_missing():
    X = RNG.normal(size=(40, 3))
    mask = RNG.random(X.shape) < 0.2
    filled = np.where(mask, np.nan, X)
    masked = np.ma.masked_array(X, mask)
    y = np.arange(40) % 2
    assert np.array_equal(sf.GaussianNB().fit(masked, y).theta_, sf.GaussianNB().fit(filled, y).theta_)
    with pytest.raises(InvalidData, match="NaN"):
        sf.PCA().fit(masked)
    whole = np.ma.masked_array((X * 10).astype(int), mask)
    assert np.array_equal(
        sf.GaussianNB().fit(whole, y).theta_, sf.GaussianNB().fit(np.where(mask, np.nan, whole.data), y).theta_
    )


def test_a_matrix_is_an_array():
    X = RNG.normal(size=(30, 3))
    assert np.array_equal(sf.PCA(2).fit(X.view(np.matrix)).components_, sf.PCA(2).fit(X).components_)


def _repeated_cells():
    """A matrix whose cells stand twice, and the same with each once."""
    dense = RNG.integers(0, 4, size=(30, 6)).astype(float)
    half = sparse.coo_array(dense / 2)
    places = (np.concatenate([half.row, half.row]), np.concatenate([half.col, half.col]))
    order = np.argsort(places[0], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(places[0], minlength=30))])
    cells = np.concatenate([half.data, half.data])[order]
    return sparse.csr_matrix((cells, places[1][order], starts), shape=(30, 6)), dense


@pytest.mark.parametrize("model", [sf.MultinomialNB(), sf.BernoulliNB(), sf.PoissonNB()], ids=repr)
def test_repeated_cells_of_a_sparse_matrix_add_up(model):
    repeated, dense = _repeated_cells()
    before = repeated.data.copy()
    y = np.arange(30) % 3
    found = model.fit(repeated, y).predict_proba(repeated)
    np.testing.assert_allclose(found, model.fit(dense, y).predict_proba(dense), rtol=1e-12)
    assert np.array_equal(repeated.data, before)


def test_repeated_cells_in_neighbours():
    repeated, dense = _repeated_cells()
    found = sf.NearestNeighbors(n_neighbors=3).fit(repeated).kneighbors(repeated)[0]
    np.testing.assert_allclose(found, sf.NearestNeighbors(n_neighbors=3).fit(dense).kneighbors(dense)[0], atol=1e-9)


@pytest.mark.parametrize("damage", ["column", "negative", "starts", "end"])
def test_places_outside_a_sparse_matrix_are_refused(damage):
    X = sparse.csr_matrix(RNG.integers(0, 3, size=(20, 5)).astype(float))
    if damage == "column":
        X.indices[3] = 10**6
    elif damage == "negative":
        X.indices[3] = -1
    elif damage == "starts":
        X.indptr[3] = X.indptr[4] + 1
    else:
        X.indptr[-1] += 10**6
    for model in (sf.MultinomialNB(), sf.NearestNeighbors()):
        with pytest.raises(InvalidData, match="build it anew"):
            model.fit(X, np.arange(20) % 2)


def test_parameters_of_the_wrong_shape_are_refused():
    with pytest.raises(sf.distributions.base.InvalidParameter, match=r"covariance must have the shape \(3, 3\)"):
        sf.distributions.Gaussian(np.zeros(3), np.eye(2))
    with pytest.raises(sf.distributions.base.InvalidParameter, match="must hold numbers"):
        sf.distributions.Poisson("red")


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil"])
@pytest.mark.parametrize("place", [-1, 10**6])
def test_places_outside_a_sparse_matrix_are_refused_before_they_are_followed(form, place):
    matrix = sparse.csr_array(RNG.integers(0, 3, (40, 5)).astype(float)).asformat(form)
    if form == "coo":
        matrix.col[0] = place
    elif form == "lil":
        matrix.rows[0] = [place]
        matrix.data[0] = [1.0]
    else:
        matrix.indices[0] = place
    with pytest.raises(InvalidData, match="said to be in"):
        sf.BernoulliNB().fit(matrix, np.arange(40) % 2)
    with pytest.raises(InvalidData, match="said to be in"):
        sf.NearestNeighbors().fit(matrix)


@pytest.mark.parametrize("place", [-1, -(2**31)])
def test_a_negative_place_is_refused_in_a_matrix_wider_than_its_places_can_say(place):
    X = sparse.csr_array(([1.0], np.array([0]), np.array([0, 1])), shape=(1, 2**40))
    X.indices = np.array([place], dtype=np.int32)
    with pytest.raises(InvalidData, match=f"said to be in column {place}"):
        as_csr(X, "Test")
