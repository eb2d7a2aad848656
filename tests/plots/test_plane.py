"""The plane that rows are drawn in is one for pictures and films."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.plots import ClusterDisplay
from suffice.plots.plane import Plane
from suffice.report.scenes import View

IRIS = sf.datasets.load("iris").matrix()


@pytest.mark.parametrize("rows", [IRIS, IRIS[:3], IRIS[:1], np.random.default_rng(0).normal(size=(5, 40))])
def test_rows_are_seen_along_their_principal_axes(rows):
    plane, pca = Plane.of(rows), sf.PCA(min(2, len(rows))).fit(rows)
    places = np.zeros((len(rows), 2))
    places[:, : pca.n_components_] = pca.transform(rows)
    assert_allclose(np.abs(plane.places(rows)), np.abs(places), atol=1e-9)
    assert_allclose(plane.spread(np.eye(rows.shape[1]))[0, 0], 1.0 if len(rows) > 1 else plane.axes[:, 0].sum() ** 2)


def test_pictures_and_films_see_one_plane():
    shown, view = ClusterDisplay.from_predictions(IRIS, np.zeros(150, int)), View.of(IRIS)
    assert_allclose(view.places(view.rows), shown.points)
    assert view.names == shown.names


def test_missing_cells_lie_at_the_mean_of_their_column():
    rows = np.where(np.arange(600).reshape(150, 4) % 17 == 0, np.nan, IRIS)
    plane = Plane.of(rows)
    assert_allclose(plane.origin, np.nanmean(rows, axis=0))
    assert_allclose(plane.places(np.full((1, 4), np.nan)), np.zeros((1, 2)))


def test_few_columns_are_the_axes_themselves():
    one = Plane.of(IRIS[:, :1], ["a"])
    assert one.names == ("a", "")
    assert_allclose(one.places(IRIS[:, :1]), np.column_stack([IRIS[:, 0], np.zeros(150)]))
    assert Plane.of(IRIS[:, :2]).names == ("x0", "x1")
