"""Names that last: what model files call the classes that they hold.

An estimator is called by its class name (`KMeans`), everything else by kind and name (`statistic/Moments`). Members
of a kind register by themselves when they are defined; other classes say their name with `@registered`. A name stays
when its class moves to another module, so that old files can still be read. Classes outside of Suffice are not
registered: they may be defined again and again, and a file calls them by their place.

>>> from suffice.statistics import Moments
>>> name_of(Moments), class_of("statistic/Moments") is Moments, name_of(int)
('statistic/Moments', True, None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)
_PACKAGE = __name__.partition(".")[0]
_classes: dict[str, type] = {}
_names: dict[type, str] = {}


def register(cls: T, name: str) -> T:
    """Give a class of Suffice its lasting name; one name for two classes is an error."""
    if cls.__module__.partition(".")[0] != _PACKAGE:
        return cls
    other = _classes.get(name)
    if other is not None and place_of(other) != place_of(cls):
        raise TypeError(f"{place_of(other)} and {place_of(cls)} are both called {name!r}; rename one of them.")
    _classes[name], _names[cls] = cls, name
    return cls


def register_member(cls: T, kind: str) -> T:
    """Give a member of a kind its name, `kind/Class`; bases, whose names begin with `_`, have none."""
    return cls if cls.__name__.startswith("_") else register(cls, f"{kind}/{cls.__name__}")


def registered(name: str) -> Callable[[T], T]:
    """Decorate a class with its lasting name."""
    return lambda cls: register(cls, name)


def class_of(name: str) -> type | None:
    """The class of a name; None where no module that was imported has registered it."""
    return _classes.get(name)


def name_of(cls: type) -> str | None:
    """The name of a class; None where it has none."""
    return _names.get(cls)


def all_registered() -> dict[str, type]:
    """Every class by its name, as far as modules were imported."""
    return dict(sorted(_classes.items()))


def place_of(cls: type) -> str:
    """Where a class is defined, `module:class`: what files call classes that have no other name."""
    return f"{cls.__module__}:{cls.__qualname__}"
