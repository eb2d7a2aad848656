"""How the columns of a CSV file are written, from the text of its first rows. Needs pyarrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ..text import counted, listed
from .written import COMPACT, DATES, MARKS, UNITS, Written, WrittenDate, WrittenNumber, is_unit

_MOSTLY = 0.9  # of the cells must be numbers before others among them are strange
_ENOUGH = 10  # numbers
_NAMED = 3  # strange cells that a sentence names
_UNIT = f"(?:{'|'.join(map(re.escape, UNITS))})"
_ANY_NUMBER = (
    rf"^[-+\x{{2212}}(]?(?:{_UNIT}\s?)?[-+]?(?:[1-9]\d{{0,2}}(?:[,. '\x{{a0}}\x{{202f}}]\d{{3}})+|\d+)(?:[.,]\d*)?"
    rf"(?:[eE][-+]?\d+)?(?:\s?{_UNIT})?\)?$"
)
_ONLY_THOUSANDS = r"^[-+]?(?:\d{1,3}|[1-9]\d{0,2}(?:\.\d{3})+)$"
_AFFIXED = re.compile(rf"[-+\u2212(]?(?P<prefix>{_UNIT})?\s?[-+\u2212]?\d[\d.,'\s]*?\s?(?P<suffix>{_UNIT})?\)?")


_WITH_UNIT = re.compile(r"(?P<prefix>)[-+\u2212]?\d[\d.,'\s]*(?P<suffix>\s[^\s\d]\S*)")
_ANY_DATE = r"^(?:\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|\d{4}[-/.]\d{1,2}[-/.]\d{1,2})(?:[ T]\d{1,2}:\d{2}.*)?$"


@dataclass(frozen=True)
class Recognised:
    """How columns are written, and columns that are text though Arrow takes them for numbers.

    `notes` say so, and `doubts` what looks like numbers or dates and is not read as such.
    """

    written: dict[str, Written]
    texts: tuple[str, ...]
    notes: tuple[str, ...]
    doubts: tuple[str, ...]


def recognise(
    texts: Mapping[str, pa.Array], native: Mapping[str, pa.DataType], delimiter: str, decimal: str, thousands: str
) -> Recognised:
    """How columns are written whose cells, as text, are these; `native` are the types that Arrow gives them.

    Marks that were given ("" where not) decide where cells can be read in two ways, or else other columns do.
    """
    codes = tuple(name for name, column in texts.items() if _is_whole(native.get(name)) and _are_codes(column))
    open_ = {name: distinct(column) for name, column in texts.items() if _is_text(native.get(name)) and len(column)}
    numbers = {name: number_readings(column) for name, column in open_.items()}
    dates = {name: date_readings(column) for name, column in open_.items()}
    points = [n for n in texts if pa.types.is_floating(native.get(n, pa.null()))] if any(numbers.values()) else []
    thin = {name for name in points if _all(distinct(texts[name]), _ONLY_THOUSANDS)}
    given = decimal or {",": ".", ".": ","}.get(thousands, "")
    if given:
        numbers = {name: [way for way in ways if way.decimal == given] for name, ways in numbers.items()}
    mark = given or _decimal(numbers.values(), len(points) > len(thin), delimiter)
    day_first = _day_first(dates.values())
    written: dict[str, Written] = {}
    doubts: list[str] = []
    for name in open_:
        one = _number(numbers[name], mark) or _date(dates[name], day_first)
        if one is not None:
            written[name] = one
        else:
            doubts += _doubt(name, numbers[name], dates[name], texts[name])
    if mark == ",":
        written |= {name: WrittenNumber(",", ".") for name in thin}
    whole = [name for name in texts if _is_whole(native.get(name)) and name not in codes]
    written |= {name: COMPACT for name in whole if _are_compact_days(distinct(texts[name]))}
    return Recognised(written, codes, (*_said(written), *_said_codes(codes)), tuple(doubts))


def _number(ways: list[WrittenNumber], mark: str) -> WrittenNumber | None:
    """The one way to read numbers, by the mark of other columns where there are more; None where that is open."""
    if len(ways) > 1 and mark:
        ways = [way for way in ways if way.decimal == mark]
    return ways[0] if len({way.thousands for way in ways}) == 1 else None


def _date(ways: list[WrittenDate], day_first: bool | None) -> WrittenDate | None:
    if len(ways) > 1 and day_first is not None:
        ways = [way for way in ways if _is_day_first(way) == day_first]
    return ways[0] if len(ways) == 1 else None


def distinct(column: pa.Array) -> pa.Array:
    """The different cells that are not missing, without spaces around."""
    return pc.unique(pc.utf8_trim_whitespace(column.drop_null()))


def number_readings(cells: pa.Array) -> list[WrittenNumber]:
    """All ways to read every cell as a number, the plainest first; more than one where marks may mean two things."""
    found = _AFFIXED.fullmatch(cells[0].as_py()) or _WITH_UNIT.fullmatch(cells[0].as_py())
    if found is None or (found["prefix"] and found["suffix"]):
        return []
    units = {"prefix": found["prefix"] or "", "suffix": (found["suffix"] or "").strip()}
    if units["suffix"] not in ("", *UNITS) and not is_unit(found["suffix"]):
        return []
    fitting = [w for w in (WrittenNumber(d, t, **units) for d, t in MARKS) if _all(cells, w.pattern)]
    if len(fitting) == len(MARKS):  # no marks at all
        return fitting[:1]
    used = [w for w in fitting if not w.thousands or _uses(cells, w)]
    return [w for w in used if w.thousands or not any(o.thousands and o.decimal == w.decimal for o in used)]


def date_readings(cells: pa.Array) -> list[WrittenDate]:
    """All ways to read every cell as a date."""
    first = cells[0].as_py()
    likely = [date for date in DATES if re.fullmatch(date.pattern, first)] if re.search(r"\d", first) else []
    return [date for date in likely if not date.read(cells).null_count and not _are_seasons(cells)]


def _are_seasons(cells: pa.Array) -> bool:
    """Whether each cell is a year and the next one, such as 2010-11: a season, and no month."""
    if not _all(cells, r"^\d{4}[-/]\d{2}$"):
        return False
    parts = [(int(cell[2:4]), int(cell[5:])) for cell in cells.to_pylist()]
    return len(parts) > 1 and all((year + 1) % 100 == after for year, after in parts)


def _are_compact_days(cells: pa.Array) -> bool:
    """Whether whole numbers are days of 1900 to 2099 without marks, such as 20240131; few numbers say nothing."""
    if len(cells) < _ENOUGH or not _all(cells, r"^(?:19|20)\d{6}$"):
        return False
    return not COMPACT.read(cells).null_count


def _uses(cells: pa.Array, way: WrittenNumber) -> bool:
    apart = "[ \u00a0\u2009\u202f]" if way.thousands == " " else re.escape(way.thousands)
    return _some(cells, rf"\d{apart}\d{{3}}")


def _decimal(readings: Iterable[list[WrittenNumber]], has_points: bool, delimiter: str) -> str:
    """The decimal mark that columns agree on that can be read in one way alone; "" where they do not."""
    sure = {ways[0].decimal for ways in readings if ways and len({w.decimal for w in ways}) == 1 and _has_mark(ways[0])}
    sure |= {"."} if has_points else set()
    if len(sure) == 1:
        return sure.pop()
    return "." if not sure and delimiter == "," else ""


def _has_mark(way: WrittenNumber) -> bool:
    return bool(way.thousands) or way.decimal == ","


def _day_first(readings: Iterable[list[WrittenDate]]) -> bool | None:
    """Whether days come before months in all columns that can be read in one way alone; None where they differ."""
    sure = {_is_day_first(ways[0]) for ways in readings if len(ways) == 1} - {None}
    return sure.pop() if len(sure) == 1 else None


def _is_day_first(date: WrittenDate) -> bool | None:
    return {("dd", "mm"): True, ("mm", "dd"): False}.get((date.example[:2], date.example[3:5]))


def _doubt(name: str, numbers: list[WrittenNumber], dates: list[WrittenDate], column: pa.Array) -> list[str]:
    """What to say of a column that stays text, though it looks like numbers or dates."""
    cell = column.drop_null()[0].as_py()
    for what, ways in (("numbers", numbers), ("dates", dates)):
        if ways:
            choices = " or ".join(f"types={{{name!r}: {str(way)!r}}}" for way in ways)
            return [f"column {name!r} looks like {what} such as {cell!r}, which can be read in two ways; say {choices}"]
    return odd_dates(name, column) or strays(name, column)


def odd_dates(name: str, column: pa.Array) -> list[str]:
    """That dates are not all written alike, or that a few cells among them are none, where that is so.

    >>> odd_dates("day", pa.array(["2020-01-31", "31/01/2020"] * 5))
    ["column 'day' looks like dates that are not all written alike ('2020-01-31', '31/01/2020')"]
    """
    present = pc.utf8_trim_whitespace(column.drop_null())
    dates = present.filter(pc.match_substring_regex(present, _ANY_DATE))
    if len(dates) < _ENOUGH or len(dates) < _MOSTLY * len(present):
        return []
    other = present.filter(pc.invert(pc.match_substring_regex(present, _ANY_DATE)))
    if len(other):
        return _among(name, "dates", other)
    shapes = pc.replace_substring_regex(dates, r"\d", "0")
    unlike = [dates[i].as_py() for i in pc.index_in(pc.unique(shapes), value_set=shapes).to_pylist()[:2]]
    return [f"column {name!r} looks like dates that are not all written alike ({', '.join(map(repr, unlike))})"]


def strays(name: str, column: pa.Array) -> list[str]:
    """That a few cells among numbers are none, or that numbers are not all written alike, where that is so.

    >>> strays("x", pa.array([*map(str, range(19)), "?!"]))
    ["column 'x' looks like numbers with 1 other cell among them ('?!'); if it means missing, say missing=['?!', …]"]
    """
    present = pc.utf8_trim_whitespace(column.drop_null())
    numbers = present.filter(pc.match_substring_regex(present, _ANY_NUMBER))
    other = present.filter(pc.invert(pc.match_substring_regex(present, _ANY_NUMBER)))
    if len(numbers) < _ENOUGH or len(numbers) < _MOSTLY * len(present):
        return []
    if not len(other):
        plain = pc.match_substring_regex(numbers, r"^[-+]?\d+\.?\d*$")
        two = [part[0].as_py() for part in (numbers.filter(plain), numbers.filter(pc.invert(plain))) if len(part)]
        return [f"column {name!r} looks like numbers that are not all written alike ({', '.join(map(repr, two))})"]
    return _among(name, "numbers", other)


def _among(name: str, what: str, other: pa.Array) -> list[str]:
    """That some cells among numbers or dates are none."""
    words = pc.unique(other).to_pylist()
    shown = ", ".join(map(repr, words[:_NAMED])) + (", …" if len(words) > _NAMED else "")
    means = "it means" if len(words) == 1 else "they mean"
    wanted = ", ".join(map(repr, words[:_NAMED]))
    return [
        f"column {name!r} looks like {what} with {counted(len(other), 'other cell')} among them ({shown}); if "
        f"{means} missing, say missing=[{wanted}, …]"
    ]


def _said(written: Mapping[str, Written]) -> list[str]:
    """How columns were read, those alike in one sentence."""
    alike: dict[str, list[str]] = {}
    for name, way in written.items():
        what = "numbers" if isinstance(way, WrittenNumber) else "dates"
        alike.setdefault(f"{what} written like {way}", []).append(repr(name))
    return [f"read as {words}: {listed(names)}" for words, names in alike.items()]


def _said_codes(names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    shown = listed([repr(name) for name in names])
    return [f"taken as categories, since numbers that begin with 0 are codes: {shown}"]


def _is_text(type_: pa.DataType | None) -> bool:
    return type_ is not None and pa.types.is_string(type_)


def _is_whole(type_: pa.DataType | None) -> bool:
    return type_ is not None and pa.types.is_integer(type_)


def _are_codes(cells: pa.Array) -> bool:
    """Whether all cells have as many digits, at least three, and some begin with 0: post codes, not quantities.

    Neither are those that begin with 0x.
    """
    present = distinct(cells)
    if _some(present, "^[-+]?0[xX]"):
        return True
    lengths = pc.min_max(pc.utf8_length(present)).as_py()
    return lengths["min"] == lengths["max"] >= 3 and _some(present, r"^0\d+$")


def _all(cells: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(cells, pattern)).as_py())


def _some(cells: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())
