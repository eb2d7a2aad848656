"""What a report is made of: sections of parts, each with words, pictures, tables, films and code."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .svg import Picture

_ALIKE = 40  # characters


@dataclass(frozen=True)
class Shown:
    """A picture with the words below it."""

    picture: Picture
    caption: str = ""


@dataclass(frozen=True)
class Figures:
    """A table of texts: the first `words` cells of a row are words, and so is its last where `ends_in_words`."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    words: int = 1
    ends_in_words: bool = False
    best: int | None = None  # the row to stress

    def is_word(self, j: int) -> bool:
        """Whether cell j holds words."""
        return j < self.words or (self.ends_in_words and j == len(self.header) - 1)


@dataclass
class Part:
    """One step of the report."""

    title: str
    words: list[str] = field(default_factory=list)
    pictures: list[Shown] = field(default_factory=list)
    tables: list[Figures] = field(default_factory=list)
    hidden: list[Figures] = field(default_factory=list)
    """Tables behind a line that opens them."""
    texts: list[tuple[str, str]] = field(default_factory=list)
    """Such lines, and the text behind each as it is."""
    films: list[dict[str, object]] = field(default_factory=list)
    cards: list[dict[str, object]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    """Sentences of which each stands for itself, as a list."""
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    code: str = ""
    failed: bool = False


@dataclass
class Section:
    """Parts under one heading."""

    key: str
    title: str
    lead: str
    parts: list[Part] = field(default_factory=list)


Build = Callable[[], Part]


def attempt(title: str, build: Build, failing: str = "This could not be made") -> Part:
    """The part, or a sentence that says why there is none; what was warned about stands in its notes."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            part = build()
        except Exception as error:  # a report says what it could not do, whatever the table is like
            part = Part(title, words=[f"{failing}: {sentence(str(error) or type(error).__name__)}"], failed=True)
    part.notes += _told_once([str(one.message) for one in given if issubclass(one.category, UserWarning)])
    return part


def _told_once(messages: list[str]) -> list[str]:
    """The first of messages that begin alike, as those about each class or each fold do."""
    first: dict[str, str] = {}
    for message in messages:
        first.setdefault(message[:_ALIKE], sentence(message))
    return list(first.values())


def sentence(text: str) -> str:
    """One line that ends with a full stop.

    >>> sentence("no  rows")
    'no rows.'
    """
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?", "…")) else line + "."
