"""Classifiers by Bayes' rule: joint densities are those of the classes, times their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import logsumexp

from ..estimator import Estimator
from ..models.anomaly import DensityAnomaly
from ..typing import Numbers
from .results import fresh


def joint_density_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for a class with joint densities."""
    if hasattr(cls, "predict_joint_log_proba"):
        yield "joint_is_prior_times_density", partial(joint_is_prior_times_density, cls)
        yield "joint_gives_density_and_posterior", partial(joint_gives_density_and_posterior, cls)
        yield "density_flags_anomalies", partial(density_flags_anomalies, cls)


def joint_is_prior_times_density(cls: type[Estimator]) -> None:
    """`predict_joint_log_proba` is log P(c) + log p(x | c): p(x | c) is the density where all rows are of class c."""
    X, y = cls.example(np.random.default_rng(41), 60)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    for rows in _rows(cls, X):
        joint = fresh(cls).fit(X, y).predict_joint_log_proba(rows)
        for c, share in enumerate(shares):
            certain = _with_priors(cls, np.eye(len(shares))[c]).fit(X, y)
            np.testing.assert_allclose(
                joint[:, c], np.log(share) + certain.log_density(rows), rtol=1e-9, atol=1e-9, err_msg=cls.__name__
            )


def joint_gives_density_and_posterior(cls: type[Estimator]) -> None:
    """The sum of the joint densities is `log_density`, and their parts of it are `predict_log_proba`."""
    X, y = cls.example(np.random.default_rng(42), 60)
    model = fresh(cls).fit(X, y)
    for rows in _rows(cls, X):
        joint, density = model.predict_joint_log_proba(rows), model.log_density(rows)
        np.testing.assert_allclose(density, logsumexp(joint, axis=1), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(model.predict_log_proba(rows), joint - density[:, None], rtol=1e-7, atol=1e-7)


def density_flags_anomalies(cls: type[Estimator]) -> None:
    """p(x) serves a detector: its scores are `log_density` of the same fit, to all rows or to those of other labels."""
    X, y = cls.example(np.random.default_rng(44), 60)
    normal = y != y[0]
    for options, rows in (({}, np.full(len(y), True)), ({"anomaly": y[0]}, normal)):
        alone = fresh(cls).fit(X[rows], y[rows])
        detector = DensityAnomaly(fresh(cls), **options).fit(X, y)
        np.testing.assert_allclose(detector.score_samples(X), alone.log_density(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(alone.score_samples(X), alone.log_density(X))
        np.testing.assert_array_equal(detector.predict(X) == -1, detector.score_samples(X) < detector.threshold_)


def _rows(cls: type[Estimator], X: Numbers) -> Iterator[object]:
    """Rows of the fit, some with missing values or sparse where the class takes them."""
    yield X
    if cls.needs.missing:
        yield np.where(np.random.default_rng(43).random(X.shape) < 0.2, np.nan, X)
    if cls.needs.sparse:
        yield csr_array(X)


def _with_priors(cls: type[Estimator], priors: Any) -> Any:
    model = fresh(cls)
    name = "priors" if "priors" in model.get_params() else "class_prior"
    return model.set_params(**{name: priors.tolist()})
