"""Ordinary least squares."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...scikit_learn import COPY, JOBS, Counterpart
from .base import ClosedFormRegression


@estimator
class LinearRegression(ClosedFormRegression):
    """Least squares in closed form: the coefficients that minimise Σ w (y − b₀ − xᵀb)².

    One pass over any source gathers the moments of [X | Y]; the normal equations Sxx b = Sxy follow from them.
    Where the columns are close to dependent, a second pass gathers a QR summary and keeps the digits. With the
    noise variance Σ w r² / (Σw − rank − 1) come standard errors, t values and intervals: `coefficients()`.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> model = sf.LinearRegression().fit(X, iris["sepal_length"])
    >>> model.coef_.round(4), round(model.intercept_, 4), round(model.noise_variance_, 4)
    (array([ 0.7091, -0.5565,  0.6508]), 1.856, 0.0989)
    """

    units = "columns"

    counterpart: ClassVar = Counterpart(
        "sklearn.linear_model",
        ignored={
            "copy_X": COPY,
            "n_jobs": JOBS,
            "tol": "the solution is exact",
        },
    )
