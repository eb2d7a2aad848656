"""Reading ahead: order, errors in order, bounded, and no thread left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.backend import thread_count, threads
from suffice.data import readahead
from suffice.data.readahead import ReadAhead


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "suffice-read-ahead"]


def assert_no_thread_is_left() -> None:
    end = time.monotonic() + 5
    while readers() and time.monotonic() < end:
        time.sleep(0.001)
    assert not readers()


@given(n=st.integers(0, 50), depth=st.integers(1, 5))
def test_items_come_in_order(n: int, depth: int) -> None:
    assert list(ReadAhead(iter(range(n)), depth)) == list(range(n))


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("three")

    ahead = ReadAhead(items(), 3)
    assert [next(ahead), next(ahead)] == [1, 2]
    with pytest.raises(KeyError, match="three"):
        next(ahead)
    with pytest.raises(StopIteration):
        next(ahead)
    assert_no_thread_is_left()


def test_no_more_is_made_than_the_depth() -> None:
    made = []

    def items() -> Iterator[int]:
        for i in range(100):
            made.append(i)
            yield i

    ahead = ReadAhead(items(), 2)
    assert next(ahead) == 0
    assert_no_thread_is_left()  # the thread ends once the items ahead are made
    assert made == [0, 1, 2]
    assert next(ahead) == 1
    assert_no_thread_is_left()
    assert made == [0, 1, 2, 3]


def test_closing_ends_the_thread_and_closes_the_items() -> None:
    closed = []

    def items() -> Iterator[int]:
        try:
            while True:
                time.sleep(0.001)
                yield 1
        finally:
            closed.append(True)

    ahead = ReadAhead(items(), 3)
    next(ahead)
    ahead.close()
    assert closed == [True]
    assert not readers()
    with pytest.raises(StopIteration):
        next(ahead)


def test_an_iterator_that_is_kept_by_a_traceback_leaves_no_thread() -> None:
    ahead = ReadAhead(iter(range(1000)), 2)

    def consume() -> None:
        for _ in ahead:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        consume()
    assert caught.tb is not None  # holds the frames
    assert_no_thread_is_left()


def test_nothing_starts_before_the_first_item_is_wanted() -> None:
    ahead = ReadAhead(iter(range(3)))
    assert not readers()
    ahead.close()


def test_the_context_of_the_caller_holds_in_the_background() -> None:
    with threads(1):
        ahead = ReadAhead(thread_count() for _ in range(3))
    assert list(ahead) == [1, 1, 1]


def test_both_sides_work_at_the_same_time() -> None:
    def items() -> Iterator[int]:
        for i in range(10):
            time.sleep(0.02)
            yield i

    start = time.perf_counter()
    for _ in ReadAhead(items()):
        time.sleep(0.02)
    assert time.perf_counter() - start < 0.36  # one after the other takes 0.4


@pytest.mark.parametrize("runs", [True, False])
def test_ctrl_c_while_the_thread_is_started(monkeypatch, runs):
    """Whether the thread runs already or not, closing waits for nothing and raises nothing else."""
    started = []

    class Interrupted(threading.Thread):
        def start(self):
            if runs:
                super().start()
                started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(readahead, "Thread", Interrupted)
    made = []
    ahead = readahead.ReadAhead(made.append(i) or i for i in range(5))
    with pytest.raises(KeyboardInterrupt):
        next(ahead)
    ahead.close()
    for thread in started:
        thread.join()
    assert made == []
    assert list(ahead) == []


def test_a_thread_that_is_slow_to_end_does_not_keep_the_next_from_starting(monkeypatch):
    fill = ReadAhead._fill

    def slow(self):
        fill(self)
        time.sleep(0.02)  # it has said that it ends, and is still in its context

    monkeypatch.setattr(ReadAhead, "_fill", slow)
    found = []
    reading = threading.Thread(target=lambda: found.extend(ReadAhead(range(4), depth=1)), daemon=True)
    reading.start()
    reading.join(20)
    assert found == [0, 1, 2, 3]
