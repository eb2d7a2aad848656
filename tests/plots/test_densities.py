"""Mixtures as curves over one column and as surfaces over two: the numbers that they draw."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import suffice as sf
from suffice.distributions import DiagonalGaussian, Mixture
from suffice.errors import InvalidData, InvalidParameter
from suffice.plots import DensityDisplay, SurfaceDisplay
from suffice.report.pictures import picture

FAITHFUL = sf.datasets.load("faithful").matrix()


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.poisson(2, 300), rng.poisson(9, 200)])[:, None].astype(float)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_the_marginal_of_a_column_is_that_of_scipy(kind):
    model = sf.GaussianMixture(3, covariance_type=kind, random_state=0).fit(FAITHFUL)
    shown = DensityDisplay.from_estimator(model, FAITHFUL, column=1, ax=False)
    for j, part in enumerate(model.mixture_.parts):
        variance = part.spread[1, 1] if np.ndim(part.spread) == 2 else part.spread[1]
        expected = model.weights_[j] * stats.norm.pdf(shown.x, part.mean[1], np.sqrt(variance))
        assert_allclose(shown.components[j], expected, rtol=1e-8)
    assert_allclose(shown.density(), shown.components.sum(axis=0))
    assert_allclose(np.sum(shown.heights * np.diff(shown.edges)), 1)


def test_one_column_is_the_density_of_the_model():
    X = FAITHFUL[:, 1:]
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    shown = DensityDisplay.from_estimator(model, X)
    assert_allclose(np.log(shown.density()), model.score_samples(shown.x[:, None]), rtol=1e-9)
    names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert names == ["mixture", *(f"component {j}: {100 * w:.3g} %" for j, w in enumerate(model.weights_))]


def test_counts_have_probabilities_at_whole_numbers(counts):
    model = sf.MixtureModel(2, component="poisson", random_state=0).fit(counts)
    shown = DensityDisplay.from_estimator(model, counts)
    assert_allclose(shown.x, np.arange(counts.max() + 1))
    for j, part in enumerate(model.mixture_.parts):
        assert_allclose(shown.components[j], model.weights_[j] * stats.poisson.pmf(shown.x, part.rate[0]), rtol=1e-9)
    assert_allclose(shown.heights, np.bincount(counts[:, 0].astype(int)) / len(counts))
    assert shown.ax_.get_ylabel() == "probability"


@pytest.mark.parametrize("family", ["gamma", "exponential", "lomax"])
def test_no_density_is_drawn_outside_the_support(family, rng):
    X = rng.gamma(1.5, 2.0, (300, 1))
    shown = DensityDisplay.from_estimator(sf.MixtureModel(2, component=family, random_state=0).fit(X), X, ax=False)
    assert shown.x.min() >= 0
    assert np.isfinite(shown.components).all()


def test_weights_equal_repeated_rows(counts):
    model = sf.MixtureModel(2, component="poisson", random_state=0).fit(counts)
    times = np.arange(len(counts)) % 3
    weighted = DensityDisplay.from_estimator(model, counts, sample_weight=times, bins=9, ax=False)
    repeated = DensityDisplay.from_estimator(model, np.repeat(counts, times, axis=0), bins=9, ax=False)
    assert_allclose(weighted.heights, repeated.heights)
    assert weighted.note == f"{np.sum(times > 0)} of {len(counts)} rows"


def test_columns_of_other_kinds_are_left_out():
    frame = pd.DataFrame({"colour": ["red", "blue"] * 20, "width": np.r_[np.arange(39.0), np.nan]})
    model = sf.MixtureModel(2, random_state=0).fit(frame)
    shown = DensityDisplay.from_estimator(model, frame, "width", ax=False)
    assert (shown.name, shown.note) == ("width", "39 of 40 rows")
    with pytest.raises(InvalidData, match="values that are no numbers"):
        DensityDisplay.from_estimator(model, frame, "colour")


def test_a_needle_is_seen_between_the_points_of_a_grid():
    needle = Mixture.of([0.5, 0.5], [DiagonalGaussian([m] * 2, [1e-8] * 2) for m in (0.1234, 0.5678)])
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    top = 0.5 * stats.norm.pdf(0, 0, 1e-4)
    assert_allclose(DensityDisplay.from_estimator(needle, X, ax=False).density().max(), top)
    assert_allclose(SurfaceDisplay.from_estimator(needle, X, ax=False).density.max(), 2 * top**2)


def test_the_surface_is_the_density_of_two_columns():
    model = sf.GaussianMixture(2, random_state=0).fit(FAITHFUL)
    shown = SurfaceDisplay.from_estimator(model, FAITHFUL, resolution=20, ax=False)
    table = shown.table()
    places = np.column_stack([table["x"], table["y"]])
    assert_allclose(np.log(table["density"]), model.score_samples(places), rtol=1e-9)
    turned = SurfaceDisplay.from_estimator(model, FAITHFUL, (1, 0), resolution=20, ax=False)
    assert_allclose(turned.density, shown.density.T)


def test_a_surface_on_axes_of_three_dimensions():
    import matplotlib.pyplot as plt

    model = sf.GaussianMixture(2, random_state=0).fit(FAITHFUL)
    ax = plt.figure().add_subplot(projection="3d")
    assert SurfaceDisplay.from_estimator(model, FAITHFUL, ax=ax).ax_ is ax
    figure = plt.figure()
    beside = figure.add_axes((0.1, 0.1, 0.5, 0.5))
    assert SurfaceDisplay.from_estimator(model, FAITHFUL, ax=beside).figure_ is figure


def test_lines_of_the_surface_stand_as_far_behind_as_their_numbers(rng):
    y = np.array([0.0, 0.1, 1.0])
    made = picture(SurfaceDisplay(np.array([0.0, 1.0]), y, rng.random((3, 2))))
    bottoms = [float(part.split()[8].rstrip('">')) for part in made.parts if part.startswith("<g data-scale")]
    assert_allclose((bottoms[2] - np.array(bottoms)) / (bottoms[2] - bottoms[0]), y[::-1])


@pytest.mark.parametrize("cls", [DensityDisplay, SurfaceDisplay])
def test_what_cannot_be_drawn(cls, counts):
    model = sf.GaussianMixture(2, random_state=0).fit(FAITHFUL)
    with pytest.raises(InvalidParameter, match="must be a fitted mixture of suffice, or a Mixture; got KMeans"):
        cls.from_estimator(sf.KMeans(2).fit(FAITHFUL), FAITHFUL)
    with pytest.raises(InvalidData, match=r"shape \(272, 1\); the mixture needs rows of 2 columns"):
        cls.from_estimator(model, FAITHFUL[:, :1])
    words = sf.MixtureModel(2, component="multinomial", random_state=0).fit(np.eye(3))
    with pytest.raises(InvalidParameter, match="Multinomial has no formula for some of its columns"):
        cls.from_estimator(words, np.eye(3))
    with pytest.raises(InvalidData, match="has no values"):
        cls.from_estimator(model, np.full((3, 2), np.nan))


def test_columns_that_cannot_be_drawn(counts):
    model = sf.GaussianMixture(2, random_state=0).fit(FAITHFUL)
    with pytest.raises(InvalidParameter, match="there is no column 5; there are 2"):
        DensityDisplay.from_estimator(model, FAITHFUL, 5)
    with pytest.raises(InvalidParameter, match="bins=0 must be from 1"):
        DensityDisplay.from_estimator(model, FAITHFUL, bins=0)
    with pytest.raises(InvalidParameter, match="resolution=1 must be from 2"):
        SurfaceDisplay.from_estimator(model, FAITHFUL, resolution=1)
    with pytest.raises(InvalidParameter, match="two different columns of 2"):
        SurfaceDisplay.from_estimator(model, FAITHFUL, (1, 1))
    two = np.hstack([counts, counts])
    poisson = sf.MixtureModel(2, component="poisson", random_state=0).fit(two)
    with pytest.raises(InvalidParameter, match="holds counts: 0, 1, 2, …; a surface needs numbers with a density"):
        SurfaceDisplay.from_estimator(poisson, two)
