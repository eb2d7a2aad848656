"""A model that was kept, and the rows that it is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ._keeping import kept_names
from ._tables import Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from ..estimator import Estimator
    from ..persist import Training
    from ..typing import TableLike


_SEEN = "these seem to be the rows of the fit: how well a model tells them says little about new rows"


@dataclass(frozen=True)
class Asked:
    """The rows that a model is asked about; columns `kept` and the target, where there is one, stand `beside`."""

    model: Estimator
    about: Training | None
    rows: TableLike
    kept: list[str]
    target: str | None
    beside: Mapping[str, pa.ChunkedArray]

    @classmethod
    def of(cls, stack: ExitStack, path: str, keep: str | None, options: dict[str, Any]) -> Asked:
        """The model of a file and the table of a command; what differs from the rows of the fit is said on stderr."""
        from ..persist import load, load_training

        model, about = load(path), load_training(path)
        table = Reading(stack, **options)
        if about is not None:
            table.check_holds([column.name for column in about.columns], path)
            table.expect({column.name: column.declared for column in about.columns})
        described, names = table.described(), tuple(getattr(model, "feature_names_in_", ()))
        target = table.target or (about.target if about else None)
        kept = kept_names(keep, described, (*names, target), about.ids if about else ()) if names else []
        truth = target if target in [column.name for column in described.columns] else None
        table.target = None if about is not None else table.target
        beside = table.columns(list(dict.fromkeys([*kept, *([truth] if truth else [])])))
        rows = table.rows(names) if _has_dates(about) else table.source(categories=True, columns=names or None)
        for said in [] if about is None else about.drift(described):
            click.echo(f"suffice: warning: {said}.", err=True)
        if about is not None and truth is not None and about.seems_same(described):
            click.echo(_SEEN, err=True)
        return cls(model, about, rows, kept, truth, beside)  # type: ignore[arg-type]

    @property
    def named(self) -> dict[str, object]:
        """The columns that stand before results."""
        return {name: self.beside[name] for name in self.kept}


def _has_dates(about: Training | None) -> bool:
    return about is not None and any(column.kind == "date" for column in about.columns)
