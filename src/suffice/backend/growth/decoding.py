"""Codes and sums as the numbers and categories that they stand for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Whole
from .scores import weights_of
from .values import Bytes, Decoded, Decoding, Nodes, Targets


def decoded(nodes: Nodes, targets: Targets, decoding: Decoding) -> Decoded:
    """Grown nodes as trees."""
    value = (
        class_shares(targets, nodes.sums) if decoding.centre is None else means(targets, nodes.sums, decoding.centre)
    )
    inner = nodes.column >= 0
    numbers = inner & (nodes.set < 0)
    threshold = np.zeros(len(inner))
    split = (own[numbers].astype(np.int64) for own in (nodes.column, nodes.last, nodes.next))
    threshold[numbers] = code_thresholds(decoding, *split)
    threshold[inner & ~numbers], sets = category_sets(nodes, decoding.recode, decoding.starts)
    return Decoded(
        nodes.starts, nodes.column, nodes.left, threshold, nodes.missing_left.astype(bool), nodes.gain,
        weights_of(targets, nodes.sums), value, sets,
    )  # fmt: skip


def code_thresholds(decoding: Decoding, column: Whole, last: Whole, after: Whole) -> Floats:
    """Up to which number rows go left, where `last` is the greatest code on the left, `after` the least beyond.

    Between the values of both where all are known, else at an edge; infinite where only missing cells go right.
    """
    between = middles(decoding.high[column, last], decoding.low[column, after])
    found = np.where(decoding.exact[column], between, decoding.edges[column, last])
    return np.where(after == last, np.inf, found)


def middles(below: Floats, above: Floats) -> Floats:
    """Numbers at least as large as those below and less than those above, in the middle where there is one."""
    with np.errstate(invalid="ignore"):
        found = below / 2 + above / 2
    return np.where((found >= below) & (found < above), found, below)


def category_sets(nodes: Nodes, recode: Bytes, starts: Whole) -> tuple[Whole, NDArray[np.uint64]]:
    """Where the set of each node with categories begins, and all sets, a bit a category."""
    if not len(nodes.sets):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)
    at = np.flatnonzero((nodes.column >= 0) & (nodes.set >= 0))
    words = -(-np.diff(starts) // 64)
    counts = words[nodes.column[at]]
    spread = [
        _spread(nodes.sets[nodes.set[i]], recode[starts[j] : starts[j + 1]], words[j], bool(nodes.missing_left[i]))
        for i, j in zip(at.tolist(), nodes.column[at].tolist(), strict=True)
    ]
    return np.cumsum(counts) - counts, np.concatenate(spread)


def class_shares(targets: Targets, sums: Whole) -> Floats:
    """The share of each class in nodes with sums (nodes, k), (nodes, classes)."""
    counts = np.column_stack([sums[:, 1] - sums[:, 0], sums[:, 0]]) if targets.k == 2 else sums
    return np.asarray(counts / np.maximum(1, counts.sum(axis=1, keepdims=True)))


def means(targets: Targets, sums: Whole, centre: Floats) -> Floats:
    """The mean targets of nodes, (nodes, q)."""
    weight = np.maximum(1, sums[:, -1:]).astype(np.float64) * targets.weight_unit
    return np.asarray(sums[:, :-1] * targets.first_unit / weight + centre)


def _spread(codes: NDArray[np.uint64], recode: Bytes, words: int, others: bool) -> NDArray[np.uint64]:
    """A set of codes, (4,), as one of categories, a bit each, (words,); those never seen are in it or not."""
    bits = np.unpackbits(codes.astype("<u8").view(np.uint8), bitorder="little")[recode]
    padded = np.full(64 * words, others, dtype=np.uint8)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
