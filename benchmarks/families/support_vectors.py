"""Support vector machines."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.svm

import suffice as sf

from .contest import UNGROUPED, Contest, Equal, as_accurate, at_most
from .tables import Table, classes, numbers


def _intelex(name: str) -> dict[str, Callable[..., Any]]:
    if importlib.util.find_spec("sklearnex") is None:
        return {}
    import sklearnex.svm

    return {"scikit-learn-intelex": getattr(sklearnex.svm, name)}


def _peers(name: str) -> dict[str, Callable[..., Any]]:
    return {"libsvm": getattr(sklearn.svm, name), **(_intelex(name) if name in ("SVC", "SVR") else {})}


def _near(method: str, room: float) -> Equal:
    """Answers are within the tolerance of the fits, nearly everywhere."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        mine, other = (np.asarray(getattr(model, method)(table.X), dtype=np.float64) for model in (ours, theirs))
        off = np.abs(mine - other) > room * max(1.0, float(np.abs(other).std()))
        assert off.mean() < 0.02, f"{method}: {off.mean():.1%} of the answers differ"

    return check


WITHIN = dict.fromkeys(
    ("decision_function", "predict", "score", "score_samples", "fit_predict"),
    "answers agree to the tolerance of the fits",
)
CONTESTS = [
    Contest(
        sf.SVC, _peers("SVC"), as_accurate(), rows=classes, sparse=True, shape=at_most(5000, 500), few_asked=True,
        unlike=WITHIN,
    ),
    Contest(
        sf.NuSVC, _peers("NuSVC"), as_accurate(), rows=classes, sparse=True, shape=at_most(3000, 200), few_asked=True,
        options=lambda table: {"nu": 0.1}, unlike=WITHIN,
    ),
    Contest(
        sf.SVR, _peers("SVR"), _near("predict", 1e-2), rows=numbers, sparse=True, shape=at_most(5000, 500),
        axes=UNGROUPED, few_asked=True, unlike=WITHIN,
    ),
    Contest(
        sf.NuSVR, _peers("NuSVR"), _near("predict", 1e-2), rows=numbers, sparse=True, shape=at_most(3000, 200),
        axes=UNGROUPED, few_asked=True, unlike=WITHIN,
    ),
    Contest(
        sf.OneClassSVM, _peers("OneClassSVM"), _near("decision_function", 1e-2), rows=numbers, sparse=True,
        shape=at_most(5000, 200), axes=UNGROUPED, few_asked=True, options=lambda table: {"nu": 0.1},
        unlike=WITHIN,
    ),
]  # fmt: skip
ALONE: dict[type, str] = {}
