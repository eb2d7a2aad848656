"""What an embedding learns, as a value: where the objects of the fit are, and where new rows go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...holds import floats
from ...registry import register_member
from ...typing import Floats, Reals, Whole


@dataclass(frozen=True)
class Map:
    """Base: `points` (m, k) are the places of the objects; a subclass says by what new rows are placed."""

    points: Floats

    holds: ClassVar[dict[str, object]] = {"points": floats("m", "k")}

    def __init_subclass__(cls) -> None:
        register_member(cls, "map")

    def places(self, X: Reals) -> Floats:
        """Where rows go, (q, k); one that equals an object of the fit goes where that is."""
        raise TypeError(f"{type(self).__name__} does not define places")

    def pairs(self) -> tuple[Floats, Floats] | None:
        """Places (m, k) and the rows (m, d) that have them; None where dissimilarities were given."""
        compared = getattr(getattr(self, "near", self), "compared", None)
        return None if compared is None or compared.rows is None else (self.points, compared.rows)

    def dissimilarities(self, some: Whole) -> Floats:
        """What the map shows of the pairs of some objects, (s, s)."""
        raise TypeError(f"{type(self).__name__} does not define dissimilarities")
