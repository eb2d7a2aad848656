"""What is measured of models: by how the target is spread, not by habit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..typing import EstimatorLike, Labels

RARE = 0.2  # the share of the rows that the rarest of two classes has at the most, to be rare
UNEVEN = 5  # how many times as many rows the largest class has as the smallest, of several
_NUMBERS = ("r2", "rmse", "mae")
_EVEN = ("accuracy", "balanced_accuracy", "log_loss")
_EVEN_TWO = ("accuracy", "roc_auc", "balanced_accuracy", "log_loss")
_SEVERAL = ("balanced_accuracy", "accuracy", "log_loss")
_TWO = ("roc_auc", "average_precision", "balanced_accuracy", "accuracy", "log_loss")


def measures_of(y: Labels, kind: str, models: Iterable[EstimatorLike]) -> tuple[str, ...]:
    """What is measured, the first of which decides: accuracy only where it cannot be had by saying the same of all.

    Nothing needs probabilities or a ranking that one of the models does not give.

    >>> import suffice as sf
    >>> measures_of(np.array(["no"] * 95 + ["yes"] * 5), "classes", [sf.GaussianNB()])[:2]
    ('roc_auc', 'average_precision')
    """
    if kind == "numbers":
        return _NUMBERS
    listed = list(models)
    two = len(np.unique(y)) == 2
    wanted = (_TWO if two else _SEVERAL) if uneven(y) else (_EVEN_TWO if two else _EVEN)
    lacking = set() if all(hasattr(model, "predict_proba") for model in listed) else {"log_loss"}
    ranked = all(hasattr(model, "predict_proba") or hasattr(model, "decision_function") for model in listed)
    lacking |= set() if ranked else {"roc_auc", "average_precision"}
    return tuple(name for name in wanted if name not in lacking)


def uneven(y: Labels) -> bool:
    """Whether classes have so different sizes that accuracy says little."""
    sizes = np.unique(y, return_counts=True)[1]
    if len(sizes) == 2:
        return bool(sizes.min() <= RARE * sizes.sum())
    return bool(len(sizes) > 2 and sizes.max() >= UNEVEN * sizes.min())


def rare_class(y: Labels, kind: str) -> object:
    """The class that precision and the like are about: the rarer of two; None where there is no such."""
    if kind != "classes":
        return None
    names, sizes = np.unique(y, return_counts=True)
    return names[sizes.argmin()] if len(names) == 2 and sizes[0] != sizes[1] else None


def why_measured(y: Labels, kind: str, measures: tuple[str, ...]) -> list[str]:
    """Why another measure than accuracy decides; nothing where it does, or where numbers are predicted."""
    if kind == "numbers" or measures[0] == "accuracy":
        return []
    names, sizes = np.unique(y, return_counts=True)
    common, rare = names[sizes.argmax()], names[sizes.argmin()]
    share = 100 * sizes.max() / sizes.sum()
    called = {"roc_auc": "the area under the ROC curve", "balanced_accuracy": "balanced accuracy, the mean of recalls,"}
    return [
        f"Saying {str(common)!r} of every row is {share:.3g} % accurate and finds no {str(rare)!r}, so "
        f"{called[measures[0]]} decides; accuracy stands beside it."
    ]
