"""The picture of a mixture: the numbers that it draws, not the pixels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.plots import MixtureDisplay, style

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    rows = table.to_frame()[list(table.features)]
    return rows, sf.GaussianMixture(3, random_state=0).fit(rows)


def test_rows_have_the_colours_of_their_components(iris):
    from matplotlib.colors import to_rgb

    rows, model = iris
    shown = MixtureDisplay.from_estimator(model, rows, columns=("petal_length", "petal_width"))
    (dots,) = (each for each in shown.ax_.collections if len(each.get_offsets()) == 150)
    assert_allclose(dots.get_offsets(), rows[["petal_length", "petal_width"]])
    mixed = model.predict_proba(rows) @ [to_rgb(colour) for colour in style.COLOURS[:3]]
    assert_allclose(dots.get_facecolors()[:, :3], mixed, atol=1e-9)
    assert shown.ax_.get_xlabel() == "petal_length"
    assert list(shown.table())[:3] == ["petal_length", "petal_width", "component 0"]


def test_ellipses_lie_on_standard_deviations(iris):
    rows, model = iris
    shown = MixtureDisplay.from_estimator(model, rows, columns=(2, 3))
    lines = [line.get_xydata() for line in shown.ax_.lines if len(line.get_xydata()) > 1]
    assert len(lines) == 6
    for i, line in enumerate(lines):
        apart = line - model.means_[i // 2][2:]
        distance = np.einsum("ni,ij,nj->n", apart, np.linalg.inv(model.covariances_[i // 2][2:, 2:]), apart)
        assert_allclose(np.sqrt(distance), i % 2 + 1.0)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_the_density_is_that_of_two_columns(kind):
    X = sf.datasets.load("faithful").matrix()
    model = sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    shown = MixtureDisplay.from_estimator(model, X)
    assert_allclose(np.log(shown.density(X)), model.score_samples(X), rtol=1e-8)


def test_contours_hold_shares_of_the_rows(iris):
    rows, model = iris
    shown = MixtureDisplay.from_estimator(model, rows, columns=(2, 3))
    (lines,) = (each for each in shown.ax_.collections if hasattr(each, "levels"))
    inside = [np.mean(shown.density(shown.points) >= level) for level in lines.levels]
    assert_allclose(inside, [0.98, 0.9, 0.7, 0.4], atol=0.02)
    plain = MixtureDisplay.from_estimator(model, rows, contours=False)
    assert not any(hasattr(each, "levels") for each in plain.ax_.collections)


def test_rows_with_missing_values_and_empty_components(rng):
    X = rng.normal(size=(40, 2))
    X[3, 0] = np.nan
    model = sf.GaussianMixture(1).fit(X)
    shown = MixtureDisplay.from_estimator(model, X)
    assert len(shown.ax_.collections[0].get_offsets()) == 39
    empty = MixtureDisplay(X[:3], np.eye(2)[[0, 0, 0]], (1.0, 0.0), np.zeros((2, 2)), np.stack([np.eye(2)] * 2)).plot()
    assert len(empty.ax_.lines) == 3  # two ellipses and the mean of the first


def test_what_cannot_be_drawn(iris):
    rows, model = iris
    with pytest.raises(InvalidParameter, match="there is no column 'petal'; there are"):
        MixtureDisplay.from_estimator(model, rows, columns=("petal", "petal_width"))
    counts = np.arange(12.0).reshape(6, 2)
    with pytest.raises(InvalidParameter, match="must be a mixture of Gaussians"):
        MixtureDisplay.from_estimator(sf.MixtureModel(1, component="poisson").fit(counts), counts)
