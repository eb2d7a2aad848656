"""Columns of the input that stand beside results: those that --keep names, and those that name each row."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from ._tables import columns_in

if TYPE_CHECKING:
    from ..description import Description

KEEP = click.option("--keep", help="Columns of DATA to write as well, with commas between, or all.")


def kept_names(
    keep: str | None, described: Description, used: Collection[str | None], remembered: Collection[str] = ()
) -> list[str]:
    """The columns to write beside results; without --keep those that no model uses and that name the rows.

    Few rows do not tell which columns name them: `remembered` are those that did in the rows of the fit.
    """
    from ..errors import InvalidData, did_you_mean

    known = [column.name for column in described.columns]
    if keep is None:
        unused = [column for column in described.columns if column.name not in used]
        ids = (*described.ids, *remembered)
        return [c.name for c in unused if c.name in ids or getattr(c, "distinct", 0) == described.rows > 1]
    if keep == "all" and "all" not in known:
        return known
    wanted = columns_in(keep, known) or ()
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        raise InvalidData(
            f"--keep: {described.title} has no column {unknown!r}.{did_you_mean(unknown, known)} Its columns: "
            f"{', '.join(known)}."
        )
    return list(wanted)
