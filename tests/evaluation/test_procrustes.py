"""Maps laid on each other: SciPy's disparity, rotations found again, weights, what cannot be compared."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial import procrustes as theirs
from scipy.stats import ortho_group

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter


def test_disparity_is_scipys():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    found = sf.procrustes(A, B)
    _, other, disparity = theirs(A, B)
    assert_allclose(found.disparity, disparity)
    own = found.aligned - A.mean(axis=0)
    assert_allclose(own / np.linalg.norm(A - A.mean(axis=0)), other)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_turned_map_is_found_again(k):
    rng = np.random.default_rng(k)
    A = rng.normal(size=(15, k))
    turned = 2.5 * A @ (ortho_group.rvs(k, random_state=1) if k > 1 else [[-1.0]]) + 7
    found = sf.procrustes(A, turned)
    assert_allclose(found.aligned, A, atol=1e-10)
    assert_allclose(found.scale, 0.4)
    assert_allclose(found.transform(turned[:3]), A[:3], atol=1e-10)
    assert not np.isclose(sf.procrustes(A, turned, scaling=False).disparity, 0)


def test_without_reflection():
    A = np.random.default_rng(3).normal(size=(15, 2))
    found = sf.procrustes(A, A * [1, -1], reflection=False)
    assert_allclose(np.linalg.det(found.rotation), 1)
    assert found.disparity > 0.05
    assert sf.procrustes(A, A * [1, -1]).disparity < 1e-12


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(4)
    A, B, weight = rng.normal(size=(20, 2)), rng.normal(size=(20, 2)), rng.integers(0, 3, 20)
    again = np.repeat(np.arange(20), weight)
    one, other = sf.procrustes(A, B, sample_weight=weight), sf.procrustes(A[again], B[again])
    assert_allclose(one.aligned[again], other.aligned)
    assert_allclose(one.disparity, other.disparity)


def test_maps_of_other_sizes():
    A = np.random.default_rng(5).normal(size=(10, 2))
    assert sf.procrustes(np.column_stack([A, np.zeros(10)]), A).disparity < 1e-12
    assert sf.procrustes(np.ones((4, 2)), np.ones((4, 2))).disparity == 0
    with pytest.raises(InvalidData, match="the maps have 10 and 9 rows"):
        sf.procrustes(A, A[:9])
    with pytest.raises(InvalidData, match="a place is missing"):
        sf.procrustes(A, np.full((10, 2), np.nan))
    with pytest.raises(InvalidParameter, match="scaling must be True or False; got 3"):
        sf.procrustes(A, A, scaling=3)


@pytest.mark.parametrize("unit", [2.0**-700, 2.0**1000])
def test_maps_in_any_unit(unit):
    A, B = np.random.default_rng(5).normal(size=(2, 20, 2))
    for scaling in (True, False):
        plain, found = sf.procrustes(A, B, scaling=scaling), sf.procrustes(A * unit, B * unit, scaling=scaling)
        assert_allclose(found.aligned / unit, plain.aligned, atol=1e-12)
        assert_allclose([found.scale, found.disparity], [plain.scale, plain.disparity])
    assert_allclose(sf.procrustes(A, B * unit).scale * unit, sf.procrustes(A, B).scale)
