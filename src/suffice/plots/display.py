"""What every picture has in common: it draws itself on an axes, and gives its numbers as a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from ..typing import Axes, AxesLike, Figure, SubFigure

Columns = dict[str, NDArray[Any]]


class Display(ABC):
    """A picture made of plain numbers; `plot` sets `ax_`, its axes or a list of them, and `figure_`.

    The numbers are computed once, by a classmethod `from_…`, which also draws: on `ax`, on a new figure where there is
    none, and not at all where `ax` is False. Whoever draws, `plot` or another renderer, computes nothing.
    """

    members: ClassVar[list[type[Display]]] = []
    ax_: Any
    figure_: Figure | SubFigure | None

    def __init_subclass__(cls) -> None:
        Display.members.append(cls)

    def drawn(self, ax: AxesLike = None) -> Self:
        """This display, drawn on `ax` or a new figure; not drawn where `ax` is False."""
        return self if ax is False else self.plot(ax)

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""

    @abstractmethod
    def table(self) -> Columns:
        """What is shown, as columns of equal length by name: ready for a frame of any library."""

    def __repr__(self) -> str:
        columns = self.table()
        n = len(next(iter(columns.values())))
        return f"{type(self).__name__}({n} {'row' if n == 1 else 'rows'} of {', '.join(columns)})"
