"""The works whose speed-up with threads is measured."""

import pytest
from benchmarks.cores import Work, row, slower_with_more, thread_counts, works

TINY = 20_000  # times fewer rows


@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")  # the number of iterations is given
@pytest.mark.parametrize("work", list(works(4)), ids=lambda work: work.name)
def test_a_work_can_be_done(work):
    small = next(other for other in works(TINY) if other.name == work.name)
    if "matrix product" not in small.name:
        small.make()()


def test_threads_go_up_to_the_cores():
    assert thread_counts(1) == [1]
    assert thread_counts(16) == [1, 2, 4, 8, 16]
    assert thread_counts(12) == [1, 2, 4, 8, 12]


def test_more_threads_that_are_slower_are_named():
    took = {1: 8.0, 2: 4.0, 4: 3.0, 8: 3.6}
    assert slower_with_more(took) == [8]
    line = row(Work("fit", "10 × 2", lambda: lambda: None), took)
    assert "2.2×" in line
    assert "slower with 8 than with fewer" in line
