"""Bags of visual words."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from suffice.errors import InvalidData, InvalidParameter
from suffice.models.pictures.visual_words import VisualWords


@pytest.fixture
def pictures(rng):
    """Forty pictures of 24 × 24, half with horizontal and half with vertical stripes, and which is which."""
    lines = 120 * (np.arange(24) // 3 % 2)
    flat = np.broadcast_to(lines[:, None], (24, 24))
    stripes = [(flat if i % 2 else flat.T) + rng.integers(0, 80, (24, 24)) for i in range(40)]
    return np.array(stripes, dtype=np.uint8), np.arange(40) % 2


def test_counts_are_those_of_all_patches(pictures):
    X, _ = pictures
    words = VisualWords(10, patch=6, stride=3, random_state=0).fit(X)
    H = words.transform(X)
    assert H.shape == (40, 10)
    assert_array_equal(H.sum(axis=1), np.full(40, 49))
    assert_allclose(clone(words).set_params(normalize=True).fit_transform(X), H / 49)
    assert list(words.get_feature_names_out()[:2]) == ["word0", "word1"]
    assert words.words_.shape == (10, 36)
    patch = X[3, 6:12, 9:15].astype(float)
    one = VisualWords(10, patch=6, stride=6, random_state=0)
    one.words_, one.channels_ = words.words_, 1
    near = ((words.words_ - patch.reshape(-1)) ** 2).sum(axis=1).argmin()
    assert one.transform([X[3, 6:12, 9:15]])[0].argmax() == near


def test_words_tell_textures_apart_in_a_pipeline(pictures):
    X, y = pictures
    model = make_pipeline(VisualWords(8, patch=6, stride=3, normalize=True, random_state=0), LogisticRegression(C=100))
    assert model.fit(X[:20], y[:20]).score(X[20:], y[20:]) == 1


def test_pictures_of_many_sizes_and_colours(rng):
    X = [rng.integers(0, 256, (h, w, 3), dtype=np.uint8) for h, w in ((8, 8), (20, 9), (9, 31))]
    words = VisualWords(5, patch=8, stride=4, random_state=0).fit(X)
    assert_array_equal(words.transform(X).sum(axis=1), [1, 4, 6])
    assert words.words_.shape == (5, 192)


def test_learning_is_bounded_and_repeatable(pictures):
    X, _ = pictures
    words = VisualWords(4, patch=6, stride=1, max_patches=100, random_state=1).fit(X)
    again = VisualWords(4, patch=6, stride=1, max_patches=100, random_state=1).fit(list(X))
    assert_array_equal(words.words_, again.words_)
    assert len(words._sample(list(X), np.random.default_rng(0))) == 100
    assert VisualWords(4, patch=6, stride=1)._sample(list(X), np.random.default_rng(0)).shape == (40 * 19 * 19, 36)


def test_fewer_patches_than_words():
    words = VisualWords(50, patch=2, stride=2).fit([np.zeros((4, 4)), np.ones((4, 4))])
    assert_array_equal(np.sort(words.transform([np.ones((4, 4))])), [[0, 4]])


def test_bad_input_is_one_sentence(rng):
    good = [np.zeros((9, 9))]
    for images, match in (
        ([], "no pictures"),
        ("photo.png", "list of pictures"),
        (7, "list of pictures"),
        ([*good, np.zeros((9, 5))], "picture 1 is 5 × 9 pixels, smaller"),
        ([*good, np.zeros((9, 9, 3))], "picture 1 is float64 with 3 channels"),
        ([*good, np.zeros((9, 9), np.uint8)], "picture 1 is uint8"),
        ([np.full((9, 9), np.nan)], "picture 0: the pixel"),
    ):
        with pytest.raises(InvalidData, match=match):
            VisualWords().fit(images)
    with pytest.raises(NotFittedError):
        VisualWords().transform(good)
    with pytest.raises(InvalidParameter, match="VisualWords: stride must be an integer, at least 1"):
        VisualWords(stride=0).fit(good)
    with pytest.raises(InvalidData, match="the fit had 1"):
        VisualWords(2).fit(good).transform([np.zeros((9, 9, 3))])
