"""What nets that draw rows share: how many, and whether what they draw is new and covers everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InvalidData, InvalidParameter
from ...indices import Brute
from ...params import check_argument
from ...text import aligned
from ...typing import Floats, TableLike
from .images import as_images

_MOST_DRAWN = 1_000_000  # rows, all of which `diagnose` holds


def sample_size(value: object, owner: str, name: str = "n_samples") -> int:
    """A number of rows to draw."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidParameter(f"{owner}: {name} must be an integer, at least 1; got {value!r}.")
    return int(value)


@dataclass(frozen=True)
class Generated:
    """What rows drawn from a model look like beside real ones.

    `distance` is the median distance of a drawn row to the nearest row of the training table, `held_out_distance` that
    of real rows that were not learned from: a model that draws its training rows again has a ratio far below 1.
    `covered` is the share of the modes near which rows are drawn, `stray` the share of drawn rows near none.
    """

    distance: float
    held_out_distance: float | None = None
    covered: float | None = None
    stray: float | None = None

    @property
    def ratio(self) -> float | None:
        """Distance over held-out distance: about 1 where drawn rows are as new as real ones."""
        if self.held_out_distance is None or self.held_out_distance == 0:
            return None
        return self.distance / self.held_out_distance

    def table(self) -> dict[str, float]:
        """The numbers that are known, by name."""
        names = ("distance", "held_out_distance", "ratio", "covered", "stray")
        return {name: float(getattr(self, name)) for name in names if getattr(self, name) is not None}

    def __str__(self) -> str:
        words = {
            "distance": "drawn rows to the nearest training row",
            "held_out_distance": "held-out rows to the nearest training row",
            "ratio": "the ratio of both",
            "covered": "share of the modes that are drawn from",
            "stray": "share of drawn rows near no mode",
        }
        return aligned([("", "value"), *((words[name], f"{value:.3g}") for name, value in self.table().items())])


class Generator:
    """Mixin of models with `sample`: what they draw beside real rows."""

    def sample(self, n_samples: int = 1) -> Floats:
        """Rows drawn from the model, (n, d)."""
        raise TypeError(f"{type(self).__name__} does not define sample")

    def diagnose(
        self,
        X: TableLike,
        held_out: TableLike | None = None,
        modes: TableLike | None = None,
        radius: float | None = None,
        n_samples: int = 1000,
    ) -> Generated:
        """What rows that it draws look like beside the rows X of its training, in units of their standard deviations.

        `held_out` are real rows that were not learned from, for the distance that new rows have. `modes` are the
        centres (m, d) of a known mixture: one is covered where at least a fifth of an even share of the drawn rows lies
        within `radius`, by default half the least distance between two of them.
        """
        owner = type(self).__name__
        check_argument(owner, "radius", radius, number=True, at_least=0, choices=(None,))
        check_argument(owner, "n_samples", n_samples, integer=True, at_least=1, at_most=_MOST_DRAWN)
        drawn = self.sample(n_samples)
        rows, d = _numbers(X, owner, "X", drawn.shape[1]), drawn.shape[1]
        scale = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
        drawn = drawn / scale
        index = Brute().built(np.ascontiguousarray(rows / scale))
        distance = float(np.median(index.kneighbors(drawn, 1).distances))
        others = None
        if held_out is not None:
            others = float(np.median(index.kneighbors(_numbers(held_out, owner, "held_out", d) / scale, 1).distances))
        covered = stray = None
        if modes is not None:
            covered, stray = _coverage(drawn, _numbers(modes, owner, "modes", d) / scale, radius)
        return Generated(distance, others, covered, stray)


def _coverage(drawn: Floats, modes: Floats, radius: float | None) -> tuple[float, float]:
    near = Brute().built(np.ascontiguousarray(modes)).kneighbors(drawn, 1)
    if radius is None:
        radius = np.inf
        if len(modes) > 1:
            radius = float(Brute().built(np.ascontiguousarray(modes)).kneighbors(modes, 2).distances[:, 1].min()) / 2
    within = near.distances[:, 0] <= radius
    counts = np.bincount(near.rows[within, 0], minlength=len(modes))
    return float(np.mean(counts >= len(drawn) / len(modes) / 5)), float(1 - within.mean())


def _numbers(X: TableLike, owner: str, name: str, d: int) -> Floats:
    try:
        found = np.asarray(as_images(X, owner), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"{owner}: {name} must be a table of numbers.") from None
    if found.ndim != 2 or not len(found) or not np.isfinite(found).all():
        raise InvalidData(f"{owner}: {name} must be a table (n, d) of finite numbers, at least one row.")
    if found.shape[1] != d:
        raise InvalidData(f"{owner}: {name} has {found.shape[1]} columns; rows that are drawn have {d}.")
    return found
