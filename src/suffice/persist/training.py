"""What a model learned from, in a few figures a column: kept in its file, and compared with the rows it is used on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data.written import written_like
from ..description import ColumnDescription, Description
from ..description.described import CategoryColumn, NumberColumn, OrdinalColumn
from ..errors import InvalidData
from ..holds import require
from ..text import counted, figure

MOST_VALUES = 1_000  # categories of a column that are remembered
_BEYOND = 0.1  # of the range of a column: values farther outside are told
_RARER = 0.1  # by so much more of a column must be missing
_NAMED = 5  # categories that a sentence names


@dataclass(frozen=True)
class TrainingColumn:
    """A column as the fit saw it; `values` are all categories, None where there are too many or it has none."""

    name: str
    kind: str
    missing: float
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] | None = None
    levels: tuple[str, ...] = ()
    written: str = ""
    """An example of how its numbers or dates are written, where that is for people."""

    @property
    def declared(self) -> str | tuple[str, ...]:
        """The column as `types` of `scan` says it."""
        return self.levels or self.written or self.kind


@dataclass(frozen=True)
class Training:
    """The table of a fit: its columns, its target, and within which distance of the target new rows were predicted.

    `within` is the distance that a share `level` of the rows kept when each was predicted by a model that had not
    learned from it.
    """

    rows: int
    columns: tuple[TrainingColumn, ...]
    target: str | None = None
    within: float | None = None
    level: float = 0.9
    ids: tuple[str, ...] = ()
    """Columns that were not learned from and name the rows."""

    @classmethod
    def of(
        cls, described: Description, names: Sequence[str], target: str | None, within: float | None = None
    ) -> Training:
        """The record of a table that was described with `MOST_VALUES` categories a column."""
        found = {column.name: column for column in described.columns}
        columns = tuple(_column(found[name], described.written.get(name, "")) for name in names)
        ids = tuple(name for name in described.ids if name not in (*names, target))
        return cls(described.rows, columns, target, within, ids=ids)

    def drift(self, new: Description) -> list[str]:
        """What is otherwise in other rows than in those of the fit, a sentence each."""
        found = {column.name: column for column in new.columns}
        return [said for own in self.columns if own.name in found for said in _changes(own, found[own.name])]

    def seems_same(self, new: Description) -> bool:
        """Whether rows are as many as those of the fit, and have the same ends, categories and gaps in each column."""
        found = {column.name: column for column in new.columns}
        if new.rows != self.rows or not self.columns or not all(own.name in found for own in self.columns):
            return False
        again = [_column(found[own.name], own.written) for own in self.columns]
        return all(
            (own.missing, own.low, own.high, own.values) == (one.missing, one.low, one.high, one.values)
            for own, one in zip(self.columns, again, strict=True)
        )

    def packed(self) -> dict[str, object]:
        """The record as JSON holds it."""
        return dataclasses.asdict(self)

    @classmethod
    def unpacked(cls, held: Any) -> Training:
        """The record from JSON, every entry checked."""
        known = {field.name for field in dataclasses.fields(cls)}
        require(isinstance(held, dict) and held.keys() | {"ids"} == known, "training is none")  # older ones have no ids
        require(_are_texts(held.get("ids", [])), "training holds ids that are no names")
        columns = held["columns"]
        require(isinstance(columns, list) and all(map(_is_column, columns)), "training holds columns that are none")
        require(_is_whole(held["rows"]) and _is_number(held["level"]), "training has no number of rows")
        require(_is_optional(held["target"], str) and (held["within"] is None or _is_number(held["within"])),
                "training has no target")  # fmt: skip
        made = tuple(TrainingColumn(**{key: _tuples(value) for key, value in one.items()}) for one in columns)
        return cls(**{**held, "columns": made, "ids": tuple(held.get("ids", ()))})


def _tuples(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_optional(value: object, kind: type) -> bool:
    return value is None or isinstance(value, kind)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_column(held: Mapping[str, object]) -> bool:
    known = {field.name for field in dataclasses.fields(TrainingColumn)}
    if not isinstance(held, dict) or held.keys() | {"written"} != known:  # files of before have no `written`
        return False
    if not isinstance(held.get("written", ""), str) or (held.get("written") and not written_like(str(held["written"]))):
        return False
    texts = isinstance(held["name"], str) and held["kind"] in ("numeric", "boolean", "categorical", "ordinal", "date")
    ends = all(held[key] is None or _is_number(held[key]) for key in ("low", "high"))
    lists = (held["values"] is None or _are_texts(held["values"])) and _are_texts(held["levels"])
    return texts and ends and lists and _is_number(held["missing"])


def _column(found: ColumnDescription, written: str) -> TrainingColumn:
    missing = found.missing / found.rows if found.rows else 0.0
    if isinstance(found, NumberColumn):
        known = found.minimum == found.minimum
        low, high = (found.minimum, found.maximum) if known else (None, None)
        return TrainingColumn(found.name, "numeric", missing, low, high, written=written)
    if isinstance(found, OrdinalColumn):
        levels = tuple(share.value for share in found.levels)
        return TrainingColumn(found.name, "ordinal", missing, values=levels, levels=levels)
    if isinstance(found, CategoryColumn):
        whole = found.exact and len(found.top) == found.distinct
        values = tuple(sorted(share.value for share in found.top)) if whole else None
        return TrainingColumn(found.name, found.kind, missing, values=values)
    return TrainingColumn(found.name, "date", missing, written=written)


def _changes(old: TrainingColumn, new: ColumnDescription) -> list[str]:
    said, share = [], new.missing / new.rows if new.rows else 0.0
    if share > old.missing + _RARER or (share > 0 and old.missing == 0):
        said.append(
            f"{old.name!r} is missing in {share:.1%} of the rows, and was in {old.missing:.1%} of those of the fit"
        )
    if isinstance(new, NumberColumn) and old.low is not None and old.high is not None:
        margin = _BEYOND * (old.high - old.low)
        if new.minimum < old.low - margin or new.maximum > old.high + margin:
            said.append(
                f"{old.name!r} holds values from {figure(new.minimum)} to {figure(new.maximum)}, and the fit saw "
                f"{figure(old.low)} to {figure(old.high)}"
            )
    if isinstance(new, CategoryColumn) and old.values is not None:
        unseen = [one for one in new.top if one.value not in old.values]
        if unseen:
            more = f" and {len(unseen) - _NAMED} more" if len(unseen) > _NAMED else ""
            names = ", ".join(repr(one.value) for one in unseen[:_NAMED])
            said.append(
                f"{old.name!r} holds {names}{more} in {counted(sum(one.count for one in unseen), 'row')}, which the "
                "fit never saw"
            )
    if isinstance(new, OrdinalColumn) and new.unknown:
        said.append(f"{old.name!r} holds {counted(new.unknown, 'cell')} that is none of its levels")
    return said


def check_type(training: object) -> None:
    """Refuse what is no record."""
    if training is not None and not isinstance(training, Training):
        raise InvalidData(f"save: training must be a Training; got {training!r:.80}.")
