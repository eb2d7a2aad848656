"""Detectors of anomalies, measured as models of two classes: which rows are anomalies, and what -1 and 1 say."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ..errors import InvalidData, InvalidParameter
from ..typing import EstimatorLike, Flags, Floats, Labels, Predictor, TableLike

CLASSES = ("normal", "anomaly")


def is_detector(model: object) -> bool:
    """Whether a model gives -1 for anomalies and 1 for others, by scikit-learn's tags."""
    return getattr(get_tags(model), "estimator_type", None) == "outlier_detector"


def label_of(model: EstimatorLike) -> object:
    """The label of known anomalies that a detector, or one in a pipeline, learns from; None where it asks for none."""
    given = model.get_params()
    names = [name for name in given if name == "anomaly" or name.endswith("__anomaly")]
    return next((given[name] for name in names if given[name] is not None), None)


def anomalous(models: list[EstimatorLike], y: Labels, positive: object, owner: str) -> Flags:
    """Which rows are anomalies, (n,).

    They have the label that the models name, or `positive`. Else -1 is an anomaly beside 1, as scikit-learn's detectors
    answer, and True, or 1, beside False, or 0.
    """
    for model in models:
        if label_of(model) is None and get_tags(model).target_tags.required:
            raise InvalidParameter(
                f"{owner}: {type(model).__name__} learns from classes in y, so it must know which label is that of "
                "anomalies; name it with the parameter anomaly."
            )
    if not isinstance(positive, str | int | float | np.generic | None):
        raise InvalidParameter(f"{owner}: positive must be the label of anomalies; got {positive!r:.80}.")
    named = {label for label in (*map(label_of, models), positive) if label is not None}
    if len(named) > 1:
        told = " and ".join(sorted(map(repr, named)))
        raise InvalidParameter(f"{owner}: {told} cannot both be the label of anomalies; name the same one everywhere.")
    present = set(y.tolist())
    label = named.pop() if named else _usual(present, owner)
    found = np.asarray(y == label)
    if not found.any() or found.all():
        raise InvalidData(f"{owner}: y must hold {label!r}, the label of anomalies, and another; got {_few(present)}.")
    return found


def _usual(present: set[object], owner: str) -> object:
    if len(present) == 2:
        for label, other in ((-1, 1), (1, 0)):  # True is 1
            if present == {label, other}:
                return label
    raise InvalidData(
        f"{owner}: y must say which rows are anomalies: -1 beside 1, or True beside False, or a label that positive= "
        f"names; got {_few(present)}."
    )


def _few(labels: set[object]) -> str:
    shown = sorted(map(repr, labels))
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")


def called(model: Predictor, X: TableLike) -> Labels:
    """The class of each row by a fitted detector, (n,)."""
    return np.where(np.asarray(model.predict(X)) == -1, CLASSES[1], CLASSES[0])


def suspicion(model: Any, X: TableLike) -> Floats:
    """What ranks the rows, (n,): the larger, the more anomalous."""
    return -np.asarray(model.decision_function(X), dtype=np.float64)
