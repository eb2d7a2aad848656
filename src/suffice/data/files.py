"""Files on disk: which ones a path or pattern means, and whether they are still what they were."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from ..errors import InvalidData, SourceChanged, did_you_mean
from ..typing import RecordBatch

Format = Literal["csv", "parquet"]
PathLike = str | os.PathLike[str]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".txt.gz": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}


class TableFile(Protocol):
    """One file that holds a table."""

    @property
    def stamp(self) -> FileStamp:
        """The file as `scan` saw it."""

    @property
    def fields(self) -> Any:
        """Column names and types, a pyarrow.Schema."""

    @property
    def n_rows(self) -> int | None:
        """The number of rows, where it is known without reading them."""

    def about_rows(self) -> int | None:
        """About how many rows there are, where that can be said without reading them."""

    @property
    def integers(self) -> frozenset[str]:
        """The columns of whole numbers that are read as float64."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How it is read, where that is not obvious."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """Columns that look like something else than what they are read as, a sentence each."""

    @property
    def examples(self) -> Mapping[str, str]:
        """How numbers and dates are written that are written for people, an example for each column."""

    @property
    def index(self) -> tuple[str, ...]:
        """Columns that only name the rows."""

    @property
    def first_row(self) -> int:
        """The number of rows before these: not 0 in a part of a file."""

    def parts(self) -> Sequence[TableFile]:
        """Runs of rows, in order, that can be read by themselves."""

    def held_bytes(self, columns: Sequence[str]) -> int:
        """About how much memory it takes to read these columns."""

    @property
    def batches_a_chunk(self) -> int:
        """How many batches make a chunk worth a call of a kernel."""

    def batches(self, columns: Sequence[str]) -> Iterator[RecordBatch]:
        """These columns, in this order, as pyarrow.RecordBatches, in row order."""


@dataclass(frozen=True)
class FileStamp:
    """A file and what it was when first seen: a later look at another size, time or inode is an error."""

    name: str  # as the user gave it, for messages
    path: str  # absolute, so that a change of folder does no harm
    size: int
    modified_ns: int
    inode: int

    def check(self) -> None:
        """Refuse a file that changed or vanished since."""
        try:
            found = os.stat(self.path)
        except OSError:
            raise SourceChanged(f"{self.name} vanished while it was in use; put it back and scan it again.") from None
        if (found.st_size, found.st_mtime_ns, found.st_ino) != (self.size, self.modified_ns, self.inode):
            raise SourceChanged(
                f"{self.name} changed since it was scanned; scan it again once it is complete."
            ) from None

    def __str__(self) -> str:
        return self.name


def format_of(name: str) -> Format | None:
    """The format that the ending of a file name stands for.

    >>> format_of("a/b.CSV"), format_of("b.pq"), format_of("b.xls")
    ('csv', 'parquet', None)
    """
    lower = os.path.basename(name).lower()
    return next((kind for ending, kind in _FORMATS.items() if lower.endswith(ending)), None)


def find_files(paths: PathLike | Sequence[PathLike]) -> tuple[list[FileStamp], Format]:
    """The files that a path, a pattern or a list of them means, and their common format."""
    wanted = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not wanted:
        raise InvalidData("scan: the list of files is empty; give at least one path.")
    stamps = [_stamp(name) for path in wanted for name in _expand(os.path.expanduser(os.fspath(path)))]
    formats = {stamp.name: _known_format(stamp) for stamp in stamps}
    if len(set(formats.values())) > 1:
        one, other = (next(name for name, kind in formats.items() if kind == f) for f in ("csv", "parquet"))
        raise InvalidData(f"scan: {one} is CSV and {other} is Parquet; scan files of one format at a time.")
    return stamps, formats[stamps[0].name]


def _here() -> str:
    """The folder that relative names begin in."""
    try:
        return os.getcwd()
    except OSError:
        return "one that is not there any more"


def _expand(name: str) -> list[str]:
    if os.path.exists(name) or not any(letter in name for letter in "*?["):
        return [name]
    found = sorted(match for match in glob.glob(name, recursive=True) if os.path.isfile(match))
    if not found:
        raise InvalidData(f"scan: no file matches {name!r}; check the folder ({_here()}) and the pattern.")
    return found


def _stamp(name: str) -> FileStamp:
    try:
        found = os.stat(name)
    except OSError:
        raise InvalidData(f"scan: there is no file {name!r}.{_near(name)} The folder now is {_here()}.") from None
    if os.path.isdir(name):
        raise InvalidData(
            f"scan: {name!r} is a folder, not a file; give a pattern such as {os.path.join(name, '*.csv')!r}."
        )
    if not os.access(name, os.R_OK):
        raise InvalidData(f"scan: {name} may not be read; ask for the right to read it.")
    if found.st_size == 0:
        raise InvalidData(f"scan: {name} is empty (0 bytes); a header and at least one row are needed.")
    return FileStamp(name, os.path.abspath(name), found.st_size, found.st_mtime_ns, found.st_ino)


def _near(name: str) -> str:
    return did_you_mean(os.path.basename(name), entries(Path(name).parent))


def entries(folder: PathLike = ".") -> list[str]:
    """The names in a folder, sorted; none where it is not there or may not be looked into."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _known_format(stamp: FileStamp) -> Format:
    kind = format_of(stamp.name)
    if kind is None:
        raise InvalidData(
            f"scan: the format of {stamp} is not known from its name; known endings: {', '.join(_FORMATS)}."
        )
    return kind
