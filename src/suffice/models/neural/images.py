"""Images as rows: arrays (n, height, width[, channels])."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeGuard

import numpy as np

from ...errors import InvalidData
from ...layers.changes import Change
from ...typing import Labels, Reals, TableLike


def is_image_table(X: object) -> TypeGuard[Labels | Sequence[Labels]]:
    """Whether X is an array of images, or a list of them."""
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(map(_is_image, X))
    return isinstance(X, np.ndarray) and X.ndim > 2


def _is_image(one: object) -> bool:
    """Whether it is an array of two dimensions or more, or lists in a list."""
    if isinstance(one, list | tuple):
        return len(one) > 0 and all(isinstance(row, list | tuple) or np.ndim(row) > 0 for row in one)
    return isinstance(one, np.ndarray) and one.ndim > 1


def flattened(X: Labels | Sequence[Labels], owner: str) -> tuple[int, ...]:
    """The shape of each image, (height, width, channels)."""
    if not isinstance(X, np.ndarray):
        shapes = [_shape_of(one, owner) for one in X]
        if len(set(shapes)) > 1:
            first, other = list(dict.fromkeys(shapes))[:2]
            row = shapes.index(other)
            raise InvalidData(
                f"{owner}: images must be of one size; the first has shape {first}, and image {row} has {other}. "
                "Crop or scale them to one size."
            )
        shape = shapes[0]
    else:
        shape = X.shape[1:]
    if len(shape) > 3:
        raise InvalidData(
            f"{owner}: X has {len(shape) + 1} dimensions; give a table (n, d), or images (n, height, width) or "
            "(n, height, width, channels)."
        )
    if 0 in shape:
        raise InvalidData(f"{owner}: images must have cells; got shape {shape}.")
    return tuple(shape) if len(shape) == 3 else (*shape, 1)


def _shape_of(image: object, owner: str) -> tuple[int, ...]:
    try:
        return np.asarray(image).shape
    except ValueError:
        raise InvalidData(f"{owner}: an image must have rows of one length, and one number or more a cell.") from None


def as_images(X: TableLike, owner: str) -> TableLike:
    """Images as the rows of a table, (n, cells); what holds none as it is."""
    if not is_image_table(X):
        return X
    shape = flattened(X, owner)
    return np.asarray(X).reshape(len(X), prod(shape))


def changed(X: Reals, shape: tuple[int, ...], changes: Sequence[Change], rng: np.random.Generator) -> Reals:
    """Rows of images, (m, cells), after some changes."""
    images = X.reshape(len(X), *shape)
    for change in changes:
        images = change.of(images, rng)
    return np.ascontiguousarray(images.reshape(len(X), -1))
