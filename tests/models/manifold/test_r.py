"""Figures of R: isomap and monoMDS of vegan, and cmdscale (`tests/reference/make_manifold_values.R`)."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

import suffice as sf

REFERENCE = Path(__file__).parents[2] / "reference"


@pytest.fixture(scope="module")
def values():
    found = json.loads((REFERENCE / "manifold_values.json").read_text())
    return {name: np.array(cells) for name, cells in found.items()}


@pytest.fixture(scope="module")
def swiss():
    with (REFERENCE / "swiss.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    return squareform(pdist(np.array([row[-5:] for row in rows], dtype=float)))


def same_up_to_sign(mine, other):
    sign = np.sign(np.sum(mine * other, axis=0))
    assert_allclose(mine, other * sign, atol=1e-6 * np.abs(other).max())


def test_isomap_of_vegan(values, swiss):
    model = sf.Isomap(2, n_neighbors=5, metric="precomputed").fit(swiss)
    same_up_to_sign(model.embedding_, values["isomap_points"].reshape(47, 2))
    assert_allclose(model.eigenvalues_, values["isomap_eigenvalues"], rtol=1e-6)
    at, ways = model._map.near.compared.at, np.empty((47, 47))
    ways[np.ix_(at, at)] = model._map.ways
    assert_allclose(ways[:5], values["isomap_ways"].reshape(5, 47))


def test_cmdscale(values, swiss):
    model = sf.ClassicalMDS(2, metric="precomputed").fit(swiss)
    same_up_to_sign(model.embedding_, values["cmdscale_points"].reshape(47, 2))
    assert_allclose(model.goodness_of_fit_, values["cmdscale_gof"], rtol=1e-9)


def test_nonmetric_stress_of_vegan(values):
    """Irises have many equal distances, which rounding alone tells apart: they are ties."""
    flowers = np.unique(sf.datasets.load("iris").matrix(), axis=0)
    for k, stress in zip((2, 3), values["monomds_iris"], strict=True):
        assert_allclose(sf.MDS(k, kind="nonmetric", eps=1e-9).fit(flowers).stress_, stress, rtol=1e-3)
