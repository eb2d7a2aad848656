"""Preparation."""

from __future__ import annotations

import sklearn.preprocessing as sk

import suffice as sf

from .contest import UNGROUPED, Contest, same

CONTESTS = [
    Contest(sf.StandardScaler, {"scikit-learn": sk.StandardScaler}, same("mean_", "scale_"), axes=UNGROUPED),
    Contest(
        sf.StandardScaler,
        {"scikit-learn": sk.StandardScaler},
        same("scale_"),
        options=lambda table: {"with_mean": False},
        variant="without mean",
        sparse=True,
        axes=(),
    ),
]
