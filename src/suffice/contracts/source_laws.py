"""The laws of sources: whatever holds the rows, and however it is cut, what is asked of them is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..data import Chunk, Needs, Schema, Source
from ..data.gathering import joined
from ..data.schema import Column
from ..errors import InvalidData, MemoryNeeded
from ..typing import Labels

NEEDS = Needs("Laws", target="numbers", missing=True)


def check_source(
    source: Source,
    X: NDArray[np.generic],
    y: Labels,
    weight: NDArray[np.generic],
    numbers: NDArray[np.generic] | None = None,
) -> None:
    """Check a source of these rows, with this target and these weights, of which some are 0; see `example_rows`.

    `numbers` are those of the rows in the table they come from, where others lie between them.
    """
    source = source.suited_to(NEEDS)
    rows = Chunk(X, y, weight, numbers=numbers)
    for check in (_gathers, _maps, _filters, _cuts, _samples, _names_rows):
        check(source, rows)


def _same(found: Chunk, expected: Chunk, what: str) -> None:
    np.testing.assert_array_equal(found.X, expected.X, err_msg=f"{what}: X")
    np.testing.assert_array_equal(found.y, expected.y, err_msg=f"{what}: y")
    if expected.weight is None:
        assert found.weight is None, f"{what}: weight"
    else:
        np.testing.assert_array_equal(found.weight, expected.weight, err_msg=f"{what}: weight")


def _gathers(source: Source, rows: Chunk) -> None:
    _same(source.gather(), rows, "gather")
    _same(source.gather(limit=1 << 30), rows, "gather with room")
    assert source.count() == len(rows)
    assert source.n_rows in (None, len(rows))
    if source.in_memory is None:
        _raises(MemoryNeeded, "more than memory=8", lambda: source.gather(limit=8))


def _maps(source: Source, rows: Chunk) -> None:
    mapped = source.mapped(_with_sum, Schema((*source.schema.columns, Column("sum"))))
    expected = _with_sum(rows)
    assert mapped.n_rows == source.n_rows
    assert mapped.schema.names == (*source.schema.names, "sum")
    assert mapped.needs == source.needs
    _same(mapped.gather(), expected, "mapped and gathered")
    _same(joined(list(mapped.chunks())), expected, "mapped, chunk by chunk")
    np.testing.assert_array_equal(np.asarray(mapped.map(lambda chunk: chunk.X[:, -1])), expected.X[:, -1])
    total = mapped.reduce(lambda chunk: np.asarray(chunk.weight @ chunk.X))
    np.testing.assert_allclose(total, expected.weight @ expected.X, rtol=1e-12)
    twice = mapped.mapped(_with_sum, Schema((*mapped.schema.columns, Column("sum of all"))))
    _same(twice.gather(), _with_sum(expected), "mapped twice")
    _raises(InvalidData, "must give", lambda: source.mapped(lambda chunk: chunk.rows(1, 2)).gather())
    _raises(InvalidData, "must give a Chunk", lambda: source.mapped(lambda chunk: chunk.X).gather())


def _with_sum(chunk: Chunk) -> Chunk:
    return Chunk(np.column_stack([chunk.X, chunk.X.sum(axis=1)]), chunk.y, chunk.weight)


def _filters(source: Source, rows: Chunk) -> None:
    kept = rows.at(np.flatnonzero(rows.X[:, 0] > 0))
    filtered = source.filtered(lambda chunk: chunk.X[:, 0] > 0)
    _same(filtered.gather(), kept, "filtered and gathered")
    _same(joined(list(filtered.chunks())), kept, "filtered, chunk by chunk")
    np.testing.assert_array_equal(np.asarray(filtered.map(lambda chunk: chunk.y)), kept.y)
    assert filtered.count() == len(kept)
    assert filtered.n_rows in (None, len(kept))
    starts = [(chunk.start, len(chunk)) for chunk in filtered.chunks()]
    assert [start for start, _ in starts] == np.cumsum([0, *(n for _, n in starts)])[:-1].tolist()
    total = filtered.reduce(lambda chunk: np.asarray(chunk.weight @ chunk.X))
    np.testing.assert_allclose(total, kept.weight @ kept.X, rtol=1e-12)
    by_target = source.filtered(lambda chunk: chunk.y == rows.y[0]).mapped(_with_sum, _wider(source.schema))
    _same(by_target.gather(), _with_sum(rows.at(np.flatnonzero(rows.y == rows.y[0]))), "filtered, then mapped")
    _raises(InvalidData, "left by the filter", lambda: source.filtered(lambda c: c.X[:, 0] > 1e9).reduce(len))
    _raises(InvalidData, "one truth value a row", lambda: source.filtered(lambda c: c.X[:, 0]).reduce(len))


def _wider(schema: Schema) -> Schema:
    return Schema((*schema.columns, Column("sum")))


def _cuts(source: Source, rows: Chunk) -> None:
    for size in (1, 7, len(rows), 10 * len(rows)):
        batches = list(source.batches(size))
        assert all(len(batch) == min(size, len(rows)) for batch in batches[:-1])
        _same(joined(batches), rows, f"batches of {size}")
    endless = source.batches(7, np.random.default_rng(0))
    drawn = [next(endless) for _ in range(2 * len(rows) // 7 + 1)]
    endless.close()
    if source.in_memory is None:
        passes = joined(drawn)
        _same(passes.rows(0, len(rows)), rows, "the first pass")
        _same(passes.rows(len(rows), len(passes)), rows.rows(0, len(passes) - len(rows)), "the next pass")
        return
    again = source.batches(7, np.random.default_rng(0))
    _same(next(again), drawn[0], "the same seed")
    never = {row.tobytes() for row in rows.X[rows.weight == 0]}
    assert not never & {row.tobytes() for batch in drawn for row in batch.X}, "a row without weight was drawn"


def _samples(source: Source, rows: Chunk) -> None:
    some = rows.at(np.flatnonzero(rows.weight > 0))
    _same(source.sample(len(rows), seed=3), some, "a sample of all")
    found = source.sample(9, seed=3)
    assert len(found) == 9
    assert found.weight is None
    assert _keys(found) <= _keys(some)
    order = [_list(some).index(key) for key in _list(found)]
    assert order == sorted(order), "a sample is not in order"
    assert _keys(found) != _keys(source.sample(9, seed=4)), "another seed draws the same rows"


def _list(chunk: Chunk) -> list[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(chunk.X, dtype=np.float64)]


def _keys(chunk: Chunk) -> set[bytes]:
    return set(_list(chunk))


def _names_rows(source: Source, rows: Chunk) -> None:
    """An error in what is left after a change names the row of the table, whatever was dropped before it."""
    at = int(np.flatnonzero(rows.X[:, 0] > 0)[-1])
    spoilt = source.filtered(lambda chunk: chunk.X[:, 0] > 0).mapped(_Spoilt(rows.X[at].tobytes()))
    number = int(rows.number(at))
    counted = "partition" not in source.origin()  # where partitions have unknown sizes, each begins at 0
    named = f"row {number}" if not source.origin() else f"row {number + 1} of " if counted else "row "
    _raises(InvalidData, named, lambda: spoilt.suited_to(Needs("Laws")).reduce(len))


class _Spoilt:
    """Puts NaN into the row with these cells."""

    def __init__(self, row: bytes) -> None:
        self.row = row

    def __call__(self, chunk: Chunk) -> Chunk:
        X = np.array(chunk.X, dtype=np.float64)
        X[[row.tobytes() == self.row for row in X], -1] = np.nan
        return Chunk(X, chunk.y, chunk.weight)


def _raises(kind: type[Exception], words: str, call: Callable[[], object]) -> None:
    try:
        call()
    except kind as error:
        assert words in str(error), f"{error} does not say {words!r}"
        return
    raise AssertionError(f"{kind.__name__} expected")


def example_rows(rng: np.random.Generator, n: int = 150) -> Iterator[NDArray[np.generic]]:
    """Rows (n, 3), a target of whole numbers (n,), and weights (n,), some of them 0, as `check_source` takes them."""
    yield np.clip(rng.normal(size=(n, 3)), -3, None)
    yield rng.integers(0, 4, n).astype(np.float64)
    yield rng.integers(0, 3, n).astype(np.float64)
