"""Finding members: whatever stands in the folders is a member."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any, Protocol

from .. import backend
from .. import distances as distances_package
from .. import distributions as distributions_package
from .. import kernels as kernels_package
from .. import losses as losses_package
from .. import penalties as penalties_package
from ..backend.dispatch import Operation
from ..data.source import Summary
from ..distances import Distance
from ..distributions import Distribution, Prior
from ..estimator import Estimator
from ..kernels import Kernel
from ..losses import Loss
from ..models import registry
from ..penalties import Penalty
from ..statistics import Statistic

_PACKAGE = __name__.partition(".")[0]


def _import_all(package: object) -> None:
    """Import every module of a package but those whose optional packages are not installed."""
    path, name = package.__path__, package.__name__  # type: ignore[attr-defined]
    for module in pkgutil.walk_packages(path, f"{name}."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith(_PACKAGE):
                raise


def estimators() -> list[type[Estimator]]:
    """Every estimator of Suffice, by name."""
    return list(registry.estimators().values())


def statistics() -> list[type[Statistic]]:
    """Every statistic of Suffice that is made by `of`, by name, wherever it stands."""
    made: object = Statistic.of
    return [cls for cls in summaries() if issubclass(cls, Statistic) and cls.of.__func__ is not made.__func__]  # type: ignore[attr-defined]


def summaries() -> list[type[object]]:
    """Every class of Suffice that has a `+` of its own, by name, wherever it stands; a sum of kernels is no summary."""
    _import_all(sys.modules[_PACKAGE])
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == _PACKAGE]
    classes = {cls for module in modules for cls in vars(module).values() if isinstance(cls, type)}
    own = [cls for cls in classes if cls.__module__.startswith(_PACKAGE) and "__add__" in vars(cls)]
    made = (cls for cls in own if cls not in (Statistic, Summary, Kernel) and Protocol not in cls.__bases__)
    return sorted(made, key=lambda cls: cls.__name__)


def operations() -> list[Operation[..., object]]:
    """Every operation of the back-end, by name."""
    return backend.operations()


def distances() -> list[type[Distance]]:
    """Every distance of Suffice, by name; bases without a name of their own are left out."""
    _import_all(distances_package)
    own = [cls for cls in Distance.members if cls.__module__.startswith(distances_package.__name__)]
    return sorted((cls for cls in own if not cls.__name__.startswith("_")), key=lambda cls: cls.__name__)


def kernels() -> list[type[Kernel]]:
    """Every kernel and operator of Suffice, by name; bases without a kernel of their own are left out."""
    _import_all(kernels_package)
    own = [cls for cls in Kernel.members if cls.__module__.startswith(kernels_package.__name__)]
    return sorted((cls for cls in own if not cls.__name__.startswith("_")), key=lambda cls: cls.__name__)


def losses() -> list[type[Loss]]:
    """Every loss of Suffice, by name."""
    _import_all(losses_package)
    own = [cls for cls in Loss.members if cls.__module__.startswith(losses_package.__name__)]
    return sorted((cls for cls in own if cls.names), key=lambda cls: cls.__name__)


def penalties() -> list[type[Penalty]]:
    """Every penalty of Suffice, by name."""
    _import_all(penalties_package)
    own = [cls for cls in Penalty.members if cls.__module__.startswith(penalties_package.__name__)]
    return sorted((cls for cls in own if cls.names), key=lambda cls: cls.__name__)


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
