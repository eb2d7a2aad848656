"""Folds, from sums or not, say and score what refitting by hand and scikit-learn's measures do, label by label."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import clone

import suffice as sf
from suffice.models.registry import estimators
from suffice.resampling.summarised import is_summarised

KINDS = ("classifier", "regressor", "anomaly detector")
SUMMED = [cls for cls in estimators("classifier", "regressor").values() if is_summarised(cls(**cls.small))]
DETECTORS = [*estimators("anomaly detector").values()]


def table(cls, n=60):
    """Rows and a target of a class; of detectors every tenth row lies apart and is called so."""
    X, y = cls.example(np.random.default_rng(7), n)
    if cls not in DETECTORS:
        return X, y
    odd = np.arange(n) % 10 == 0
    return X + 8 * X.std(axis=0) * odd[:, None], np.where(odd, "strange", "usual")


def model_of(cls):
    own = {"random_state": 0} if "random_state" in cls().get_params() else {}
    return cls(**{**cls.small, **own, **({"anomaly": "strange"} if cls is sf.DensityAnomaly else {})})


def by_hand(model, found, X, y):
    """What a fit to the rows of each fold says of the others."""
    said = np.empty(len(X), dtype=object)
    for fold in found.folds:
        learned = {"y": y[fold.train]} if found.problem.task != "anomalies" or hasattr(model, "anomaly") else {}
        said[fold.test] = clone(model).fit(X[fold.train], **learned).predict(X[fold.test])
    return said


@pytest.mark.parametrize("cls", SUMMED + DETECTORS, ids=lambda cls: cls.__name__)
def test_evaluate_says_what_refitting_says(cls):
    X, y = table(cls)
    model, positive = model_of(cls), {"positive": "strange"} if cls in DETECTORS else {}
    found = sf.evaluate(model, X, y, splits=3, random_state=0, **positive)
    assert all(fold.shared for fold in found.folds) == (cls in SUMMED)
    said = by_hand(model, found, X, y)
    if found.problem.task == "numbers":
        np.testing.assert_allclose(found.predicted.astype(float), said.astype(float), rtol=1e-7, atol=1e-9)
        assert found.value("rmse") == pytest.approx(metrics.root_mean_squared_error(y, said.astype(float)), rel=1e-6)
    elif found.problem.task == "classes":
        np.testing.assert_array_equal(found.predicted, said)
        assert sf.evaluate(model, X, y, splits=3, random_state=0, measures="accuracy").value() == np.mean(said == y)
    else:
        flagged = said.astype(int) == -1
        np.testing.assert_array_equal(found.predicted == "anomaly", flagged)
        expected = metrics.f1_score(y == "strange", flagged, zero_division=0)
        assert sf.evaluate(model, X, y, splits=3, random_state=0, measures="f1", **positive).value() == pytest.approx(
            expected
        )
