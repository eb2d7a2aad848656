"""Numbers and dates as people write them, such as $1,234.5, 12 %, 1.234,5 and 31/12/2020, each given by an example."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from .schema import Kind

if TYPE_CHECKING:
    import pyarrow as pa

MONEY = "$€£¥₹"
UNITS = (*MONEY, "%", "USD", "EUR", "GBP", "CHF")  # what may stand before or after every number of a column
_SPACES = "[ \u00a0\u2009\u202f]"
_SIGN = "[-+\u2212]?"
_EXAMPLE = re.compile(r"(?P<prefix>\D*?)(?:1(?P<thousands>[,.' ]?)234(?:(?P<decimal>[,.])5)?|12)(?P<suffix>\D*)")
_UNIT = re.compile(r"[ \u00a0\u202f](?:[^\W\d_]|[/²³°µ]){1,12}")
_OF_TIME = re.compile(r"\s*(?:am|pm|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)", re.IGNORECASE)
_TOKENS = {  # of dates: what a regular expression and `strptime` call them
    "yyyy": (r"\d{4}", "%Y"),
    "yy": (r"\d{2}", "%y"),
    "mon": ("[A-Za-z]{3,9}", "%b"),
    "mm": (r"\d{1,2}", "%m"),
    "dd": (r"(?P<day>\d{1,2})", "%d"),
    "HH": (r"\d{1,2}", "%H"),
    "hh": (r"\d{1,2}", "%I"),
    "MM": (r"\d{2}", "%M"),
    "SS": (r"\d{2}", "%S"),
    "PM": ("[AaPp][Mm]", "%p"),
}
_TOKEN = re.compile("|".join(_TOKENS))
_DAYS = ("dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd", "dd.mm.yyyy", "yyyy.mm.dd", "dd-mm-yyyy", "mm-dd-yyyy", "dd/mm/yy",
         "mm/dd/yy", "dd.mm.yy", "dd-mon-yyyy", "dd mon yyyy", "mon dd, yyyy", "dd-mon-yy")  # fmt: skip
_MONTHS = ("yyyy-mm", "yyyy/mm", "mm/yyyy", "mon yyyy", "mon-yyyy")
_TIMES = ("", " HH:MM", " HH:MM:SS", " hh:MM PM", " hh:MM:SS PM")


@dataclass(frozen=True)
class WrittenNumber:
    """Numbers with these marks, and with what stands before or after each of them.

    >>> str(WrittenNumber(thousands=",", prefix="$")), str(WrittenNumber(",")), str(WrittenNumber(suffix="%"))
    ('$1,234.5', '1234,5', '12 %')
    """

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""
    kind: ClassVar[Kind] = "numeric"

    def __str__(self) -> str:
        plain = not self.thousands and self.decimal == "." and (self.prefix or self.suffix)
        digits = "12" if plain else f"1{self.thousands}234{self.decimal}5"
        return f"{self.prefix}{digits}{' ' if self.suffix else ''}{self.suffix}"

    @cached_property
    def pattern(self) -> str:
        """A regular expression of all such numbers."""
        apart = _SPACES if self.thousands == " " else re.escape(self.thousands)
        whole = rf"(?:[1-9]\d{{0,2}}(?:{apart}\d{{3}})+|\d+)" if self.thousands else r"\d+"
        mark = re.escape(self.decimal)
        number = rf"(?:{whole}(?:{mark}\d*)?|{mark}\d+)"
        before = f"{re.escape(self.prefix)}{_SPACES}?" if self.prefix else ""
        after = f"{_SPACES}?{re.escape(self.suffix)}" if self.suffix else ""
        signed = f"(?:{_SIGN}{before}|{before}{_SIGN})" if before else _SIGN
        return rf"^(?:{signed}{number}{after}|\({before}{number}{after}\))$"

    def read(self, cells: pa.Array) -> pa.Array:
        """The numbers of cells of text; None where a cell is missing or written otherwise."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = pc.utf8_trim_whitespace(cells)
        held = pc.if_else(pc.match_substring_regex(text, self.pattern), text, None)
        digits = pc.replace_substring_regex(held, rf"[^0-9(\-\x{{2212}}{re.escape(self.decimal)}]", "")
        signed = pc.replace_substring_regex(digits, "[(\u2212]", "-")
        return pc.replace_substring(signed, self.decimal, ".").cast(pa.float64())


@dataclass(frozen=True)
class WrittenDate:
    """Dates of one pattern, such as dd/mm/yyyy.

    >>> WrittenDate("dd/mm/yyyy HH:MM").format
    '%d/%m/%Y %H:%M'
    """

    example: str
    kind: ClassVar[Kind] = "date"

    def __str__(self) -> str:
        return self.example

    @property
    def format(self) -> str:
        """The pattern as `strptime` has it."""
        return _TOKEN.sub(lambda found: _TOKENS[found[0]][1], self.example)

    @cached_property
    def pattern(self) -> str:
        """A regular expression of all such texts, whether they are dates or not."""
        made, end = "", 0
        for found in _TOKEN.finditer(self.example):
            made += re.escape(self.example[end : found.start()]) + _TOKENS[found[0]][0]
            end = found.end()
        return f"^{made}{re.escape(self.example[end:])}$"

    def read(self, cells: pa.Array) -> pa.Array:
        """The moments of cells of text; None where a cell is missing or no such date: there is no 31 February."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = pc.utf8_trim_whitespace(cells)
        if "dd" not in self.example:  # the first of the month
            fits = pc.match_substring_regex(text, self.pattern)
            return pc.strptime(pc.if_else(fits, text, None), self.format, "us", error_is_null=True)
        days = pc.struct_field(pc.extract_regex(text, self.pattern), [0])
        moments = pc.strptime(pc.if_else(pc.is_valid(days), text, None), self.format, "us", error_is_null=True)
        return pc.if_else(pc.equal(days.cast(pa.int64()), pc.day(moments)), moments, None)


Written = WrittenNumber | WrittenDate
COMPACT = WrittenDate("yyyymmdd")  # which are whole numbers as well
DATES = (*(WrittenDate(day + time) for day in _DAYS for time in _TIMES), *map(WrittenDate, _MONTHS), COMPACT)
MARKS = ((".", ""), (".", ","), (",", ""), (",", "."), (".", " "), (",", " "), (".", "'"))
"""Decimal mark and what sets thousands apart, the plainest first."""


def is_unit(suffix: str) -> bool:
    """Whether what follows all numbers of a column is a unit, set apart by a space: 12 kg, but neither 12th nor 12 Jan.

    >>> [is_unit(suffix) for suffix in (" kg", " m²", "th", " Jan", " a b", " PM")]
    [True, True, False, False, False, False]
    """
    return _UNIT.fullmatch(suffix) is not None and _OF_TIME.fullmatch(suffix) is None


def written_like(example: str) -> Written | None:
    """How numbers or dates are written by an example of them, or None: 1,234.5, 1234,5, $1,234, 12 %, dd/mm/yyyy.

    >>> written_like("1.234,5"), written_like("dd.mm.yyyy"), written_like("S")
    (WrittenNumber(decimal=',', thousands='.', prefix='', suffix=''), WrittenDate(example='dd.mm.yyyy'), None)
    """
    found = _EXAMPLE.fullmatch(example)
    if found is not None:
        thousands = found["thousands"] or ""
        decimal = found["decimal"] or ("," if thousands == "." else ".")
        prefix, suffix = found["prefix"].strip(), found["suffix"].strip()
        is_plain = not (prefix or suffix or thousands) and decimal == "."
        known = prefix in ("", *UNITS) and (suffix in ("", *UNITS) or is_unit(found["suffix"]))
        return (
            WrittenNumber(decimal, thousands, prefix, suffix)
            if known and decimal != thousands and not is_plain
            else None
        )
    return next((date for date in DATES if date.example == example), None)
