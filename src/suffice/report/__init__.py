"""Reports: what a table or a model looks like, for people. Called, this package is its function `report`."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..description import Description, describe

if TYPE_CHECKING:
    from .association import Associations, associations
    from .flaws import findings
    from .model_choice import candidates
    from .page import Report, report
    from .playing import Player, player
    from .rows import Rows, read_rows

__all__ = [
    "Associations", "Description", "Player", "Report", "Rows", "associations", "candidates", "describe", "findings",
    "player", "read_rows", "report",
]  # fmt: skip

# What `describe` does not need is imported when it is first used: it loads every model.
_PLACES = {
    "association": ("Associations", "associations"),
    "flaws": ("findings",),
    "model_choice": ("candidates",),
    "page": ("Report", "report"),
    "playing": ("Player", "player"),
    "rows": ("Rows", "read_rows"),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _CallableModule(ModuleType):
    """`sf.report` is the function or this package, whichever was loaded first; both can be called."""

    def __call__(self, *arguments: object, **options: object) -> object:
        return __getattr__("report")(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
