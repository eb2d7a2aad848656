"""Fits within fits: they share observers and limits, and what ends an inner one ends the outer one with what it has."""

import types

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.engine import Step, closed_form, end_outer, in_turn, iterate, limits
from suffice.errors import NotConverged, TimeLimit
from suffice.observing import Observer, observe


class CtrlC(Observer):
    """Presses Ctrl-C once, when so many iterations are done in all."""

    def __init__(self, iterations):
        self.left = iterations

    def iteration_done(self, done, snapshot):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture
def clock(monkeypatch):
    """A clock that is a second later whenever somebody looks at it."""
    import sys

    looks = []
    fake = types.SimpleNamespace(monotonic=lambda: looks.append(None) or float(len(looks)))
    monkeypatch.setattr(sys.modules["suffice.engine.limits"], "time", fake)
    return looks


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 60)
    return rng.normal(size=(180, 3)) + 2 * np.repeat(np.arange(3), 60)[:, None], y


SLOW = {"tol": 0, "max_iter": 200, "random_state": 0}


def test_an_inner_end_ends_the_outer_loop_after_its_round():
    def step(x):
        if x == 2:
            end_outer("interrupted")
        return Step(x + 1, float(x))

    outcome = iterate(lambda run: 0, step, max_iter=9, restarts=3)
    assert (outcome.state, outcome.history.status, len(outcome.history)) == (3, "interrupted", 3)
    assert iterate(lambda run: 0, lambda x: Step(x, 0.0), max_iter=2).history.status == "max_iter"


def test_works_in_turn_end_with_what_there_is():
    def works():
        yield lambda: 1
        yield lambda: end_outer("time_limit") or 2
        yield lambda: 3

    outcome = closed_form(lambda: Step(list(in_turn(works())), 0.0))
    assert (outcome.state, outcome.history.status) == ([1, 2], "time_limit")

    def interrupted():
        raise KeyboardInterrupt

    outcome = closed_form(lambda: Step(list(in_turn([lambda: 1, interrupted, lambda: 3])), 0.0))
    assert (outcome.state, outcome.history.status) == ([1], "interrupted")
    with pytest.raises(KeyboardInterrupt):
        list(in_turn([interrupted]))


def test_observers_see_inner_fits_within_the_outer_one(classes):
    with sf.recording() as trace:
        sf.MixtureBayes(2, random_state=0).fit(*classes)
    assert [fit.name for fit in trace.fits] == ["MixtureBayes", *["GaussianMixture", "KMeans"] * 3]
    assert [fit.within for fit in trace.fits] == [None, 0, 1, 0, 3, 0, 5]
    assert all(fit.iterations and fit.status == "converged" for fit in trace.fits)


def test_inner_fits_share_the_limit(classes, clock):
    with limits(seconds=40):
        model = sf.MixtureBayes(3, **SLOW).fit(*classes)
    assert model.history_.status == "time_limit"
    assert len(clock) < 60  # every iteration of every inner fit looks at the clock: without a limit there are hundreds
    assert len(model.mixtures_) == 3
    assert model.score(*classes) > 0.6
    assert np.isfinite(model.history_.objective).all()


@pytest.mark.parametrize("iterations", [1, 2, 3, 10, 25])
def test_an_interrupt_in_an_inner_fit_keeps_what_there_is(classes, iterations):
    model = sf.MixtureBayes(3, **SLOW)
    with observe(CtrlC(iterations)), pytest.raises(KeyboardInterrupt):
        model.fit(*classes)
    assert model.history_.status == "interrupted"
    assert len(model.mixtures_) == 3
    assert model.score(*classes) > 0.6


def test_an_interrupt_in_the_start_of_a_mixture(classes):
    model = sf.GaussianMixture(3, **SLOW)
    with observe(CtrlC(1)), pytest.raises(KeyboardInterrupt):
        model.fit(classes[0])
    assert (model.history_.status, model.n_iter_) == ("interrupted", 1)
    assert model.predict(classes[0]).shape == (180,)


MADE_OF_ONE = [sf.MixtureImputer(3, **SLOW), sf.DensityAnomaly(sf.GaussianMixture(3, **SLOW))]


@pytest.mark.parametrize("model", MADE_OF_ONE, ids=lambda model: type(model).__name__)
def test_models_that_are_made_of_one(model, classes, clock):
    X = classes[0]
    with limits(seconds=60):
        model.fit(X)
    assert model.history_.status == "time_limit"
    assert len(clock) < 80
    assert 1 <= len(model.history_) < 60
    assert np.isfinite(model.transform(X) if hasattr(model, "transform") else model.score_samples(X)).all()


def test_bisecting_ends_with_the_clusters_it_has(classes):
    model = sf.BisectingKMeans(8, random_state=0)
    with observe(CtrlC(6)), pytest.warns(NotConverged), pytest.raises(KeyboardInterrupt):
        model.fit(classes[0])
    assert model.history_.status == "interrupted"
    assert 2 <= len(model.cluster_centers_) < 8
    assert set(model.labels_) == set(range(len(model.cluster_centers_)))


def test_a_limit_does_not_end_the_last_pass_over_a_file(tmp_path, clock, classes):
    pd.DataFrame(classes[0]).rename(columns=str).to_csv(tmp_path / "rows.csv", index=False)
    with limits(seconds=8):
        model = sf.KMeans(4, tol=0, random_state=0).fit(sf.scan(tmp_path / "rows.csv"))
    assert model.history_.status == "time_limit"
    assert np.isfinite(model.inertia_)


def test_a_limit_before_the_first_iteration_is_still_an_error(classes, clock):
    with limits(seconds=1), pytest.raises(TimeLimit):
        sf.GaussianMixture(3).fit(classes[0])


def test_fit_source_is_a_fit(classes):
    X, y = classes
    source = sf.as_source(X, y)
    assert sf.GaussianMixture(2, random_state=0).fit_source(source).lower_bound_ == pytest.approx(
        sf.GaussianMixture(2, random_state=0).fit(X).lower_bound_
    )
    model = sf.KMeans(2, random_state=0).fit(X)
    again = model.fit_source(sf.as_source(X[:, :2]))
    assert again is model
    assert model.n_features_in_ == 2


def test_inner_fits_name_the_outer_model():
    missing = np.full((6, 2), np.nan)
    missing[:, 0] = np.arange(6)
    with pytest.raises(ValueError, match=r"^GaussianImputer: column 1 has only missing values"):
        sf.GaussianImputer().fit(missing)


def test_a_fit_that_begins_when_the_outer_one_was_ended_makes_one_iteration():
    made = []

    def inner():
        outcome = iterate(lambda run: 0, lambda x: Step(x + 1, -float(x)), max_iter=50, restarts=3)
        made.append((len(outcome.history), outcome.history.status))

    closed_form(lambda: Step([inner(), end_outer("interrupted"), inner()], 0.0))
    assert made == [(50, "max_iter"), (1, "interrupted")]


@pytest.mark.filterwarnings("ignore:PerCluster.* Fit again with more time")
def test_ctrl_c_in_the_first_of_two_inner_fits_ends_the_second_too(rng):
    X, y = rng.normal(size=(400, 3)), np.resize(["a", "b"], 400)
    mixture = sf.GaussianMixture(4, tol=0, random_state=0)
    for model in (
        sf.DensityAndClassifier(mixture, sf.MixtureBayes(3, tol=0, random_state=0)),
        sf.PerCluster(mixture, sf.MixtureBayes(3, tol=0, random_state=0)),
    ):
        with observe(CtrlC(15)), sf.recording() as trace, pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        sizes = [len(fit.iterations) for fit in trace.fits]
        after = sizes[int(np.argmax(sizes)) + 1 :]  # the longest is the one that was ended
        assert after
        assert max(after) <= 1
        assert model.history_.status == "interrupted"
        assert len(model.predict(X)) == 400


def test_a_time_limit_is_no_lack_of_distinct_rows(rng):
    model = sf.BisectingKMeans(50, random_state=0)
    with observe(CtrlC(40)), pytest.warns(NotConverged, match="was ended before"), pytest.raises(KeyboardInterrupt):
        model.fit(rng.normal(size=(500, 2)))
    assert 1 < len(model.cluster_centers_) < 50
