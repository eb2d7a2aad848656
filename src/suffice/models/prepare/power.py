"""Powers that make columns as normal as they can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import inv_boxcox, inv_boxcox1p

from ...data import Source
from ...errors import InvalidData
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned, param
from ...scikit_learn import COPY, Counterpart
from ...typing import Floats, Reals, Whole
from .in_place import Invertible
from .places import values_of

_LARGEST = 1e150  # squares of larger numbers overflow


@estimator
class PowerTransformer(Invertible):
    """A power of each column that makes it most like a normal one: z = (ψ(x; λ) − mean) / √variance.

    Box–Cox is ψ = B(x; λ) = (x**λ − 1) / λ, or log x for λ = 0, and needs x > 0. Yeo–Johnson takes all numbers:
    B(1 + x; λ) for x ≥ 0, and −B(1 − x; 2 − λ) below. λ maximises the likelihood of a normal distribution,
    −½ W log variance(ψ) + (λ − 1) Σ w sign(x) log(1 + |x|), W the sum of the weights w; for Box–Cox the last sum is
    that of w log x.

    λ is found from one pass: exactly up to 131,072 different values of a column, from bins of neighbours beyond.
    Missing values stay missing, and a constant column is only shifted.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X = np.exp(np.random.default_rng(0).normal(size=(500, 1)))
    >>> sf.PowerTransformer("box-cox").fit(X).lambdas_.round(1) + 0.0
    array([0.])
    """

    read_late = ("method",)

    counterpart: ClassVar = Counterpart("sklearn.preprocessing", ignored={"copy": COPY})

    method: str = param(
        "yeo-johnson", positional=True, choices=("yeo-johnson", "box-cox"), doc="Which powers; box-cox is for x > 0."
    )
    standardize: bool = param(
        True, choices=(True, False), doc="Whether the result has mean 0 and variance 1, or is ψ itself."
    )

    lambdas_: Floats = learned("λ of each mapped column, (m,).", holds=floats("m"))
    mean_: Floats = learned("The mean of ψ, (m,); 0 without `standardize`.", holds=floats("m"))
    scale_: Floats = learned("What ψ is divided by, (m,).", holds=floats("m", above=0))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        return np.exp(rng.normal(size=(n, 4))) - [0.0, 1.0, 0.0, 2.0], None

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        found = []
        for j, held in zip(chosen, values_of(source, chosen, type(self).__name__).columns, strict=True):
            x, weight = held.in_order()
            self._check_positive(x, source.schema.describe(int(j)))
            found.append(_fitted(x, weight, self.method))
        lambdas, mean, scale = np.array(found).T
        if not self.standardize:
            mean, scale = np.zeros_like(mean), np.ones_like(scale)
        return {"lambdas_": lambdas, "mean_": mean, "scale_": scale}

    def _check_positive(self, x: Reals, column: str) -> None:
        if self.method == "box-cox" and np.any(x <= 0):
            raise InvalidData(
                f"{type(self).__name__}: {column} holds {x[x <= 0][0]:g}, and box-cox needs numbers above 0; use "
                "method='yeo-johnson', or leave the column out with columns=…."
            )

    def _features(self, X: Reals) -> Reals:
        made = np.empty(X.shape)
        for i, (power, mean, scale) in enumerate(zip(self.lambdas_, self.mean_, self.scale_, strict=True)):
            x = X[:, i].astype(np.float64)
            self._check_positive(x[~np.isnan(x)], f"column {self.mapped_[i]}")
            with np.errstate(over="ignore"):
                made[:, i] = (_of_logs(_logs(x, self.method), power, self.method) - mean) / scale
        return made.astype(X.dtype, copy=False)

    def _back(self, X: Reals) -> Reals:
        made = np.empty(X.shape)
        for i, (power, mean, scale) in enumerate(zip(self.lambdas_, self.mean_, self.scale_, strict=True)):
            with np.errstate(over="ignore", invalid="ignore"):
                made[:, i] = _ROOTS[self.method](X[:, i].astype(np.float64) * scale + mean, power)
        return made.astype(X.dtype, copy=False)


def _logs(x: Floats, method: str) -> Floats:
    """What ψ is a function of: log x, or log(1 + |x|) with the sign of x."""
    return np.log(x) if method == "box-cox" else np.copysign(np.log1p(np.abs(x)), x)


def _of_logs(logs: Floats, power: float, method: str) -> Floats:
    """ψ, by the logarithms: (e**(λ log) − 1) / λ, below 0 of Yeo–Johnson with 2 − λ."""
    if method == "box-cox":
        return logs if power == 0 else np.expm1(power * logs) / power
    side = np.where(logs < 0, power - 2.0, power)  # −(2 − λ), as the logarithms have their sign
    if power not in (0.0, 2.0):
        return np.asarray(np.expm1(side * logs) / side)
    return np.asarray(np.where(side == 0, logs, np.expm1(side * logs) / np.where(side == 0, 1.0, side)))


def _yeo_johnson_root(z: Floats, power: float) -> Floats:
    size, below = np.abs(z), np.signbit(z)
    side = np.where(below, 2.0 - power, power)
    if min(abs(power), abs(2.0 - power)) > _NO_POWER:
        return np.asarray(np.copysign(np.expm1(np.log1p(side * size) / side), z))
    return np.asarray(np.copysign(inv_boxcox1p(size, side), z))


_NO_POWER = 1e-100  # products with less are no numbers of full precision
_ROOTS: dict[str, Callable[[Floats, float], Floats]] = {"box-cox": inv_boxcox, "yeo-johnson": _yeo_johnson_root}


def _fitted(x: Floats, weight: Floats, method: str) -> tuple[float, float, float]:
    """λ of the largest likelihood, and mean and standard deviation of ψ; 1 and its moments for a constant column."""
    power, logs, share = 1.0, _logs(x, method), weight / weight.sum()
    if len(x) > 1:
        pull = float(share @ logs)

        def cost(tried: float) -> float:
            _, variance = _moments(_of_logs(logs, tried, method), share)
            return 0.5 * np.log(variance) - (tried - 1) * pull if 0 < variance < _LARGEST else np.inf

        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            best = minimize_scalar(cost, bracket=(-2.0, 2.0), method="brent", options={"xtol": 1e-10})
        power = float(best.x) if np.isfinite(best.fun) else 1.0
    mean, variance = _moments(_of_logs(logs, power, method), share)
    return power, mean, float(np.sqrt(variance)) if variance > 0 else 1.0


def _moments(z: Floats, share: Floats) -> tuple[float, float]:
    """Mean and variance of ψ, by shares of the weight."""
    mean = float(share @ z)
    return mean, float(share @ np.square(z - mean))
