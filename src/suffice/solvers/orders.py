"""In which order stochastic gradient descent takes rows."""

from __future__ import annotations

import numpy as np

from ..backend.sgd import random_orders
from ..data import Chunk
from ..typing import Whole

_BLOCK, _WINDOW, _MANY = 16, 64, 1 << 16  # rows, blocks, and rows from which on they are shuffled in blocks
_STRIDE = 0x8CB92BA72F3D8DD7  # between the seeds of two chunks


def orders(chunk: Chunk, seed: int | None, number: int, count: int) -> Whole:
    """The orders of the rows of a chunk in some epochs from `number` on, (count, n); without a seed as they lie.

    Rows of no weight are left out.
    """
    rows = np.arange(len(chunk)) if chunk.weight is None else np.flatnonzero(chunk.weight > 0)
    if seed is None:
        return np.tile(rows, (count, 1))
    if len(rows) < _MANY:
        return random_orders(rows, seed + chunk.start * _STRIDE, number, count)
    seeds = ((seed, e, chunk.start) for e in range(number, number + count))
    return np.stack([rows[shuffled(len(rows), np.random.default_rng(one))] for one in seeds])


def shuffled(n: int, rng: np.random.Generator) -> Whole:
    """A random order of many rows.

    Blocks of 16 neighbours are shuffled, and then the rows of every 64 blocks: no gradient can tell, and memory is read
    in longer pieces.
    """
    blocks = rng.permutation(n // _BLOCK)[:, None] * _BLOCK + np.arange(_BLOCK)
    whole = len(blocks) // _WINDOW * _WINDOW
    mixed = rng.permuted(blocks[:whole].reshape(-1, _WINDOW * _BLOCK), axis=1)
    rest = np.concatenate([blocks[whole:].ravel(), np.arange(n // _BLOCK * _BLOCK, n)])
    return np.concatenate([mixed.ravel(), rng.permutation(rest)])
