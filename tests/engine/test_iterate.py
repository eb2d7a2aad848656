"""The one loop: stopping, restarts, history, limits, interrupts."""

import time

import numpy as np
import pytest

from suffice.engine import Step, closed_form, iterate, limits, recording, small_change
from suffice.errors import InvalidParameter, TimeLimit
from suffice.observing import Observer, observe


def halve(x):
    return Step(x / 2, objective=x / 2, metrics={"log": float(np.log(x))})


def test_stops_when_the_rule_says_so():
    outcome = iterate(lambda run: 8.0, halve, stop=small_change(0.3))
    assert outcome.state == 0.25
    assert outcome.history.status == "converged"
    assert outcome.history.objective.tolist() == [4, 2, 1, 0.5, 0.25]
    assert [done.number for done in outcome.history.iterations] == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(outcome.history.metric("log"), np.log([8, 4, 2, 1, 0.5]))
    assert np.isnan(outcome.history.metric("unknown")).all()
    assert repr(outcome.history).startswith("History(5 iterations, objective 0.25")


def test_stops_at_max_iter():
    outcome = iterate(lambda run: 8.0, halve, stop=lambda iterations: False, max_iter=3)
    assert (outcome.state, outcome.history.status, len(outcome.history)) == (1.0, "max_iter", 3)


@pytest.mark.parametrize(("minimise", "best"), [(True, 1.0), (False, 3.0)])
def test_keeps_the_best_of_several_runs(minimise, best):
    starts = [2.0, 1.0, 3.0]
    outcome = iterate(
        lambda run: starts[run], lambda x: Step(x, x), stop=lambda iterations: True, restarts=3, minimise=minimise
    )
    assert outcome.state == best
    assert outcome.history.finals == (2.0, 1.0, 3.0)


class After(Observer):
    """Raises when `iterations` iterations are done."""

    def __init__(self, iterations, error):
        self.left, self.error = iterations, error

    def iteration_done(self, done, snapshot):
        self.left -= 1
        if self.left == 0:
            raise self.error


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), "interrupted"), (TimeLimit("x"), "time_limit")])
def test_keeps_what_it_has_when_stopped(error, status):
    with observe(After(3, error)):
        outcome = iterate(lambda run: 8.0, halve, stop=lambda iterations: False, restarts=5)
    assert (outcome.state, outcome.history.status) == (1.0, status)


def test_an_interrupt_in_a_later_run_keeps_the_best_run():
    def step(x):
        if x == 7.0:
            raise KeyboardInterrupt
        return Step(x, x)

    outcome = iterate(lambda run: [5.0, 7.0][run], step, stop=lambda iterations: True, restarts=2)
    assert (outcome.state, outcome.history.status) == (5.0, "interrupted")


def test_before_the_first_iteration_there_is_nothing_to_keep():
    def step(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        iterate(lambda run: 1.0, step, stop=lambda iterations: True)


def test_time_limit():
    def slow(x):
        time.sleep(0.02)
        return Step(x, -x)

    with limits(seconds=0.05):
        outcome = iterate(lambda run: 1.0, slow, stop=lambda iterations: False)
    assert outcome.history.status == "time_limit"
    assert 1 <= len(outcome.history) < 20


def test_limits_must_be_positive():
    with pytest.raises(InvalidParameter, match="seconds must be a number, above 0; got 0"), limits(seconds=0):
        pass


def test_closed_form_is_one_round():
    outcome = closed_form(lambda: Step("answer", 1.5))
    assert (outcome.state, outcome.history.status, outcome.history.objective.tolist()) == ("answer", "converged", [1.5])


def test_snapshots_reach_a_recording():
    import suffice as sf

    with recording() as trace:
        sf.StandardScaler().fit([[1.0], [2.0]])
    assert [fit.name for fit in trace.fits] == ["StandardScaler"]
    assert trace.fits[0].status == "converged"


def test_a_step_says_that_it_is_done():
    outcome = iterate(lambda run: 8.0, lambda x: Step(x / 2, x / 2, {"moved": 1.0}, done=x <= 4))
    assert (outcome.state, outcome.history.status, len(outcome.history)) == (2.0, "converged", 2)
    never = iterate(lambda run: 8.0, lambda x: Step(x / 2, x / 2, {"moved": 0.0, "done": 1.0}), max_iter=5)
    assert (never.history.status, len(never.history)) == ("max_iter", 5)
