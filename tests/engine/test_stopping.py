"""What an objective has still to gain, by its last steps."""

import numpy as np
import pytest

from suffice.engine import Step, iterate, little_to_gain, still_to_gain


@pytest.mark.parametrize("rate", [0.01, 0.5, 0.9, 0.999])
def test_steps_that_shrink_evenly_are_summed_up(rate):
    rises = 3.0 - rate ** np.arange(5)
    assert still_to_gain(rises.tolist()) == pytest.approx(3.0 - rises[-2], rel=1e-6)


def test_a_saddle_point():
    """Steps that shrink at first and grow later are not the end, however small they are."""
    steps = 1e-4 * 0.3 ** np.arange(12) + 3e-5 * 1.1 ** np.arange(12)
    objective = np.cumsum(np.r_[-5.0, steps]).tolist()
    assert not any(still_to_gain(objective[:n]) < 1e-4 for n in range(2, 13))


@pytest.mark.parametrize(
    ("objectives", "left"),
    [
        ([], np.inf),
        ([1.0], np.inf),
        ([1.0, 2.0, 2.5], np.inf),
        ([1.0, 1.0], 0.0),
        ([1.0, 2.0, 1.5], 0.5),
        ([1.0, 0.5, 2.0, 2.1, 2.11], np.inf),
        ([1.0, 2.0, 3.0, 4.0, 5.0], np.inf),
    ],
)
def test_what_cannot_be_told(objectives, left):
    assert still_to_gain(objectives) == left


def test_a_loop_stops_by_it():
    outcome = iterate(lambda run: 1.0, lambda x: Step(x / 2, -x / 2), stop=little_to_gain(1e-3), minimise=False)
    assert outcome.history.status == "converged"
    assert 1e-3 / 4 < outcome.state < 1e-3
