"""Clusterings fitted to parts of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.evaluation import stability
from suffice.evaluation.stability import _jaccard

XCLARA = sf.datasets.load("xclara").matrix()[::10]


def test_clear_clusters_come_out_again():
    found = stability(sf.KMeans(3), XCLARA)
    assert found.value > 0.95
    assert found.jaccard.min() > 0.95
    assert found.sizes.sum() == len(XCLARA)
    assert found.table()[0]["cluster"] == 0
    assert "found again" in str(found)


def test_too_many_clusters_do_not():
    assert stability(sf.KMeans(8, n_init=1), XCLARA).value < 0.9 < stability(sf.KMeans(3), XCLARA).value


def test_clusterings_without_predict(rng):
    found = stability(AgglomerativeClustering(2), XCLARA, resamples=3)
    rows = np.sort(np.random.default_rng([int(np.random.default_rng(0).integers(2**31)), 0]).choice(300, 240, False))
    again = AgglomerativeClustering(2).fit_predict(XCLARA[rows])
    assert found.scores[0] == pytest.approx(adjusted_rand_score(found.labels[rows], again))


def test_noise_is_no_cluster():
    found = stability(DBSCAN(eps=8), XCLARA, resamples=3)
    assert -1 not in found.clusters


def test_weights():
    weight = np.where(np.arange(len(XCLARA)) % 2, 2.0, 1.0)
    assert stability(sf.KMeans(3), XCLARA, sample_weight=weight, resamples=3).value > 0.9


def test_jaccard_by_hand():
    """{0,1,2} against {0,1} and {2,3,4}: 2/3; {3,4} against the latter: 2/3; {5} was not drawn."""
    before, after = np.array([7, 7, 7, 8, 8]), np.array([1, 1, 0, 0, 0])
    assert_allclose(_jaccard(before, after, np.array([7, 8, 9])), [2 / 3, 2 / 3, np.nan])


def test_the_same_seed_gives_the_same_bits():
    first, second, other = (stability(sf.KMeans(6, n_init=1), XCLARA, resamples=4, random_state=s) for s in (1, 1, 2))
    assert_array_equal(first.scores, second.scores)
    assert not np.array_equal(first.scores, other.scores)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: stability(sf.KMeans(2), XCLARA, resamples=0), "resamples must be an integer, at least 1"),
        (lambda: stability(sf.KMeans(2), XCLARA, share=1), "share must be a number between 0 and 1"),
        (lambda: stability(sf.PPCA(), XCLARA), "PPCA gives no clusters"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()
