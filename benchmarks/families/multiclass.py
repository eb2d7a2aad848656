"""Many classes by binary problems."""

from __future__ import annotations

from typing import Any

import sklearn.multiclass as sk
from sklearn.naive_bayes import GaussianNB

import suffice as sf

from .contest import Contest, answers, at_most
from .tables import classes


def _rest(**options: Any) -> Any:
    return sk.OneVsRestClassifier(GaussianNB())


def _pairs(**options: Any) -> Any:
    return sk.OneVsOneClassifier(GaussianNB())


RANKS = {"decision_function": "log odds; GaussianNB of scikit-learn has only probabilities to decide by"}
CONTESTS = [
    Contest(
        sf.OneVsRestClassifier, {"scikit-learn, around its GaussianNB": _rest}, answers("predict"), rows=classes,
        shape=at_most(columns=1000), unlike=RANKS,
    ),
    Contest(
        sf.OneVsOneClassifier, {"scikit-learn, around its GaussianNB": _pairs}, answers("predict"), rows=classes,
        shape=at_most(columns=1000), unlike=RANKS,
    ),
]  # fmt: skip
ALONE = {
    sf.OutputCodeClassifier: "codes are drawn at random, and unlike ours; its classifiers are compared themselves",
}
