"""A picture cut into segments of similar colour and place, and what describes each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ...errors import InvalidData, InvalidParameter, shown, squares_overflow
from ...params import check_argument
from ...text import aligned, figure
from ...typing import Floats, RandomState
from ..inner import is_model
from .compression import as_pixels

Segments = NDArray[np.int64]
_ORDER = ndimage.generate_binary_structure(2, 1)  # pixels touch at their sides


@dataclass(frozen=True, eq=False)
class SegmentedImage:
    """A picture after `segment_image`: the segment of each pixel, from 0, and features of each segment."""

    pixels: NDArray[np.generic]  # (h, w) or (h, w, channels)
    labels: Segments  # (h, w)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return int(self.labels.max()) + 1

    @property
    def image(self) -> NDArray[np.generic]:
        """The picture with every segment in its mean colour, as the original in shape and type."""
        colours = self._means()[self.labels].reshape(self.pixels.shape)
        return (colours if self.pixels.dtype.kind == "f" else np.rint(colours)).astype(self.pixels.dtype)

    def features(self) -> dict[str, NDArray[np.generic]]:
        """One entry a segment: its share of the pixels, and the mean and standard deviation of each channel.

        Also its middle, height and width, as shares of those of the picture, its length around (sides of pixels that
        border on others) and how long it is: the ratio of its principal axes.
        """
        h, w = self.labels.shape
        size = np.bincount(self.labels.ravel(), minlength=self.n_segments)
        y, x = np.indices((h, w), dtype=np.float64)
        middle_y, middle_x = self._mean_of(y + 0.5, size), self._mean_of(x + 0.5, size)
        boxes = [box or (slice(0, 0), slice(0, 0)) for box in ndimage.find_objects(self.labels + 1)]
        made: dict[str, NDArray[np.generic]] = {"share": size / size.sum()}
        means = self._means()
        for c, values in enumerate(np.moveaxis(self._channels(), -1, 0)):
            spread = self._mean_of((values - means[self.labels, c]) ** 2, size)
            made |= {f"mean_{c}": means[:, c], f"deviation_{c}": np.sqrt(spread)}
        return made | {
            "middle_y": middle_y / h,
            "middle_x": middle_x / w,
            "height": np.array([box[0].stop - box[0].start for box in boxes]) / h,
            "width": np.array([box[1].stop - box[1].start for box in boxes]) / w,
            "border": self._borders(),
            "elongation": self._elongation(y + 0.5 - middle_y[self.labels], x + 0.5 - middle_x[self.labels], size),
        }

    def __str__(self) -> str:
        found = self.features()
        header = ("segment", *found)
        rows = [(f"{k}", *(figure(values[k]) for values in found.values())) for k in range(self.n_segments)]
        return aligned([header, *rows])

    def _channels(self) -> Floats:
        return self.pixels.reshape(*self.labels.shape, -1).astype(np.float64)

    def _mean_of(self, values: Floats, size: Segments) -> Floats:
        return np.asarray(np.bincount(self.labels.ravel(), values.ravel(), len(size)) / size)

    def _means(self) -> Floats:
        size = np.bincount(self.labels.ravel(), minlength=self.n_segments)
        return np.stack([self._mean_of(values, size) for values in np.moveaxis(self._channels(), -1, 0)], axis=1)

    def _borders(self) -> Segments:
        padded = np.pad(self.labels, 1, constant_values=-1)
        inner = padded[1:-1, 1:-1]
        sides = [padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]
        differs = np.sum([side != inner for side in sides], axis=0)
        return np.bincount(inner.ravel(), differs.ravel(), self.n_segments).astype(np.int64)

    def _elongation(self, y: Floats, x: Floats, size: Segments) -> Floats:
        yy, xx, xy = (self._mean_of(values, size) for values in (y * y + 1 / 12, x * x + 1 / 12, x * y))
        middle, away = (yy + xx) / 2, np.hypot((yy - xx) / 2, xy)
        return np.sqrt((middle + away) / np.maximum(middle - away, 1e-300))


def segment_image(
    image: object,
    n_segments: int = 4,
    *,
    position: float = 0.5,
    connected: bool = False,
    least: float = 0.002,
    clusterer: object = None,
    random_state: RandomState = None,
) -> SegmentedImage:
    """Cut a picture, an array or the path of a file, into segments of similar colour and place, by clustering pixels.

    A pixel is a row: its channels, in units of their common spread, and its place, in units of the spread of places,
    times `position`: 0 looks at colours alone. With `connected`, pieces of a segment that do not touch are segments of
    their own, and pieces smaller than `least` of the picture join the neighbour they touch most. `clusterer` is used
    instead of k-means with `n_segments`; it needs `fit_predict`.

    >>> import numpy as np
    >>> picture = np.zeros((8, 12), dtype=np.uint8)
    >>> picture[2:6, 3:9] = 200
    >>> found = segment_image(picture, 2, position=0, random_state=0)
    >>> sorted(found.features()["share"].tolist()), bool((found.image == picture).all())
    ([0.25, 0.75], True)
    """
    pixels = as_pixels(image, "segment_image")
    check = partial(check_argument, "segment_image")
    check("position", position, number=True, at_least=0, below=1e6)
    check("least", least, number=True, at_least=0, below=1)
    check("connected", connected, choices=(True, False))
    if clusterer is None:
        from ..cluster import KMeans

        check("n_segments", n_segments, integer=True, at_least=1)
        n = pixels.shape[0] * pixels.shape[1]
        if n_segments > n:
            raise InvalidData(
                f"segment_image: n_segments={n_segments}, but the picture has only {n:,} pixels; ask for fewer."
            )
        clusterer = KMeans(n_segments, random_state=random_state)
    elif not is_model(clusterer, "fit_predict"):
        raise InvalidParameter(f"segment_image: clusterer must be a model with fit_predict; got {shown(clusterer)}.")
    model: Any = clusterer
    labels = np.asarray(model.fit_predict(_rows(pixels, position))).reshape(pixels.shape[:2])
    return SegmentedImage(pixels, _pieces(labels, least * labels.size) if connected else _numbered(labels))


def _rows(pixels: NDArray[np.generic], position: float) -> Floats:
    """Colours and places of the pixels, (h · w, channels + 2), each in units of its spread."""
    h, w = pixels.shape[:2]
    colours = pixels.reshape(h * w, -1).astype(np.float64)
    if np.abs(colours).max() > 1e150:
        raise squares_overflow("segment_image", "the picture", float(np.abs(colours).max()))
    colours -= colours.mean(axis=0)
    spread = np.sqrt(np.mean(colours**2))
    rows = [colours / (spread if spread > 0 else 1.0)]
    if position > 0:
        places = np.indices((h, w), dtype=np.float64).reshape(2, -1).T
        places -= places.mean(axis=0)
        spread = np.sqrt(np.mean(places**2))
        rows.append(position * places / (spread if spread > 0 else 1.0))
    return np.hstack(rows)


def _numbered(labels: NDArray[Any]) -> Segments:
    return np.unique(labels, return_inverse=True)[1].reshape(labels.shape).astype(np.int64)


def _pieces(labels: NDArray[np.generic], least: float) -> Segments:
    """The pieces of segments whose pixels touch; one with fewer pixels joins the piece that it touches most."""
    found = np.zeros(labels.shape, dtype=np.int64)
    for name in np.unique(labels):
        pieces, _ = ndimage.label(labels == name, _ORDER)
        found[pieces > 0] = pieces[pieces > 0] + found.max()
    while True:
        size = np.bincount(found.ravel())
        small = [piece for piece in np.argsort(size, kind="stable") if 0 < size[piece] < least]
        joined = [piece for piece in small if _joined(found, int(piece), size)]
        if not joined:
            return _numbered(found)


def _joined(found: Segments, piece: int, size: Segments) -> bool:
    """Give the pixels of a small piece to the larger neighbour that it touches most; whether there is one."""
    here = found == piece
    around = found[ndimage.binary_dilation(here, _ORDER) & ~here]
    around = around[size[around] >= size[piece]]
    if not around.size:
        return False
    found[here] = np.bincount(around).argmax()
    return True
