"""Finding members: whatever stands in the folders is a member."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from .. import backend, models
from .. import distances as distances_package
from .. import distributions as distributions_package
from .. import estimator as estimator_module
from .. import statistics as statistics_package
from ..backend.dispatch import Operation
from ..distances import Distance
from ..distributions import Distribution, Prior
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


def operations() -> list[Operation[..., Any]]:
    """Every operation of the back-end, by name."""
    return backend.operations()


def distances() -> list[type[Distance]]:
    """Every distance of Suffice, by name; bases without a name of their own are left out."""
    _import_all(distances_package)
    own = [cls for cls in Distance.members if cls.__module__.startswith(distances_package.__name__)]
    return sorted((cls for cls in own if not cls.__name__.startswith("_")), key=lambda cls: cls.__name__)


def distributions() -> list[type[Distribution]]:
    """Every distribution of Suffice, by name; bases without a density of their own are left out."""
    _import_all(distributions_package)
    return [cls for cls in _own(Distribution.members) if cls.log_prob is not Distribution.log_prob]


def priors() -> list[type[Prior]]:
    """Every prior of Suffice, by name."""
    _import_all(distributions_package)
    return _own(Prior.members)


def _own(members: list[type[Any]]) -> list[type[Any]]:
    own = [cls for cls in members if cls.__module__.startswith(distributions_package.__name__)]
    return sorted((cls for cls in own if not cls.__name__.startswith("_")), key=lambda cls: cls.__name__)
