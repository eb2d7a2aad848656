"""Asking for the labels that most reduce what is not known of all other rows."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np
from scipy import special

from ..errors import InvalidParameter
from ..params import check_argument
from ..resampling.rows import rows_of
from ..typing import Floats, Whole
from .committee import bootstraps, predicted, rest_of
from .query import Pool, Query, probabilities
from .uncertain import margins

_LOSSES = ("log", "zero_one")


@dataclass(frozen=True)
class ErrorReduction(Query):
    """The row whose label leaves least error of the others, as the model expects it (Roy and McCallum, 2001).

    For each of `candidates` rows, and each class c that it may have, the model is fitted with that label added; the
    expected error of the other rows then, Σ_c P(c | x) Σ_z loss(P⁺(· | z)), is compared with that of today. `loss` is
    "log", the entropy of P, or "zero_one", 1 − max P. `among` other rows stand for all. Half of the candidates are
    those of smallest margin, the others are drawn. All other rows score 0.
    """

    loss: str = "log"
    candidates: int = 24
    among: int = 200
    names = ("error_reduction",)

    def __post_init__(self) -> None:
        check_argument(type(self).__name__, "candidates", self.candidates, integer=True, at_least=1)
        check_argument(type(self).__name__, "among", self.among, integer=True, at_least=1)
        if self.loss not in _LOSSES:
            raise InvalidParameter(f"ErrorReduction: loss must be 'log' or 'zero_one'; got {self.loss!r}.")

    def scores(self, pool: Pool) -> Floats:
        out, tried = np.zeros(len(pool.others)), self._tried(pool)
        drawn, rest = rest_of(pool, self.among)
        after = np.array([self._expected_error(pool, int(i), drawn, rest) for i in tried])
        out[tried] = after.max() - after + 1e-12 * (1 + after.max())  # at least a little more than those not tried
        return out

    def expected_errors(self, pool: Pool, tried: Whole) -> Floats:
        """The mean expected error of the other rows with the label of each of these candidates, (len(tried),)."""
        drawn, rest = rest_of(pool, self.among)
        return np.array([self._expected_error(pool, int(i), drawn, rest) for i in tried])

    def _tried(self, pool: Pool) -> Whole:
        m = len(pool.others)
        most = min(self.candidates, m)
        sure = np.argsort(-margins(pool.probability), kind="stable")
        first, others = sure[: (most + 1) // 2], sure[(most + 1) // 2 :]
        return np.sort(np.concatenate([first, pool.rng.choice(others, most - len(first), replace=False)]))

    def _expected_error(self, pool: Pool, i: int, drawn: Whole, rest: object) -> float:
        """Σ_c P(c | x_i) times the mean loss of the others, the model told that x_i is of class c."""
        row, others, total = pool.others[[i]], drawn != i, 0.0
        for name, chance in zip(pool.classes, pool.probability[i], strict=True):
            if chance > 1e-6:
                told = np.asarray([name], dtype=pool.labels.dtype)
                model = pool.refitted(np.arange(len(pool.labels)), row, told)
                total += chance * float(self._loss(probabilities(model, rest))[others].sum())
        return total / max(1, int(others.sum()))

    def _loss(self, P: Floats) -> Floats:
        return np.asarray(1 - P.max(axis=1) if self.loss == "zero_one" else special.entr(P).sum(axis=1))


@dataclass(frozen=True)
class VarianceReduction(Query):
    """The row whose number leaves the others least uncertain: largest Σ_z C(z, x)² / (C(x, x) + σ²) (Cohn, 1996).

    C is the covariance of what is predicted: of models with `return_cov`, such as `GaussianProcessRegressor`, their
    own, for which this is exactly by how much the variances of the other rows fall, whatever the number will be; of all
    others that of `size` models fitted to bootstraps of the labelled rows, with σ² their mean squared residual.
    `among` other rows stand for all.
    """

    size: int = 20
    among: int = 500
    names = ("variance_reduction",)
    tasks = ("numbers",)

    def __post_init__(self) -> None:
        check_argument(type(self).__name__, "size", self.size, integer=True, at_least=2, at_most=1000)
        check_argument(type(self).__name__, "among", self.among, integer=True, at_least=1)

    def scores(self, pool: Pool) -> Floats:
        drawn = rest_of(pool, self.among)[0]
        if "return_cov" in inspect.signature(pool.fitted.predict).parameters:
            return self._exact(pool, drawn)
        made = [pool.refitted(some) for some in bootstraps(pool, self.size)]
        P = np.array([predicted(model, pool.candidates) for model in made])  # (members, m)
        P -= P.mean(axis=0)
        own = rows_of(pool.X, pool.labelled)
        noise = float(np.mean([(predicted(model, own) - pool.labels.astype(np.float64)) ** 2 for model in made]))
        others = P[:, drawn]
        between = others @ others.T / (len(P) - 1) ** 2  # so that p' between p is Σ C(z, x)²
        return fallen(np.einsum("im,ij,jm->m", P, between, P), P.var(axis=0, ddof=1), noise)

    def _exact(self, pool: Pool, drawn: Whole) -> Floats:
        """By the model's own covariances, candidates in blocks so that no matrix is larger than 2,000 rows."""
        out, block = np.empty(len(pool.others)), max(1, 2000 - len(drawn))
        for first in range(0, len(pool.others), block):
            some = np.arange(first, min(first + block, len(pool.others)))
            rows = np.concatenate([pool.others[some], pool.others[drawn]])
            C = np.asarray(pool.fitted.predict(rows_of(pool.X, rows), return_cov=True)[1], dtype=np.float64)
            variance, across = np.diag(C)[: len(some)], C[: len(some), len(some) :]
            out[some] = fallen((across**2).sum(axis=1), of_targets(pool, some, variance), 0.0)
        return out


def of_targets(pool: Pool, some: Whole, variance: Floats) -> Floats:
    """The variance of new numbers at some candidates, with their noise where the model tells it."""
    interval = getattr(pool.fitted, "predict_interval", None)
    if interval is None or "of" not in inspect.signature(interval).parameters:
        return variance
    ends = np.asarray(interval(rows_of(pool.candidates, some), level=0.5, of="target"), dtype=np.float64)
    return np.asarray(((ends[:, 1] - ends[:, 0]) / (2 * special.ndtri(0.75))) ** 2)


def fallen(squares: Floats, variance: Floats, noise: float) -> Floats:
    """By how much variances fall: 0 where nothing is uncertain.

    >>> fallen(np.array([4.0, 0.0]), np.array([1.0, 0.0]), 1.0)
    array([2., 0.])
    """
    total = np.maximum(variance, 0) + noise
    return np.asarray(np.where(total > 1e-300, squares / np.where(total > 1e-300, total, 1.0), 0.0))
