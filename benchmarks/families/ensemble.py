"""Ensembles of models."""

from __future__ import annotations

from typing import Any

import sklearn.ensemble as sk
from sklearn.naive_bayes import GaussianNB

import suffice as sf

from .contest import Contest, answers, at_most
from .tables import Table, classes


def _learner(table: Table) -> dict[str, Any]:
    return {"estimator": sf.GaussianNB(), "n_estimators": 10}


def _boosted(**options: Any) -> Any:
    return sk.AdaBoostClassifier(GaussianNB(), n_estimators=10)


CONTESTS = [
    Contest(
        sf.AdaBoostClassifier, {"scikit-learn, around its GaussianNB": _boosted}, answers("predict"), rows=classes,
        options=_learner, shape=at_most(rows=20_000, columns=1000),
    ),
]  # fmt: skip
ALONE = {
    sf.AdaBoostRegressor: "theirs draws rows at random; the trees inside, and the classifier, are compared themselves",
    sf.BaggingClassifier: "rows are drawn at random, and unlike theirs; the models inside are compared themselves",
    sf.BaggingRegressor: "rows are drawn at random, and unlike theirs; the models inside are compared themselves",
}
