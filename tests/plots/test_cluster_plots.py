"""Pictures of clusters and of fits: cells, silhouettes and histories."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import silhouette_samples, silhouette_score
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.neural_network import MLPClassifier

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.plots import ClusterDisplay, ConvergenceDisplay, SilhouetteDisplay, style
from suffice.report.pictures import picture

FAITHFUL = sf.datasets.load("faithful").matrix()
IRIS = sf.datasets.load("iris").matrix()


def test_cells_hold_the_points_nearest_to_their_centre(rng):
    from matplotlib.path import Path

    model = sf.KMeans(7, random_state=0).fit(FAITHFUL)
    shown = ClusterDisplay.from_estimator(model, FAITHFUL)
    points = rng.uniform(FAITHFUL.min(axis=0), FAITHFUL.max(axis=0), (500, 2))
    inside = np.array([Path(corners).contains_points(points) for corners in shown.cells()])
    nearest = ((points[:, None] - model.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(inside.argmax(axis=0), nearest)
    assert len(shown.ax_.patches) == 7
    assert_array_equal(shown.table()["rows"], np.bincount(model.labels_))


@pytest.mark.parametrize("centers", [[[3.0, 70.0]], [[3.0, 70.0]] * 2, [[1.0, 50.0], [4.0, 80.0]]])
def test_cells_of_few_centres(centers):
    shown = ClusterDisplay.from_predictions(FAITHFUL, np.zeros(272, int), centers)
    assert len(shown.cells()) == len(centers)


def test_more_columns_are_seen_along_principal_axes():
    model = sf.KMeans(3, random_state=0).fit(IRIS)
    shown = ClusterDisplay.from_estimator(model, IRIS)
    assert_allclose(np.abs(shown.points), np.abs(sf.PCA(2).fit_transform(IRIS)), atol=1e-9)
    assert shown.names[0] == "principal axis 1 (92.5%)"
    assert not shown.ax_.patches
    assert len(shown.ax_.texts) == 3


def test_noise_and_gaps():
    X = FAITHFUL.copy()
    X[0, 0] = np.nan
    shown = ClusterDisplay.from_predictions(X, np.where(np.arange(272) < 10, -1, 0))
    assert shown.ax_.get_title("right") == "271 of 272 rows"
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == ["noise", "0"]
    assert_array_equal(shown.table()["cluster"], [0])


@pytest.mark.parametrize("model", [sf.SoftKMeans(3, beta=50.0, random_state=0), sf.GaussianMixture(3, random_state=0)])
def test_soft_clusters_have_mixed_colours(model):
    from matplotlib.colors import to_rgb

    shares = model.fit(FAITHFUL).predict_proba(FAITHFUL)
    shown = ClusterDisplay.from_estimator(model, FAITHFUL)
    mixed = shares @ [to_rgb(colour) for colour in style.COLOURS[:3]]
    for k, dots in enumerate(shown.ax_.collections[:3]):
        own = model.predict(FAITHFUL) == k
        assert_allclose(dots.get_offsets(), FAITHFUL[own])
        assert_allclose(dots.get_facecolors()[:, :3], mixed[own], atol=1e-9)
    assert not shown.ax_.patches  # a row is of all clusters, so that there are no cells
    hard = ClusterDisplay.from_estimator(model, FAITHFUL, soft=False)
    assert hard.responsibilities is None
    assert len(hard.ax_.patches) == (3 if hasattr(model, "cluster_centers_") else 0)  # the nearest mean decides nothing


def test_svg_lays_the_second_colour_over_the_first():
    points, shares = np.arange(8.0).reshape(4, 2), np.array([[1.0, 0.0], [0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    made = picture(ClusterDisplay(points, shares.argmax(axis=1), responsibilities=shares))
    dots = [part for part in made.parts if "dots" in part]
    assert [part.split('"')[1] for part in dots] == ["dots c0", "dots c1", "dots c0", "dots c1", "dots c1"]
    assert [part.partition('opacity="')[2].partition('"')[0] for part in dots] == ["", "", "0.25", "0.25", "0.50"]


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        (np.ones((3, 2)), r"responsibilities have the shape \(3, 2\); 272 rows and a column for each cluster"),
        (np.ones((272, 1)), "at least 2, are needed"),
        (np.full((272, 2), np.nan), "must be from 0 to 1"),
    ],
)
def test_responsibilities_must_fit(shares, words):
    with pytest.raises(InvalidData, match=words):
        ClusterDisplay.from_predictions(FAITHFUL, np.arange(272) % 2, responsibilities=shares)
    with pytest.raises(InvalidParameter, match="KMeans has no predict_proba"):
        ClusterDisplay.from_estimator(sf.KMeans(2).fit(FAITHFUL), FAITHFUL, soft=True)


@pytest.mark.parametrize(
    ("labels", "centers", "words"),
    [
        (np.zeros(3, int), None, r"272 rows but labels of shape \(3,\)"),
        (np.zeros(272), None, "whole numbers"),
        (np.zeros(272, int), [[1.0]], r"centers have the shape \(1, 1\)"),
    ],
)
def test_labels_and_centres_must_fit(labels, centers, words):
    with pytest.raises(InvalidData, match=words):
        ClusterDisplay.from_predictions(FAITHFUL, labels, centers)
    with pytest.raises(InvalidData, match="every row has a missing value"):
        ClusterDisplay.from_predictions(np.full((2, 2), np.nan), [0, 1])


def test_silhouettes():
    model = sf.KMeans(3, random_state=0).fit(IRIS)
    shown = SilhouetteDisplay.from_estimator(model, IRIS)
    expected = silhouette_samples(IRIS, model.labels_)
    assert_allclose(shown.values, expected)
    assert_allclose(shown.table()["mean"], [expected[model.labels_ == k].mean() for k in range(3)])
    assert shown.ax_.get_title("left") == f"mean {silhouette_score(IRIS, model.labels_):.2f}"
    assert SilhouetteDisplay.from_predictions(IRIS, model.labels_, most_rows=50).note == "50 of 150 rows"
    for labels in (np.zeros(150, int), np.arange(150)):
        with pytest.raises(InvalidData, match="at least 2 clusters and more rows than clusters"):
            SilhouetteDisplay.from_predictions(IRIS, labels)


def test_convergence_of_a_history():
    model = sf.KMeans(4, random_state=0).fit(FAITHFUL)
    shown = ConvergenceDisplay.from_estimator(model)
    assert_allclose(shown.ax_.lines[0].get_ydata(), model.history_.objective)
    assert shown.ax_.get_title("left").endswith(f"iterations, {model.history_.status}")
    over = ConvergenceDisplay.from_estimator({"a": model, "b": model.history_}, over="seconds", gap=True)
    assert_allclose(over.ax_.lines[1].get_xdata(), model.history_.seconds)
    assert over.ax_.get_yscale() == "log"
    assert over.table()["gap"].min() == 0


def test_convergence_by_half_steps():
    model = sf.KMeans(3, n_init=1, init="random", random_state=1).fit(IRIS)
    shown = ConvergenceDisplay.from_estimator(model, halves=True)
    assert_allclose(shown.table()["objective"], model.history_.half_steps.ravel())
    assert shown.table()["iteration"].tolist()[:4] == [1, 1, 2, 2]
    assert_allclose(shown.lines()[0][0][:3], [0.5, 1.0, 1.5])
    with pytest.raises(InvalidData, match="finite objective after both halves"):
        ConvergenceDisplay.from_estimator(sf.PCA().fit(IRIS), halves=True)


def test_convergence_of_others_and_of_numbers():
    theirs = TheirMixture(2, random_state=0).fit(FAITHFUL)
    assert_allclose(ConvergenceDisplay.from_estimator(theirs).table()["objective"], theirs.lower_bounds_)
    net = MLPClassifier((2,), max_iter=500, tol=0.1, random_state=0).fit(FAITHFUL, FAITHFUL[:, 0] > 3)
    assert_allclose(ConvergenceDisplay.from_estimator(net).table()["objective"], net.loss_curve_)
    rising = ConvergenceDisplay.from_estimator({"a": [1.0, 2.0, 4.0]}, gap=True)
    assert_allclose(rising.table()["gap"], [3, 2, 0])
    assert len(ConvergenceDisplay.from_estimator(sf.PCA().fit(IRIS)).table()["iteration"]) == 1


def test_convergence_needs_rounds():
    with pytest.raises(InvalidData, match="KMeans has no iterations; fit it first"):
        ConvergenceDisplay.from_estimator(sf.KMeans(2))
    with pytest.raises(InvalidData, match="no iterations"):
        ConvergenceDisplay.from_estimator([])
    with pytest.raises(InvalidParameter, match="over='hours' must be"):
        ConvergenceDisplay.from_estimator([1.0], over="hours")
    with pytest.raises(InvalidData, match="no seconds"):
        ConvergenceDisplay.from_estimator([1.0], over="seconds")


@pytest.mark.parametrize(
    ("model", "cells"),
    [
        (sf.KMeans(2, random_state=0), True),
        (sf.KMedoids(2), True),
        (sf.KMeans(2, metric="mahalanobis", random_state=0), False),
        (sf.KMeans(2, metric=sf.distances.Mahalanobis([[1.0, 0.9], [0.9, 1.0]]), random_state=0), False),
        (sf.KMeans(2, metric="seuclidean", random_state=0), False),
        (sf.KMedoids(2, metric="manhattan"), False),
    ],
    ids=repr,
)
def test_cells_are_drawn_where_rows_belong_to_the_nearest_centre(model, cells):
    X = sf.datasets.load("faithful").matrix()
    assert ClusterDisplay.from_estimator(model.fit(X), X, ax=False).voronoi == cells


def test_no_cells_that_rows_contradict():
    X = np.random.default_rng(0).normal(size=(300, 2)) * [1.0, 3.0]
    for model in (sf.BisectingKMeans(6, random_state=0), sf.KMedians(5, random_state=0)):
        shown = ClusterDisplay.from_estimator(model.fit(X), X, ax=False)
        far = np.linalg.norm(X[:, None] - shown.centers, axis=2)
        assert shown.voronoi == bool((far.argmin(axis=1) == shown.labels).all())
