"""Dissimilarities from tables of pairs and from similarities."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import suffice as sf
from suffice.distances import from_pairs, from_similarities
from suffice.errors import InvalidData, InvalidParameter

CITIES = sf.datasets.load("us_city_distances")


def test_a_table_of_pairs_becomes_the_matrix_again():
    D, names = CITIES.matrix(), CITIES["city"]
    i, j = np.triu_indices(10, 1)
    order = np.random.default_rng(0).permutation(45)
    frame = pd.DataFrame({"from": names[i], "to": names[j], "miles": D[i, j]}).iloc[order]
    for pairs in (frame, list(frame.itertuples(index=False)), {(a, b): d for a, b, d in frame.to_numpy()}):
        found = from_pairs(pairs)
        assert found.names.tolist() == sorted(names.tolist())
        assert_array_equal(found.matrix, D)  # whose names are sorted


def test_pairs_that_are_missing_or_there_twice():
    found = from_pairs([(1, 2, 3.0), (2, 1, 3.0), (3, 2, 1.0), (1, 1, 0.0)])
    assert_array_equal(found.matrix, [[0, 3, np.nan], [3, 0, 1], [np.nan, 1, 0]])
    model = sf.MDS(1, metric="precomputed").fit(found.matrix)
    assert_allclose(abs(model.embedding_[0] - model.embedding_[1]), 3, rtol=1e-3)
    with pytest.raises(InvalidData, match="row 1: 'b' and 'a' have 3 elsewhere and 4; give one number a pair"):
        from_pairs([("a", "b", 3), ("b", "a", 4)])
    with pytest.raises(InvalidData, match="row 0: 'a' differs from itself by 2"):
        from_pairs([("a", "a", 2)])
    for wrong in ([("a", "b")], [], 3, pd.DataFrame({"a": [1], "b": [2]})):
        with pytest.raises(InvalidData, match="two names and a number"):
            from_pairs(wrong)
    with pytest.raises(InvalidData, match="from_pairs"):
        from_pairs([("a", "b", "far")])


def test_inner_products_are_distances():
    rng = np.random.default_rng(1)
    X, new = rng.normal(size=(20, 4)), rng.normal(size=(5, 4))
    assert_allclose(from_similarities(X @ X.T), cdist(X, X), atol=1e-6)
    found = from_similarities(new @ X.T, own=np.sum(new**2, axis=1), others=np.sum(X**2, axis=1))
    assert_allclose(found, cdist(new, X))
    r = np.corrcoef(X)
    assert_allclose(from_similarities(r), np.sqrt(np.maximum(2 - 2 * r, 0)), atol=1e-7)


def test_differences_of_similarities():
    S = np.array([[5.0, 2.0, 4.0], [2.0, 5.0, 0.0], [4.0, 0.0, 5.0]])
    assert_array_equal(from_similarities(S, form="difference"), 5 - S)
    assert_array_equal(from_similarities(S[:1], form="difference", others=np.diagonal(S)), (5 - S)[:1])


def test_what_are_no_similarities():
    with pytest.raises(InvalidData, match="rows 0 and 1 are more alike, 3, than they are to themselves"):
        from_similarities(np.array([[1.0, 3.0], [3.0, 1.0]]))
    with pytest.raises(InvalidData, match="square matrix"):
        from_similarities(np.ones((2, 3)))
    with pytest.raises(InvalidData, match="own and others need one number"):
        from_similarities(np.ones((2, 3)), own=np.ones(3), others=np.ones(2))
    with pytest.raises(InvalidParameter, match="form must be 'inner' or 'difference'"):
        from_similarities(np.eye(2), form="log")
