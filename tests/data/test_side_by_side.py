"""Work side by side: results and errors come in the order of the items."""

import time

import pytest

from suffice.data.side_by_side import side_by_side


def items_that_end_in_an_error(count):
    yield from range(count)
    raise ValueError("no more items")


@pytest.mark.parametrize("count", [0, 1, 3, 9])
def test_an_error_of_the_items_comes_after_the_results_before_it(count):
    results = side_by_side(items_that_end_in_an_error(count), lambda i: i, threads=2, ahead=4)
    assert [next(results) for _ in range(count)] == list(range(count))
    with pytest.raises(ValueError, match="no more items"):
        next(results)


def test_an_earlier_error_of_a_job_is_raised_before_a_later_one_of_the_items():
    def fails_late(i):
        time.sleep(0.05)
        raise KeyError(i)

    with pytest.raises(KeyError, match="0"):
        list(side_by_side(items_that_end_in_an_error(2), fails_late, threads=2, ahead=4))
