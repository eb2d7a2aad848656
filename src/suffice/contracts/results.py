"""What an estimator says about some rows, and when two answers count as the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import params
from ..estimator import Estimator
from ..typing import EstimatorLike

METHODS = ("transform", "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples")
Results = dict[str, NDArray[Any]]


def fresh(cls: type[Estimator]) -> Any:
    """An estimator of the class, `small` if it says how, and with a seed where it draws random numbers."""
    seed = {"random_state": 0} if "random_state" in params.declared(cls) else {}
    return cls(**seed, **cls.small)


def results(model: EstimatorLike, X: object) -> Results:
    """The output of every per-row method the estimator has."""
    return {name: np.asarray(getattr(model, name)(X)) for name in METHODS if hasattr(model, name)}


def assert_same(left: Results, right: Results, rtol: float) -> None:
    """Assert that two results agree, relative to the size of the numbers in each output."""
    assert left.keys() == right.keys(), f"{left.keys()} is not {right.keys()}"
    for name, values in left.items():
        if values.dtype.kind != "f":
            np.testing.assert_array_equal(values, right[name], err_msg=name)
            continue
        scale = float(np.nanmax(np.abs(right[name]), initial=0.0))
        np.testing.assert_allclose(values, right[name], rtol=rtol, atol=rtol * scale, err_msg=name)
