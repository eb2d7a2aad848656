"""Random changes of images in training, so that a net learns what does not matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..choices import check_number
from ..holds import flag, number, whole
from ..registry import register_member
from ..typing import Reals
from .base import check_flag, check_whole


class Change:
    """Base of the random changes: frozen dataclasses with `of`, which leaves the images (m, h, w, c) it is given."""

    members: ClassVar[list[type[Change]]] = []

    def __init_subclass__(cls) -> None:
        Change.members.append(cls)
        register_member(cls, "change")

    def of(self, images: Reals, rng: np.random.Generator) -> Reals:
        """The changed images."""
        raise TypeError(f"{type(self).__name__} does not define of")


@dataclass(frozen=True)
class Flip(Change):
    """Every other image mirrored: left and right, or top and bottom where `vertical`."""

    vertical: bool = False
    holds: ClassVar = {"vertical": flag()}

    def __post_init__(self) -> None:
        check_flag(self, "vertical")

    def of(self, images: Reals, rng: np.random.Generator) -> Reals:
        axis, chosen = 0 if self.vertical else 1, rng.random(len(images)) < 0.5
        found = images.copy()
        found[chosen] = np.flip(images[chosen], axis=1 + axis)
        return found


@dataclass(frozen=True)
class Shift(Change):
    """Each image moved by up to `cells` in each direction; what comes in at the border is 0."""

    cells: int = 1
    holds: ClassVar = {"cells": whole(at_least=1)}

    def __post_init__(self) -> None:
        check_whole(self, "cells", 1)

    def of(self, images: Reals, rng: np.random.Generator) -> Reals:
        m, h, w, _ = images.shape
        down, right = rng.integers(-self.cells, self.cells + 1, (2, m))
        rows, columns = np.arange(h) - down[:, None], np.arange(w) - right[:, None]
        inside = ((rows >= 0) & (rows < h))[:, :, None] & ((columns >= 0) & (columns < w))[:, None, :]
        found = images[np.arange(m)[:, None, None], rows.clip(0, h - 1)[:, :, None], columns.clip(0, w - 1)[:, None, :]]
        moved: Reals = found * inside[..., None].astype(images.dtype)
        return moved


@dataclass(frozen=True)
class Noise(Change):
    """Gaussian noise of this standard deviation on every cell."""

    std: float = 0.1
    holds: ClassVar = {"std": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "std", 0.0, above=True)

    def of(self, images: Reals, rng: np.random.Generator) -> Reals:
        return images + rng.normal(0.0, self.std, images.shape).astype(images.dtype)
