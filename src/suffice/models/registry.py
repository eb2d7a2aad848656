"""Every estimator of Suffice by name, and what kinds each is of."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from sklearn.base import ClassifierMixin, ClusterMixin, DensityMixin, OutlierMixin, RegressorMixin, TransformerMixin

from .. import models
from ..errors import InvalidParameter, did_you_mean
from ..estimator import Estimator, members
from ..text import listed

# scikit-learn's mixins say what an estimator is; the first that fits is its main kind.
KINDS: dict[str, type] = {
    "classifier": ClassifierMixin,
    "regressor": RegressorMixin,
    "clusterer": ClusterMixin,
    "anomaly detector": OutlierMixin,
    "density": DensityMixin,
    "transformer": TransformerMixin,
}


def estimators(*kinds: str) -> dict[str, type[Estimator]]:
    """Every estimator that stands in `models`, sorted by name; with `kinds` those of at least one of them.

    >>> list(estimators("regressor"))[:2], "KMeans" in estimators("clusterer"), "KMeans" in estimators("transformer")
    (['AdaBoostRegressor', 'BaggingRegressor'], True, True)
    """
    _load()
    own = (cls for cls in members if cls.__module__.startswith(f"{models.__name__}."))
    wanted = (cls for cls in own if not kinds or set(kinds) & set(kinds_of(cls)))
    return {cls.__name__: cls for cls in sorted(wanted, key=lambda cls: cls.__name__)}


def kinds_of(cls: type[Estimator]) -> tuple[str, ...]:
    """What an estimator is, its main kind first; a mere search for neighbours is of none, nor is a game that
    draws rows without a density.

    >>> from suffice import KMeans
    >>> kinds_of(KMeans)
    ('clusterer', 'transformer')
    """
    return tuple(kind for kind, mixin in KINDS.items() if issubclass(cls, mixin))


def family_of(cls: type[Estimator]) -> str:
    """The folder of `models` in which an estimator stands."""
    return cls.__module__.removeprefix(f"{models.__name__}.").partition(".")[0]


def estimator_named(name: str, *kinds: str) -> type[Estimator]:
    """The estimator of this name, whatever its case; a name that none has is refused with a hint.

    >>> estimator_named("kmeans").__name__
    'KMeans'
    """
    known = estimators(*kinds)
    found = {key.lower(): cls for key, cls in known.items()}.get(name.lower())
    if found is None:
        what = kinds[0] if kinds else "model"
        raise InvalidParameter(
            f"There is no {what} {name!r}.{did_you_mean(name, list(known))} Known: {listed(list(known))}."
        )
    return found


@cache
def _load() -> None:
    """Import whatever stands in the folders, so that it is among the members."""
    for module in pkgutil.walk_packages(models.__path__, f"{models.__name__}."):
        importlib.import_module(module.name)
