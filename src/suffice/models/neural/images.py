"""Images as rows: arrays (n, height, width[, channels])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from ...errors import InvalidData
from ...layers.changes import Change
from ...typing import Labels, Reals, TableLike


def is_image_table(X: object) -> TypeGuard[Labels | Sequence[Labels]]:
    """Whether X is an array of images, or a list of them."""
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(isinstance(one, np.ndarray) and one.ndim in (2, 3) for one in X)
    return isinstance(X, np.ndarray) and X.ndim in (3, 4)


def flattened(X: Labels | Sequence[Labels], owner: str) -> tuple[int, ...]:
    """The shape of each image, (height, width, channels)."""
    if not isinstance(X, np.ndarray):
        shapes = {one.shape for one in X}
        if len(shapes) > 1:
            first, other = list(dict.fromkeys(one.shape for one in X))[:2]
            row = next(i for i, one in enumerate(X) if one.shape == other)
            raise InvalidData(
                f"{owner}: images must be of one size; the first has shape {first}, and image {row} has {other}. "
                "Crop or scale them to one size."
            )
        shape = X[0].shape
    else:
        shape = X.shape[1:]
    if 0 in shape:
        raise InvalidData(f"{owner}: images must have cells; got shape {shape}.")
    return tuple(shape) if len(shape) == 3 else (*shape, 1)


def as_images(X: TableLike, owner: str) -> TableLike:
    """Images as the rows of a table, (n, cells); what holds none as it is."""
    if not is_image_table(X):
        return X
    flattened(X, owner)
    table = np.asarray(X)
    return table.reshape(len(table), -1)


def changed(X: Reals, shape: tuple[int, ...], changes: Sequence[Change], rng: np.random.Generator) -> Reals:
    """Rows of images, (m, cells), after some changes."""
    images = X.reshape(len(X), *shape)
    for change in changes:
        images = change.of(images, rng)
    return np.ascontiguousarray(images.reshape(len(X), -1))
