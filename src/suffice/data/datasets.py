"""The tables that come with the library, for examples, tests and teaching.

>>> crabs = load("crabs")
>>> crabs.features
('FL', 'RW', 'CL', 'CW', 'BD')
>>> crabs.matrix().shape
(200, 5)
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, did_you_mean, needed

Column = NDArray[Any]

# Per library: how a table is built from the imported module, and the extra that installs the module.
_FRAMES: dict[str, tuple[Callable[[Any, dict[str, Column]], Any], str]] = {
    "pandas": (lambda module, columns: module.DataFrame(columns), "pandas"),
    "polars": (lambda module, columns: module.DataFrame(columns), "polars"),
    "pyarrow": (lambda module, columns: module.table(columns), "files"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table with its description: columns by name, units, meanings and origin.

    The columns cannot be written to: numbers are float64 and categories are strings.
    `target` names the column that is usually predicted, `label` the one that only names the rows, and
    `features` the numeric columns that a model usually learns from.
    """

    name: str
    title: str
    description: str
    origin: str
    licence: str
    target: str | None
    label: str | None
    features: tuple[str, ...]
    columns: Mapping[str, Column]
    units: Mapping[str, str]
    meanings: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all the columns, in the order of the table."""
        return tuple(self.columns)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> Column:
        """Return one column by its name; it cannot be written to."""
        if name not in self.columns:
            raise InvalidData(_unknown("column", name, self.names, f" in {self.name!r}"))
        return self.columns[name]

    def matrix(self, columns: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Return numeric columns, by default `features`, as a new matrix with the rows of the table."""
        chosen = self.features if columns is None else (columns,) if isinstance(columns, str) else columns
        out = np.empty((self.n_rows, len(chosen)), dtype=np.float64)
        for j, name in enumerate(chosen):
            out[:, j] = self._numeric(name)
        return out

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a copy of the table as a frame of "pandas" or "polars", or as a table of "pyarrow"."""
        if library not in _FRAMES:
            raise InvalidData(_unknown("library", library, tuple(_FRAMES)))
        build, extra = _FRAMES[library]
        return build(needed(library, extra), {name: values.copy() for name, values in self.columns.items()})

    def _numeric(self, name: str) -> NDArray[np.float64]:
        """Return one column, which has to hold numbers."""
        values = self[name]
        if values.dtype != np.float64:
            numeric = ", ".join(key for key, column in self.columns.items() if column.dtype == np.float64)
            raise InvalidData(f"Column {name!r} of {self.name!r} holds names, not numbers. Numeric columns: {numeric}.")
        return values

    def __repr__(self) -> str:
        shown = (f"{name} [{self.units[name]}]" if self.units[name] else name for name in self.names)
        lines = [
            f"{self.title} ({self.name!r}): {self.n_rows} rows x {len(self.columns)} columns",
            f"  columns: {', '.join(shown)}",
            *(f"  {role}: {name}" for role, name in (("target", self.target), ("label", self.label)) if name),
            f"  origin: {self.origin}",
        ]
        return "\n".join(lines)


def names() -> tuple[str, ...]:
    """The names of the tables that `load` knows, in alphabetical order.

    >>> names()
    ('crabs', 'faithful', 'iris', 'play_tennis', 'us_city_distances', 'usarrests', 'xclara')
    """
    found = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in found if name.endswith(".json")))


def load(name: str) -> Dataset:
    """Read one of the bundled tables.

    >>> load("iris")
    Iris flowers ('iris'): 150 rows x 5 columns
      columns: sepal_length [cm], sepal_width [cm], petal_length [cm], petal_width [cm], species
      target: species
      origin: ...
    """
    known = names()
    if name not in known:
        raise InvalidData(_unknown("table", name, known))
    about = json.loads(_folder().joinpath(f"{name}.json").read_text(encoding="utf-8"))
    fields: dict[str, dict[str, str]] = about["columns"]
    columns = _read_columns(name, {key: field["kind"] for key, field in fields.items()})
    return Dataset(
        name=name,
        **{key: about[key] for key in ("title", "description", "origin", "licence", "target", "label")},
        features=tuple(about.get("features") or _features(about)),
        columns=MappingProxyType(columns),
        units=MappingProxyType({key: field["unit"] for key, field in fields.items()}),
        meanings=MappingProxyType({key: field["meaning"] for key, field in fields.items()}),
    )


def path(name: str) -> str:
    """Where the CSV file of a bundled table is."""
    return str(_folder().joinpath(f"{name}.csv"))


def _folder() -> Traversable:
    """The folder that holds the tables, wherever the package is installed."""
    return files("suffice.data").joinpath("tables")


def _features(about: Mapping[str, Any]) -> list[str]:
    """The numeric columns that are neither the target nor the label."""
    kept = (key for key, field in about["columns"].items() if field["kind"] == "numeric")
    return [key for key in kept if key not in (about["target"], about["label"])]


def _read_columns(name: str, kinds: Mapping[str, str]) -> dict[str, Column]:
    """Read the columns of a table as arrays that cannot be written to."""
    text = _folder().joinpath(f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    columns: dict[str, Column] = {}
    for key, cells in zip(header, zip(*rows, strict=True), strict=True):
        columns[key] = np.array(cells, dtype=np.float64 if kinds[key] == "numeric" else np.str_)
        columns[key].flags.writeable = False
    return columns


def _unknown(what: str, word: str, known: Sequence[str], where: str = "") -> str:
    """The message for a name that is not known, with a hint and the names that are."""
    hint = did_you_mean(word, list(known))
    return f"There is no {what} {word!r}{where}.{hint} Known: {', '.join(known)}."
