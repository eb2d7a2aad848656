"""What an embedding learns, as a value: where the objects of the fit are, and where new rows go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...holds import floats
from ...registry import register_member
from ...typing import Floats, Numbers, Whole
from .compared import Compared


@dataclass(frozen=True)
class Map:
    """Base: `points` (m, k) are the places of the objects; a subclass says by what new rows are placed."""

    points: Floats

    holds: ClassVar[dict[str, object]] = {"points": floats("m", "k")}

    def __init_subclass__(cls) -> None:
        register_member(cls, "map")

    def places(self, X: Numbers) -> Floats:
        """Where rows go, (q, k), of the form of the objects; one that equals an object goes where that is."""
        raise TypeError(f"{type(self).__name__} does not define places")

    def in_form(self, X: Numbers) -> Numbers:
        """New rows in the form of the objects, dense or sparse."""
        compared = self._compared
        return X if compared is None else compared.in_form(X)

    @property
    def _compared(self) -> Compared | None:
        found: Compared | None = getattr(getattr(self, "near", self), "compared", None)
        return found

    def pairs(self) -> tuple[Floats, Floats] | None:
        """Places (m, k) and the rows (m, d) that have them; None where dissimilarities were given."""
        compared = self._compared
        return None if compared is None or not isinstance(compared.rows, np.ndarray) else (self.points, compared.rows)

    def dissimilarities(self, some: Whole) -> Floats:
        """What the map shows of the pairs of some objects, (s, s)."""
        raise TypeError(f"{type(self).__name__} does not define dissimilarities")
