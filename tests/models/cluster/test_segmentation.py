"""Pictures cut into segments: by colour, by place, by pieces that touch, and what describes them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import ndimage

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter


@pytest.fixture
def picture(rng):
    """Two dark squares and a bright bar on grey, with some noise; (40, 60, 3)."""
    image = np.full((40, 60, 3), 120.0)
    image[5:15, 5:15] = image[25:35, 5:15] = (20, 30, 40)
    image[18:22, 20:58] = (240, 230, 60)
    return np.clip(image + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)


def test_colours_alone_find_the_colours(picture):
    found = sf.segment_image(picture, 3, position=0, random_state=0)
    assert found.n_segments == 3
    shares = np.sort(found.features()["share"])
    assert_allclose(shares, np.sort([200, 152, 2400 - 352]) / 2400)
    assert found.image.dtype == np.uint8
    assert np.abs(found.image.astype(int) - picture).mean() < 6


def test_pieces_that_do_not_touch_are_segments_of_their_own(picture):
    found = sf.segment_image(picture, 3, position=0, connected=True, random_state=0)
    assert found.n_segments == 4
    features = found.features()
    dark = np.flatnonzero(features["mean_0"] < 50)
    assert_allclose(np.sort(features["middle_y"][dark]), [10 / 40, 30 / 40])
    assert_allclose(features["elongation"][dark], 1.0)
    assert_array_equal(features["border"][dark], 40)
    bar = int(np.argmax(features["mean_0"]))
    assert_allclose([features["height"][bar], features["width"][bar]], [4 / 40, 38 / 60])
    assert_allclose(features["elongation"][bar], 38 / 4)
    labels, n = ndimage.label(found.labels == bar)
    assert n == 1
    assert labels.sum() == 152


def test_small_pieces_join_their_neighbours(picture):
    picture[30, 40] = 0
    picture[0, 0] = 255
    loose = sf.segment_image(picture, 3, position=0, connected=True, least=0, random_state=0)
    tidy = sf.segment_image(picture, 3, position=0, connected=True, random_state=0)
    assert loose.n_segments == 6
    assert tidy.n_segments == 4


def test_place_alone_cuts_a_plain_picture_into_parts():
    found = sf.segment_image(np.zeros((20, 40)), 2, position=1.0, random_state=0)
    assert_allclose(found.features()["share"], 0.5, atol=0.02)
    assert "segment" in str(found)


def test_any_clusterer(picture):
    mixture = sf.GaussianMixture(3, random_state=0)
    found = sf.segment_image(picture, clusterer=mixture, position=0)
    assert found.n_segments == 3
    assert_array_equal(np.sort(np.bincount(found.labels.ravel())), [152, 200, 2048])


def test_what_cannot_be_used_is_refused(picture):
    with pytest.raises(InvalidData, match="segment_image: a picture has shape"):
        sf.segment_image(np.zeros(5))
    with pytest.raises(InvalidParameter, match="position must be a number"):
        sf.segment_image(picture, position=-1)
    with pytest.raises(InvalidParameter, match="least must be a number, at least 0, below 1"):
        sf.segment_image(picture, least=2)
    with pytest.raises(InvalidParameter, match="clusterer must be a model with fit_predict"):
        sf.segment_image(picture, clusterer=3)
