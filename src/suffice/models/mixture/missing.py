"""What is missing given what was seen, from a mixture of Gaussians."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk
from ...distributions.mixture import Mixture
from ...randomness import generator

Floats = NDArray[np.float64]


class Imputes:
    """`impute`, `conditional` and `sample_missing` for estimators with a `mixture_` of Gaussians."""

    mixture_: Mixture

    def impute(self, X: Any) -> Any:
        """X with its gaps filled by their expected values given what was seen in the row."""
        return self._rows(X, lambda chunk: _expected(chunk, self.mixture_)[0].astype(chunk.X.dtype))  # type: ignore[attr-defined]

    def conditional(self, X: Any) -> tuple[Any, Any]:
        """The mean (n, d) and covariance (n, d, d) of every row given what was seen of it."""
        both = self._rows(X, lambda chunk: _with_covariance(chunk, self.mixture_))  # type: ignore[attr-defined]
        return both[:, 0], both[:, 1:]

    def sample_missing(self, X: Any, random_state: Any = None) -> Any:
        """X with its gaps filled by draws from their distribution given what was seen in the row."""
        state = self.random_state if random_state is None else random_state  # type: ignore[attr-defined]
        rng = generator(state)
        return self._rows(X, lambda chunk: _drawn(chunk, self.mixture_, rng).astype(chunk.X.dtype))  # type: ignore[attr-defined]


def _expected(chunk: Chunk, mixture: Mixture) -> tuple[Floats, Floats, list[Any]]:
    """Rows filled (n, d), posteriors (n, k), and the rows given each component."""
    X = np.asarray(chunk.X, dtype=np.float64)
    posterior = mixture.posterior_of(X)
    given = [part.given(X) for part in mixture.parts]
    filled = np.zeros_like(X)
    for share, part in zip(posterior.T, given, strict=True):
        filled += share[:, None] * part.filled
    return np.where(np.isnan(X), filled, X), posterior, given


def _with_covariance(chunk: Chunk, mixture: Mixture) -> Floats:
    """The mean and covariance of each row, stacked to (n, 1 + d, d): law of total covariance."""
    filled, posterior, given = _expected(chunk, mixture)
    n, d = filled.shape
    out = np.zeros((n, 1 + d, d))
    out[:, 0] = filled
    for share, part in zip(posterior.T, given, strict=True):
        apart = part.filled - filled
        out[:, 1:] += share[:, None, None] * (part.covariances() + apart[:, :, None] * apart[:, None, :])
    return out


def _drawn(chunk: Chunk, mixture: Mixture, rng: np.random.Generator) -> Floats:
    X = np.asarray(chunk.X, dtype=np.float64)
    _, posterior, given = _expected(chunk, mixture)
    running = np.cumsum(posterior, axis=1)
    chosen = np.minimum((running <= rng.random((len(X), 1))).sum(axis=1), posterior.shape[1] - 1)
    normal = rng.normal(size=X.shape)
    filled = X.copy()
    for j, part in enumerate(given):
        rows = chosen == j
        filled[rows] = part.drawn(normal)[rows]
    return np.where(np.isnan(X), filled, X)
