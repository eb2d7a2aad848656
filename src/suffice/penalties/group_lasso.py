"""The group lasso's penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidParameter
from ..holds import number, optional, tuples, whole
from ..typing import Floats, NumberLike, Whole
from .base import Penalty, check_strength, steps


@dataclass(frozen=True)
class GroupLasso(Penalty):
    """The group lasso, λ Σ_g √|g| ‖w_g‖: the slopes of a group, such as the columns of one category, are 0 together.

    `groups` numbers the group of each column from 0; without it every column is a group by itself.

    >>> GroupLasso(1.0, (0, 0, 1)).value(np.array([3.0, 4.0, 2.0])).__round__(4)
    9.0711
    """

    strength: float = 1.0
    groups: tuple[int, ...] | None = None
    names: ClassVar = ("group_lasso",)
    is_separable: ClassVar = False
    holds: ClassVar = {"strength": number(at_least=0), "groups": optional(tuples(whole(at_least=0)))}

    def __post_init__(self) -> None:
        check_strength(self)
        if self.groups is None:
            return
        found = np.asarray(self.groups)
        if found.dtype.kind not in "iu" or found.ndim != 1 or not found.size or found.min() < 0:
            raise InvalidParameter(f"GroupLasso: groups must be a whole number from 0 a column; got {self.groups!r}.")
        object.__setattr__(self, "groups", tuple(found.tolist()))

    def _norms(self, w: Floats) -> tuple[Whole, Floats, Floats]:
        """The group of each column (p,), the norm of each group's slopes (g,), and √ its size (g,)."""
        group = np.arange(len(w), dtype=np.int64) if self.groups is None else np.asarray(self.groups, np.int64)
        squares = w * w if w.ndim == 1 else np.sum(w * w, axis=1)
        size = np.bincount(group) * (1 if w.ndim == 1 else w.shape[1])
        return group, np.sqrt(np.bincount(group, squares)), np.sqrt(size)

    def value(self, w: Floats) -> float:
        _, norm, root = self._norms(w)
        return self.strength * float(root @ norm)

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        each = steps(step, v)
        if each.size > 1 and each.min() != each.max():
            raise InvalidParameter("GroupLasso: has no closed form for steps that differ by column.")
        group, norm, root = self._norms(v)
        by = float(each.flat[0]) * self.strength * root
        kept = np.maximum(norm - by, 0.0) / np.where(norm > 0, norm, 1.0)
        return np.asarray(v * (kept[group] if v.ndim == 1 else kept[group][:, None]))

    def largest(self, gradient: Floats) -> float:
        _, norm, root = self._norms(gradient)
        some = root > 0
        return float(np.max(norm[some] / root[some], initial=0.0))

    def check_columns(self, p: int, owner: str) -> None:
        if self.groups is not None and len(self.groups) != p:
            raise InvalidParameter(f"{owner}: GroupLasso has groups of {len(self.groups)} columns; X has {p}.")

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        return cls(0.4), cls(0.7, tuple(int(j) // 2 for j in range(p)))
