"""What is missing given what was seen, from a mixture of Gaussians."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from ... import params
from ...data import Chunk
from ...distributions.conditional import Given
from ...distributions.mixture import Mixture
from ...distributions.sharing import blocks
from ...holds import require
from ...randomness import generator
from ...typing import Floats, RandomState, Reals, TableLike


class Imputes:
    """`impute`, `conditional` and `sample_missing` for estimators with a `mixture_` of Gaussians."""

    mixture_: Mixture

    def check_loaded(self) -> None:
        super().check_loaded()  # type: ignore[misc]
        known = self.mixture_.has_parameters and all(hasattr(part, "given") for part in self.mixture_.parts)
        require(known, "mixture_ must be of Gaussians")

    def impute(self, X: TableLike) -> Reals:
        """X with its missing values filled by their expected values given what was seen in the row."""
        return self._by_blocks(X, lambda chunk: _completed(chunk, self.mixture_))

    def conditional(self, X: TableLike) -> tuple[Reals, Reals]:
        """The mean (n, d) and covariance (n, d, d) of every row given what was seen of it."""
        both = self._by_blocks(X, lambda chunk: _with_covariance(chunk, self.mixture_))
        return both[:, 0], both[:, 1:]

    def sample_missing(self, X: TableLike, random_state: RandomState = None) -> Reals:
        """X with its missing values filled by draws from their distribution given what was seen in the row."""
        params.check(self)
        state = self.random_state if random_state is None else random_state  # type: ignore[attr-defined]
        key = int(generator(state).integers(2**63))
        return self._by_blocks(X, lambda chunk: _drawn(chunk, self.mixture_, key).astype(chunk.X.dtype))

    def _by_blocks(self, X: TableLike, f: Callable[[Chunk], Reals]) -> Reals:
        """Apply `f` to few rows at once: a row with many missing values has a large covariance."""

        def of_chunk(chunk: Chunk) -> Reals:
            parts = blocks(len(chunk), chunk.X.shape[1] ** 2) or [slice(0, 0)]
            return np.concatenate([f(chunk.rows(rows.start, rows.stop)) for rows in parts])

        found: Reals = self._rows(X, of_chunk)  # type: ignore[attr-defined]
        return found


def _completed(chunk: Chunk, mixture: Mixture) -> Reals:
    """Rows with their missing values filled, (n, d); only rows that have some are looked at further."""
    filled: Reals = np.array(chunk.X)
    rows = np.flatnonzero(np.isnan(filled).any(axis=1))
    if len(rows):
        filled[rows] = _expected(Chunk(filled[rows]), mixture)[0]
    return filled


def _expected(chunk: Chunk, mixture: Mixture) -> tuple[Floats, Floats, list[Given]]:
    """Rows filled (n, d), posteriors (n, k), and the rows given each component, of those with a weight."""
    X = np.asarray(chunk.X, dtype=np.float64)
    posterior = mixture.posterior_of(X)[:, mixture.weights > 0]
    given = [part.given(X) for part in mixture.active]
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


def _drawn(chunk: Chunk, mixture: Mixture, key: int) -> Floats:
    X = np.asarray(chunk.X, dtype=np.float64)
    _, posterior, given = _expected(chunk, mixture)
    uniform = _numbered_uniforms(key, chunk.start, len(X), 1 + X.shape[1])
    running = np.cumsum(posterior, axis=1)
    chosen = np.minimum((running <= uniform[:, :1]).sum(axis=1), posterior.shape[1] - 1)
    normal = ndtri(np.maximum(uniform[:, 1:], 2.0**-54))
    filled = X.copy()
    for j, part in enumerate(given):
        rows = chosen == j
        filled[rows] = part.drawn(normal)[rows]
    return np.where(np.isnan(X), filled, X)


def _numbered_uniforms(key: int, start: int, n: int, width: int) -> Floats:
    """Numbers in [0, 1), (n, width), for the rows from `start` on: the same however the rows are cut."""
    steps = -(-width // 4)  # one step of the counter gives four numbers
    stream = np.random.Generator(np.random.Philox(key=key).advance(start * steps))
    return stream.random((n, 4 * steps))[:, :width]
