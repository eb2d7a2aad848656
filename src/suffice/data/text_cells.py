"""Which cell makes a column of a file one of text."""

from __future__ import annotations

from dataclasses import dataclass

from .arrow import is_number, text
from .file_source import FileSource, batches


@dataclass(frozen=True)
class TextCell:
    """A cell of text and its place, and how many of the cells around it that are not missing are numbers."""

    place: str
    value: str
    numbers: int
    present: int

    @property
    def among_numbers(self) -> bool:
        """Whether most of the others are numbers."""
        return 2 * self.numbers > self.present


def first_text(source: FileSource, name: str) -> TextCell:
    """The first cell of a column that is no number, among the first rows."""
    file, row, batch = next(batches(source.files, (name,)))
    cells = text(batch.column(name)).to_pylist()
    at = next((i for i, cell in enumerate(cells) if cell is not None and not is_number(cell)), 0)
    present = [cell for cell in cells if cell is not None]
    return TextCell(f"row {row + at + 1} of {file.stamp}", cells[at], sum(map(is_number, present)), len(present))
