"""Bags of visual words: a picture as a histogram of its small patches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from ... import params
from ...errors import InvalidData
from ...holds import floats, require, whole
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...typing import Floats, RandomState, TargetLike
from .images import as_image, distinct
from .vector_quantizer import codebook, nearest, on_images

Pictures = list[NDArray[np.generic]]


@on_images
class VisualWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Pictures as counts of visual words, the K patches that min Σᵢ minₖ ‖patchᵢ − wordₖ‖² finds by k-means.

    A picture gives a histogram h of K numbers: hₖ says in how many of its patches word k is the nearest.
    Pictures may differ in size, so they are no table of rows: this is scikit-learn's transformer, and works in a
    pipeline, but no member of the contracts, which hand out tables. It has no weights and reads no files.

    Examples
    --------
    >>> import numpy as np
    >>> stripes = np.tile([0, 255], (16, 8)).astype(np.uint8)
    >>> words = VisualWords(4, patch=4, stride=1, random_state=0).fit([stripes, stripes.T])
    >>> np.sort(words.transform([stripes]))
    array([[ 0.,  0., 78., 91.]])
    """

    n_words: int = param(50, positional=True, integer=True, at_least=1, doc="How many words, K, at the most.")
    patch: int = param(8, integer=True, at_least=1, doc="The side of the square patches, in pixels.")
    stride: int = param(4, integer=True, at_least=1, doc="How many pixels a patch is from the next.")
    normalize: bool = param(False, choices=(True, False), doc="Whether each histogram is divided by its sum.")
    max_patches: int = param(
        100_000, integer=True, at_least=1, doc="Learn from this many patches at the most, drawn from all pictures."
    )
    n_init: int = param(1, integer=True, at_least=1, doc="How often k-means starts; the best is kept.")
    max_iter: int = param(300, integer=True, at_least=1, doc="Iterations of k-means at the most.")
    tol: float = param(1e-4, number=True, at_least=0, doc="Changes of the words below this end k-means.")
    random_state: RandomState = random_state_param()

    words_: Floats = learned(
        "The words as rows, (K, patch · patch · channels); fewer where patches are fewer.", holds=floats("k", "width")
    )
    inertia_: float = learned("The sum of squared distances of the patches learned from to their words.")
    channels_: int = learned("The channels of the pictures.", holds=whole(at_least=1))

    def check_loaded(self) -> None:
        """Raise an error where the words of a file are not patches of its pictures."""
        width = self.patch**2 * self.channels_
        require(len(self.words_) and self.words_.shape[1] == width, f"words_ must have {width} columns")

    def fit(self, images: object, y: TargetLike = None) -> Self:
        """Learn the words from pictures: a list of arrays, or an array (n, h, w) or (n, h, w, channels)."""
        params.check(self)
        pictures = self._pictures(images)
        rng = generator(self.random_state)
        patches, _, counts = distinct(self._sample(pictures, rng))
        seed = int(rng.integers(2**31))
        options = {"n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol, "random_state": seed}
        self.words_, self.inertia_ = codebook(patches, counts, self.n_words, options)
        self.channels_ = _channels(pictures[0])
        return self

    def transform(self, images: object) -> Floats:
        """How often each word stands in each picture, (n, K)."""
        self._check_fitted()
        pictures = self._pictures(images)
        if _channels(pictures[0]) != self.channels_:
            raise InvalidData(
                f"VisualWords: the pictures have {_channels(pictures[0])} channels; the fit had {self.channels_}."
            )
        counts = np.array([self._count(picture) for picture in pictures], dtype=np.float64)  # (n, K)
        return counts / counts.sum(axis=1, keepdims=True) if self.normalize else counts

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """word0, word1, …"""
        self._check_fitted()
        return np.array([f"word{k}" for k in range(len(self.words_))], dtype=object)

    def _pictures(self, images: object) -> Pictures:
        if isinstance(images, str) or not isinstance(images, Iterable):
            raise InvalidData(f"VisualWords: a list of pictures is needed; got {type(images).__name__}.")
        pictures = [as_image(image, f"VisualWords: picture {i}") for i, image in enumerate(images)]
        if not pictures:
            raise InvalidData("VisualWords: there are no pictures; at least 1 is needed.")
        for i, picture in enumerate(pictures):
            if min(picture.shape[:2]) < self.patch:
                raise InvalidData(
                    f"VisualWords: picture {i} is {picture.shape[1]} × {picture.shape[0]} pixels, smaller than a "
                    f"patch of {self.patch} × {self.patch}; leave it out, or choose a smaller patch."
                )
            if _channels(picture) != _channels(pictures[0]) or picture.dtype != pictures[0].dtype:
                raise InvalidData(
                    f"VisualWords: picture {i} is {picture.dtype} with {_channels(picture)} channels, picture 0 is "
                    f"{pictures[0].dtype} with {_channels(pictures[0])}; convert them to one kind."
                )
        return pictures

    def _patches(self, picture: NDArray[np.generic]) -> NDArray[np.generic]:
        """All patches as a view, (rows, columns, channels, patch, patch)."""
        pixels = picture.reshape(*picture.shape[:2], -1)
        windows = np.lib.stride_tricks.sliding_window_view(pixels, (self.patch, self.patch), axis=(0, 1))
        return windows[:: self.stride, :: self.stride]

    def _sample(self, pictures: Pictures, rng: np.random.Generator) -> NDArray[np.generic]:
        """At most `max_patches` of the patches of all pictures as rows, each as likely as any other."""
        views = [self._patches(picture) for picture in pictures]
        ends = np.cumsum([view.shape[0] * view.shape[1] for view in views])
        taken = min(int(ends[-1]), self.max_patches)
        chosen = np.sort(rng.choice(int(ends[-1]), taken, replace=False, shuffle=False))
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        rows = []
        for view, part, start in zip(views, parts, [0, *ends[:-1]], strict=True):
            i, j = np.divmod(part - start, view.shape[1])
            rows.append(view[i, j].reshape(len(part), view[0, 0].size))
        return np.concatenate(rows)

    def _count(self, picture: NDArray[np.generic]) -> NDArray[np.int64]:
        view = self._patches(picture)
        patches, inverse, _ = distinct(view.reshape(view.shape[0] * view.shape[1], -1))
        return np.bincount(nearest(patches, self.words_)[inverse], minlength=len(self.words_))


def _channels(picture: NDArray[np.generic]) -> int:
    return picture.shape[2] if picture.ndim == 3 else 1
