"""A description as aligned text and as HTML: one section for each kind of column, one line a column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from .described import CategoryColumn, DateColumn, Description, NumberColumn, OrdinalColumn, Share

GAP = "  "
_LONGEST_NAME = 24
_LONGEST_VALUE = 30
_MOST_LEVELS = 8  # shown with their counts
SHORTEST = 10  # characters of a name or of words that are always shown
_SPARE = (
    ("median",),
    ("deviation",),
    ("missing",),
)  # what a narrow terminal can do without, after the quantiles


@dataclass(frozen=True)
class Section:
    """The columns of one kind as a table of texts; the last `words_at_end` cells are words, not figures."""

    kind: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words_at_end: int = 0

    def right_aligned(self, j: int) -> bool:
        """Whether cell j of each row is a figure."""
        return 0 < j < len(self.header) - self.words_at_end

    def widths(self) -> list[int]:
        """The characters that each cell needs."""
        return [max(map(len, cells)) for cells in zip(self.header, *self.rows, strict=True)]

    def without(self, j: int) -> Section:
        """This section without its cell j."""
        header, *rows = ((*row[:j], *row[j + 1 :]) for row in (self.header, *self.rows))
        return Section(self.kind, header, tuple(rows), self.words_at_end)

    def least_width(self) -> int:
        """The characters that a line needs when names and words, but no figures, are shortened."""
        needed = (w if self.right_aligned(j) else min(w, SHORTEST) for j, w in enumerate(self.widths()))
        return sum(needed) + len(GAP) * (len(self.header) - 1)

    def within(self, width: int) -> Section:
        """This section without the less important figures, as long as it does not fit into `width`."""
        section = self
        for spare in (tuple(title for title in self.header if title.endswith("%")), *_SPARE):
            if section.least_width() > width:
                for j in reversed([j for j, title in enumerate(section.header) if title in spare]):
                    section = section.without(j)
        return section


def sections(description: Description) -> list[Section]:
    """The columns of a description by kind: numbers, ordered levels, categories, dates."""
    numbers = [column for column in description.columns if isinstance(column, NumberColumn)]
    categories = [column for column in description.columns if isinstance(column, CategoryColumn)]
    ordinal = [column for column in description.columns if isinstance(column, OrdinalColumn)]
    dates = [column for column in description.columns if isinstance(column, DateColumn)]
    found = []
    if numbers:
        found.append(_numbers(numbers))
    if ordinal:
        found.append(_ordinal(ordinal))
    if categories:
        found.append(_categories(categories))
    if dates:
        rows = [(_name(c.name), count(c.missing), c.earliest or "", c.latest or "") for c in dates]
        found.append(Section("dates", ("dates", "missing", "earliest", "latest"), tuple(rows), words_at_end=2))
    return found


def _numbers(columns: Sequence[NumberColumn]) -> Section:
    inner = [q for q in columns[0].quantiles if 0 < q < 1]
    rows = [
        (
            _name(c.name),
            count(c.missing),
            *(number(x) for x in (c.mean, c.deviation, c.minimum, *(c.quantiles[q] for q in inner), c.maximum)),
        )
        for c in columns
    ]
    return Section(
        "numbers", ("numbers", "missing", "mean", "deviation", "min", *map(_label, inner), "max"), tuple(rows)
    )


def _ordinal(columns: Sequence[OrdinalColumn]) -> Section:
    inner = [q for q in columns[0].quantiles if 0 < q < 1]
    rows = [
        (
            _name(c.name),
            count(c.missing),
            *(_value(level) for level in (c.lowest, *(c.quantiles[q] for q in inner), c.highest)),
            ", ".join(map(_share, c.levels[:_MOST_LEVELS])) + (", …" if len(c.levels) > _MOST_LEVELS else ""),
        )
        for c in columns
    ]
    header = ("ordinal", "missing", "lowest", *map(_label, inner), "highest", "levels in order")
    return Section("ordinal", header, tuple(rows), words_at_end=3 + len(inner))


def _label(q: float) -> str:
    return "median" if q == 0.5 else f"{100 * q:g}%"


def _value(level: str | None) -> str:
    return "" if level is None else _short(level, _LONGEST_VALUE) or repr("")


def _share(share: Share, about: str = "") -> str:
    return f"{_value(share.value)} {about}{count(share.count)}" + (
        f" ({100 * share.share:.3g} %)" if share.share == share.share else ""
    )


def _categories(columns: Sequence[CategoryColumn]) -> Section:
    rows = [(_name(c.name), count(c.missing), ("" if c.exact else "≥ ") + count(c.distinct), _top(c)) for c in columns]
    header = ("categories", "missing", "distinct", "most frequent")
    return Section("categories", header, tuple(rows), words_at_end=1)


def _top(column: CategoryColumn) -> str:
    about = "" if column.exact else "≥ "
    return ", ".join(_share(share, about) for share in column.top)


def notes(description: Description) -> list[str]:
    """What has to be said below the sections."""
    numbers = [column for column in description.columns if isinstance(column, NumberColumn)]
    error = max((column.rank_error for column in numbers), default=0.0)
    said = ["deviation: sample standard deviation, divided by n - 1"] if numbers else []
    if error:
        said.append(f"quantiles: off by at most {100 * error:.2g} % of the rows; min and max are exact")
    if any(isinstance(column, CategoryColumn) and not column.exact for column in description.columns):
        said.append("≥: more than 1,000 distinct values, so that counts are lower bounds")
    said += [f"note: {printable(note)}" for note in description.notes]
    return said + [f"warning: {printable(warning)}" for warning in description.warnings]


def headline(description: Description) -> str:
    """The title, and how many rows and columns there are."""
    rows, columns = description.rows, len(description.columns)
    return (
        f"{printable(description.title)}: {count(rows)} row{'s' * (rows != 1)}, "
        f"{count(columns)} column{'s' * (columns != 1)}"
    )


def plain(description: Description) -> str:
    """The description as text, aligned with spaces."""
    parts = ["\n".join(_lines(section)) for section in sections(description)]
    return "\n\n".join(part for part in (headline(description), *parts, "\n".join(notes(description))) if part)


def _lines(section: Section) -> Iterable[str]:
    widths = section.widths()
    for row in (section.header, *section.rows):
        cells = (
            cell.rjust(width) if section.right_aligned(j) else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield GAP.join(cells).rstrip()


def html(description: Description) -> str:
    """The description as HTML, every text escaped."""
    parts = [f"<p><strong>{escape(headline(description))}</strong></p>"]
    parts += [_html_table(section) for section in sections(description)]
    parts += [f"<p>{escape(note)}</p>" for note in notes(description)]
    return "<div>" + "\n".join(parts) + "</div>"


def _html_table(section: Section) -> str:
    def line(row: Sequence[str], tag: str) -> str:
        sides = ("right" if section.right_aligned(j) else "left" for j in range(len(row)))
        cells = (
            f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in zip(row, sides, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(line(row, "td") for row in section.rows)
    return f"<table>\n<thead>{line(section.header, 'th')}</thead>\n<tbody>{body}</tbody>\n</table>"


def count(n: int) -> str:
    """A count with its thousands set apart."""
    return f"{n:,}"


def number(x: float) -> str:
    """A figure with four significant digits, and all digits left of the point up to a billion.

    >>> [number(x) for x in (25.5, 0.000123456, 1234567.8, 3e10, 0.0, float("nan"))]
    ['25.5', '0.0001235', '1,234,568', '3e+10', '0', '']
    """
    if math.isnan(x):
        return ""
    return f"{x:,.0f}" if 1e4 <= abs(x) < 1e9 else f"{x:.4g}"


def printable(text: str) -> str:
    """The text without anything that a terminal might obey.

    >>> printable("tab\\tred\\x1b[31m")
    'tab\\\\tred\\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _name(text: str) -> str:
    return _short(text, _LONGEST_NAME)


def _short(text: str, longest: int) -> str:
    text = printable(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"
