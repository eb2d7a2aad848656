"""Names that public classes had before, which are still found, with a warning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# Scikit-learn's name became the main one (decision 0023).
FORMER = {
    "Agglomerative": "AgglomerativeClustering",
    "LinearDiscriminant": "LinearDiscriminantAnalysis",
    "QuadraticDiscriminant": "QuadraticDiscriminantAnalysis",
    "Standardize": "StandardScaler",
}


def with_former_names(module: str, lookup: Callable[[str], object]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that also knows former names; `lookup` finds the present ones."""

    def found(name: str) -> object:
        if name not in FORMER:
            return lookup(name)
        from .errors import Renamed, warn

        present = lookup(FORMER[name])
        warn(f"{module}.{name} is called {FORMER[name]} now; the former name will go.", Renamed)
        return present

    return found


def names_in(module: str, names: Mapping[str, object]) -> Callable[[str], Any]:
    """The `lookup` of a module whose names are all there."""

    def found(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return names[name]

    return found
