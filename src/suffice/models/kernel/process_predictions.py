"""Predictions of a Gaussian process regression: means, deviations, covariances, intervals, draws."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...data import Chunk
from ...errors import InvalidParameter
from ...estimator import declares
from ...holds import either, floats
from ...kernels.base import check_memory
from ...params import check_argument, learned
from ...randomness import generator
from ...typing import Floats, RandomState, Reals, TableLike
from .covariance import Covariance, covariance_of, without_noise
from .kernel_of_rows import finite
from .process import GaussianProcess

_BLOCK_CELLS = 1 << 22  # cells of the kernel matrix made at once


@declares
class ProcessPredictions(GaussianProcess):
    """Base: the mean of f(x) is Σⱼ αⱼ k(x, xⱼ); a subclass says what the rows of the fit take from its variance."""

    alpha_: Floats = learned(
        "The coefficients of the rows in predictions, (n,) or (n, targets).",
        holds=either(floats("n"), floats("n", "targets")),
    )

    def _explained(self, between: Floats) -> Floats:
        """A matrix (r, m) whose squares, summed over r, are what is known of m rows with these covariances (n, m)."""
        raise TypeError(f"{type(self).__name__} does not define _explained")

    def _unexplained(self, between: Floats) -> Floats | None:
        """The same of what must be added again; None for nothing."""
        return None

    def predict(self, X: TableLike, return_std: bool = False, return_cov: bool = False) -> Reals | tuple[Reals, Reals]:
        """The mean of each row, (n,) or (n, targets); with its standard deviation, or with all covariances, (n, n).

        Both have the noise of the kernel itself, as scikit-learn's have, and not that of `alpha`.
        """
        self._check_fitted("kernel_")
        if return_std and return_cov:
            raise InvalidParameter("predict: at most one of return_std or return_cov can be requested.")
        if return_cov:
            return self._means_and_covariances(X)
        if not return_std:
            return self._rows(X, lambda chunk: self._shaped(self._mean_of(chunk), chunk))

        def both(chunk: Chunk) -> Reals:
            mean, std = self._mean_of(chunk), np.sqrt(self._variance_of(chunk))[:, None] * self._unit
            return np.asarray(np.stack([mean, std], axis=1), dtype=chunk.X.dtype)

        found = self._rows(X, both)
        return (found[:, 0, 0], found[:, 1, 0]) if self.alpha_.ndim == 1 else (found[:, 0], found[:, 1])

    def predict_interval(self, X: TableLike, level: float = 0.95, *, of: Literal["mean", "target"] = "mean") -> Reals:
        """An interval for each row, (n, 2), or (n, targets, 2): for f(x), or for a new target, which has noise."""
        from scipy.special import ndtri

        self._check_fitted("kernel_")
        check_argument("predict_interval", "level", level, number=True, above=0, below=1)
        check_argument("predict_interval", "of", of, choices=("mean", "target"))
        if of == "target" and not hasattr(self, "_alpha"):
            raise InvalidParameter(
                f"{type(self).__name__}: of='target' needs one alpha for all rows; the fit had one for each."
            )
        times, own = float(ndtri((1 + level) / 2)), self._fitted()

        def interval(chunk: Chunk) -> Reals:
            mean, variance, rows = self._mean_of(chunk), self._variance_of(chunk), _doubles(chunk)
            if of == "mean":
                variance = np.maximum(variance - (own.diagonal(rows) - without_noise(own, rows)), 0.0)
            else:
                variance = variance + self._alpha
            half = times * np.sqrt(variance)[:, None] * self._unit
            ends = np.stack([mean - half, mean + half], axis=-1)
            return np.asarray(ends[:, 0] if self.alpha_.ndim == 1 else ends, dtype=chunk.X.dtype)

        return self._rows(X, interval)

    def sample_y(self, X: TableLike, n_samples: int = 1, random_state: RandomState = 0) -> Reals:
        """Draws of f at some rows, together, (n, samples), or (n, targets, samples)."""
        self._check_fitted("kernel_")
        check_argument("sample_y", "n_samples", n_samples, integer=True, at_least=1)
        mean, covariance = self._means_and_covariances(X)
        rng = generator(random_state)
        if mean.ndim == 1:
            return _draws(mean, covariance, n_samples, rng)
        each = [_draws(mean[:, k], covariance[..., k], n_samples, rng) for k in range(mean.shape[1])]
        return np.stack(each, axis=1)

    def _fitted(self) -> Covariance:
        return covariance_of(self.kernel_, type(self).__name__)

    def _shaped(self, values: Floats, chunk: Chunk) -> Reals:
        return np.asarray(values[:, 0] if self.alpha_.ndim == 1 else values, dtype=chunk.X.dtype)

    def _blocks(self, n: int) -> list[slice]:
        height = max(1, _BLOCK_CELLS // len(self.X_train_))
        return [slice(first, first + height) for first in range(0, n, height)]

    def _mean_of(self, chunk: Chunk) -> Floats:
        """The mean of some rows in the units of the targets, (m, q)."""
        rows, own, coefficients = _doubles(chunk), self._fitted(), self.alpha_.reshape(len(self.X_train_), -1)
        out = np.empty((len(rows), coefficients.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self._blocks(len(rows)):
                out[part] = own.between(rows[part], self.X_train_) @ coefficients
            out = out * self._unit + self._middle
        return finite(out, type(self).__name__, "predictions")

    def _variance_of(self, chunk: Chunk) -> Floats:
        """The variance of some rows, (m,), in units of the normalised targets."""
        rows, own = _doubles(chunk), self._fitted()
        found = own.diagonal(rows).copy()
        for part in self._blocks(len(rows)):
            between = own.between(self.X_train_, rows[part])
            found[part] -= np.sum(self._explained(between) ** 2, axis=0)
            if (more := self._unexplained(between)) is not None:
                found[part] += np.sum(more**2, axis=0)
        return finite(np.maximum(found, 0.0), type(self).__name__, "variances")

    def _means_and_covariances(self, X: TableLike) -> tuple[Reals, Reals]:
        rows = self._rows(X, lambda chunk: np.asarray(chunk.X))
        chunk, own = Chunk(rows), self._fitted()
        check_memory(len(rows), len(rows), 16, self.memory, type(self).__name__)
        between = own.between(self.X_train_, _doubles(chunk))
        known = self._explained(between)
        covariance = own.among(_doubles(chunk)) - known.T @ known
        if (more := self._unexplained(between)) is not None:
            covariance += more.T @ more
        np.fill_diagonal(covariance, self._variance_of(chunk))  # to the last digit, where much cancels
        scaled = covariance[:, :, None] * self._unit**2
        found = np.asarray(scaled[..., 0] if self.alpha_.ndim == 1 else scaled, dtype=rows.dtype)
        return self._shaped(self._mean_of(chunk), chunk), found


def _doubles(chunk: Chunk) -> Floats:
    return np.asarray(chunk.X, dtype=np.float64)


def _draws(mean: Reals, covariance: Reals, count: int, rng: np.random.Generator) -> Reals:
    """Normal draws, (n, count)."""
    values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=np.float64))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    found = np.asarray(mean, dtype=np.float64)[:, None] + root @ rng.normal(size=(len(mean), count))
    return np.asarray(found, dtype=mean.dtype)
