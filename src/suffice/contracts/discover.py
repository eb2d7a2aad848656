"""Finding members: whatever stands in the folders is a member."""

from __future__ import annotations

import importlib
import pkgutil

from .. import estimator as estimator_module
from .. import models
from .. import statistics as statistics_package
from ..estimator import Estimator
from ..statistics import Statistic


def _import_all(package: object) -> None:
    path, name = package.__path__, package.__name__  # type: ignore[attr-defined]
    for module in pkgutil.walk_packages(path, f"{name}."):
        importlib.import_module(module.name)


def estimators() -> list[type[Estimator]]:
    """Every estimator of Suffice, by name."""
    _import_all(models)
    own = [cls for cls in estimator_module.members if cls.__module__.startswith(models.__name__)]
    return sorted(own, key=lambda cls: cls.__name__)


def statistics() -> list[type[Statistic]]:
    """Every statistic of Suffice, by name."""
    _import_all(statistics_package)
    own = [cls for cls in Statistic.members if cls.__module__.startswith(statistics_package.__name__)]
    return sorted(own, key=lambda cls: cls.__name__)
