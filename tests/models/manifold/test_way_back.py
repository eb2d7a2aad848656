"""The way back: held-out rows of a rolled sheet far better than by a plane, categories and few rows answered."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidData, NotEstimated

RNG = np.random.default_rng(0)
ALONG = 1.5 * np.pi * (1 + 2 * RNG.random(800))
ROLL = np.column_stack([ALONG * np.cos(ALONG), 21 * RNG.random(800), ALONG * np.sin(ALONG)])
HELD, NEW = ROLL[:500], ROLL[500:]


@pytest.mark.parametrize(
    "model",
    [
        sf.Isomap(2, n_neighbors=8),
        sf.Isomap(2, n_neighbors=8, landmarks=60, random_state=0),
        sf.LocallyLinearEmbedding(2, n_neighbors=9, method="modified"),
    ],
)
def test_left_out_rows_of_a_roll(model):
    plane = sf.PCA(2).fit(HELD)
    by_plane = np.mean((plane.inverse_transform(plane.transform(NEW)) - NEW) ** 2)
    model.fit(HELD)
    found = model.inverse_transform(model.transform(NEW))
    assert np.mean((found - NEW) ** 2) < 0.05 * by_plane
    assert model.way_back_.n_planes >= 16
    assert model.way_back_.error < 0.02
    assert_allclose(model.inverse_transform(model.embedding_[:3].astype(np.float32)), HELD[:3], atol=2)


def test_other_maps_have_it_too():
    rng = np.random.default_rng(1)
    flat = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 5))
    for model in (sf.ClassicalMDS(2), sf.MDS(2)):
        found = model.fit(flat).inverse_transform(model.embedding_)
        assert np.mean((found - flat) ** 2) < 1e-6 * flat.var()
    others = sf.SpectralEmbedding(2, n_neighbors=9), sf.DiffusionMap(2, n_neighbors=8), sf.TSNE(max_iter=250)
    for model in others:
        found = model.fit(HELD).inverse_transform(model.embedding_)
        assert np.mean((found - HELD) ** 2) < 0.1 * HELD.var()


def test_where_there_is_none():
    import pandas as pd

    D = sf.datasets.load("us_city_distances").matrix()
    with pytest.raises(NotEstimated, match="ClassicalMDS: there is no way back, as dissimilarities were given"):
        sf.ClassicalMDS(metric="precomputed").fit(D).inverse_transform([[0.0, 1.0]])
    frame = pd.DataFrame({"size": [1.0, 2.0, 9.0, 8.5], "colour": ["red", "red", "blue", "green"]})
    with pytest.raises(NotEstimated, match="as some columns are categories"):
        sf.ClassicalMDS(metric="gower").fit(frame).inverse_transform([[0.0, 1.0]])
    few = sf.ClassicalMDS(2).fit(HELD[:5])
    assert_allclose(few.inverse_transform(few.embedding_), HELD[:5])
    with pytest.raises(InvalidData, match=r"X has 3 columns; inverse_transform needs 2"):
        few.inverse_transform(HELD)
    gaps = np.where((RNG.random(HELD.shape) < 0.1) & [True, False, False], np.nan, HELD)
    assert np.isfinite(sf.ClassicalMDS(2).fit(gaps).inverse_transform([[0.0, 1.0]])).all()
