"""The contests of the sweep, a file for each family of models.

A file declares `CONTESTS`, and in `ALONE` the estimators that no peer does the work of, with the reason. All files in
this folder are found.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from .contest import Contest

NOT_FAMILIES = {"contest", "methods", "tables"}


@cache
def contests() -> dict[str, tuple[Contest, ...]]:
    """The contests of every family, by its name."""
    return {name: tuple(getattr(_module(name), "CONTESTS", ())) for name in _names()}


def position(contest: Contest) -> tuple[str, int]:
    """The family of a contest and its place there: what another process needs, as functions cannot be sent."""
    return next(
        (family, place)
        for family, members in contests().items()
        for place, member in enumerate(members)
        if member is contest
    )


@cache
def alone() -> dict[type, str]:
    """The estimators without a peer, and why they have none."""
    return {cls: reason for name in _names() for cls, reason in getattr(_module(name), "ALONE", {}).items()}


def _names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in NOT_FAMILIES)


def _module(name: str) -> object:
    return importlib.import_module(f"{__name__}.{name}")
