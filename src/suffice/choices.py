"""Members of a kind by the names that a user may write; each class names itself in its own file.

>>> class Colour(Named):
...     def __init_subclass__(cls) -> None:
...         COLOURS.register(cls)
>>> COLOURS = Choices("colour", Colour)
>>> class Red(Colour):
...     names = ("red", "dark_red")
>>> list(COLOURS), "dark red" in COLOURS, type(COLOURS.make("red")).__name__
(['dark_red', 'red'], True, 'Red')
>>> COLOURS.make("rad")
Traceback (most recent call last):
...
suffice.errors.InvalidParameter: There is no colour 'rad'; known are dark_red, red. Did you mean 'red'?
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from .errors import InvalidParameter, did_you_mean, shown


class Named:
    """Base of the members of a kind: a class says in `names` what a user may write for it, the main name first."""

    names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of_name(cls, name: str, **arguments: object) -> Self:
        """The member that one of the names stands for."""
        return cls(**arguments)


M = TypeVar("M", bound=Named)


def _usable(member: object) -> str:
    return ""


@dataclass(frozen=True, eq=False)
class Choices(Collection[str], Generic[M]):
    """The classes of a kind by name; as a collection, the names of those that can be used, sorted.

    `refusal` says why a member cannot be used, "" where it can. Names are read when they are asked for, so that a
    class that is defined later, also one of the user's, is among them. Spaces and hyphens are read as underscores.
    """

    kind: str
    base: type[M]
    refusal: Callable[[M], str] = _usable
    classes: dict[str, type[M]] = field(default_factory=dict)
    _reasons: dict[tuple[str, type[M]], str] = field(default_factory=dict, init=False, repr=False)  # found so far

    def register(self, cls: type[M]) -> None:
        """Take the names that the body of a class gives; a class without any has none, whatever its base is called."""
        cls.names = tuple(vars(cls).get("names", ()))
        for name in cls.names:
            holder = self.classes.setdefault(name, cls)
            if (holder.__module__, holder.__qualname__) != (cls.__module__, cls.__qualname__):
                raise TypeError(f"{cls.__qualname__}: the {self.kind} {name!r} is {holder.__qualname__} already.")
            self.classes[name] = cls  # defined again, as in a notebook

    @property
    def one(self) -> str:
        """The kind with its article.

        >>> Choices("optimizer", object).one
        'an optimizer'
        """
        return f"{'an' if self.kind[0] in 'aeiou' else 'a'} {self.kind}"

    def only(self, refusal: Callable[[M], str]) -> Choices[M]:
        """The same without those that are refused with a reason."""
        return replace(self, refusal=refusal)

    def __iter__(self) -> Iterator[str]:
        return (name for name in sorted(self.classes) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, value: object) -> bool:
        """Whether a name, or a member itself, can be used."""
        if isinstance(value, str):
            return _tidy(value) in self.classes and not self.why_not(value)
        return isinstance(value, self.base) and not self.refusal(value)

    def why_not(self, value: object) -> str:
        """Why a name or a member cannot be used: "" where it can, and where it is no name at all."""
        if isinstance(value, str):
            tidy = _tidy(value)
            if tidy not in self.classes:
                return ""
            key = tidy, self.classes[tidy]  # a class may be defined again
            if key not in self._reasons:
                self._reasons[key] = self.refusal(self.make(tidy))
            return self._reasons[key]
        return self.refusal(value) if isinstance(value, self.base) else ""

    def make(self, name: str, **arguments: object) -> M:
        """The member of a name."""
        tidy = _tidy(name)
        if tidy not in self.classes:
            raise InvalidParameter(
                f"There is no {self.kind} {name!r}; known are {', '.join(self)}{refused(name, self)}"
            )
        return self.classes[tidy].of_name(tidy, **arguments)

    def member(self, value: Any, owner: str, parameter: str, also: str = "", **arguments: object) -> M:
        """The member of a name, or the one that it is already; `also` says what else the owner takes."""
        if isinstance(value, str) and value in self:
            return self.make(value, **arguments)
        if not isinstance(value, str) and value in self:
            return value  # type: ignore[no-any-return]
        raise InvalidParameter(
            f"{owner}: {parameter} must be {self.one}{also}, or one of {', '.join(self)}; got {shown(value)}"
            f"{refused(value, self)}"
        )


def refused(value: object, names: Choices[Any] | None, words: Iterable[object] = ()) -> str:
    """The end of a sentence that refuses a value: the reason, or the name or word that was perhaps meant."""
    if names is not None and (reason := names.why_not(value)):
        return f": {reason}."
    known = [word for word in (*words, *(names or ())) if isinstance(word, str)]
    return "." + (did_you_mean(value, known) if isinstance(value, str) else "")


def _tidy(name: str) -> str:
    return name.replace(" ", "_").replace("-", "_")


def check_number(
    member: object, name: str, least: float, above: bool = False, most: float = np.inf, below: bool = False
) -> None:
    """Refuse a field of a member that is no finite number within bounds."""
    value = getattr(member, name)
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool) and np.isfinite(value)
    low = is_number and (value > least if above else value >= least)
    high = is_number and (value < most if below else value <= most)
    if not (low and high):
        bounds = f"{'above' if above else 'at least'} {least:g}"
        if most < np.inf:
            bounds += f" and {'below' if below else 'at most'} {most:g}"
        raise InvalidParameter(f"{type(member).__name__}: {name} must be a number, {bounds}; got {value!r}.")
