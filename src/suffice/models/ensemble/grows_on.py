"""Ensembles of trees that a fit may add to."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Schema
from ...errors import InvalidData
from ...estimator import declares
from ...growth import Trees
from ...holds import instance
from ...params import param
from ...typing import Labels
from ..tree.base import TreeColumns


@declares
class GrowsOn(TreeColumns):
    """Base: with `warm_start`, the trees of the last fit stay where the columns, classes and targets are the same."""

    warm_start: bool = param(False, choices=(True, False), doc="Whether to keep the trees there are and add others.")

    holds: ClassVar = {"_grown_on": instance(Schema, d="d")}
    _grown_on: ClassVar[Schema]  # the columns of the trees; set by a fit

    def _standing(self, width: int, classes: Labels | None = None) -> Trees | None:
        """The trees that stay, None where there are none; nodes say `width` numbers."""
        if not (self.warm_start and hasattr(self, "trees_")):
            return None
        differ = {
            "columns, or categories": self._grown_on != self._schema,
            "classes": classes is not None and not np.array_equal(classes, self.__dict__["classes_"]),
            "targets": self.trees_.value.shape[1] != width,
        }
        refuse_others(type(self).__name__, "trees", differ)
        return self.trees_


def refuse_others(owner: str, members: str, differ: dict[str, bool]) -> None:
    """Raise where what the members of the last fit learned from differs from what this one is given.

    >>> refuse_others("Forest", "trees", {"classes": False})
    """
    for what, other in differ.items():
        if other:
            raise InvalidData(
                f"{owner}: warm_start=True adds to the {members} of the last fit, which are of other {what}; set "
                "warm_start=False to begin anew."
            )
