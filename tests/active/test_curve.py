"""What labels are worth: curves over repeats, against random queries."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, TimeLimit
from suffice.resampling import Measure


@pytest.fixture(scope="module")
def line():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] > 0.2, "right", "left")


@pytest.fixture(scope="module")
def curve(line):
    learner = sf.ActiveLearner(sf.LinearDiscriminantAnalysis(), "margin", first=8, batch=4)
    return learner.curve(*line, queries=32, repeats=6)


def test_asking_beats_chance_where_classes_have_an_edge(curve):
    assert curve.labels.tolist() == [8, 12, 16, 20, 24, 28, 32]
    assert {values.shape for values in curve.values.values()} == {(6, 7)}
    gain = curve.gain()
    assert gain.value == pytest.approx((curve.values["margin"] - curve.values["random"])[:, -1].mean())
    assert gain.low > 0
    assert curve.gain("random", 20).level == 0.95


def test_how_many_labels_it_takes(curve):
    mean = curve.values["margin"].mean(axis=0)
    assert curve.labels_for(float(mean.min())) == 8
    assert curve.labels_for(2.0) is None
    after = curve.labels_for(float(mean[-1]))
    assert after is not None
    assert (mean[curve.labels >= after] >= mean[-1]).all()


def test_the_table_and_the_picture_say_the_same(curve):
    rows = curve.table()
    assert len(rows) == 14
    assert all(row["low"] <= row["accuracy"] <= row["high"] or row["low"] == row["high"] for row in rows)
    shown = curve.plot().table()
    assert shown["y"].tolist() == [row["accuracy"] for row in rows]
    assert shown["low"].tolist() == [row["low"] for row in rows]
    plt.close("all")
    assert str(curve).splitlines()[0] == "accuracy, mean of 6 repeats"
    assert "gain of margin over random after 32 labels: 0." in str(curve)
    assert repr(curve) == "QueryCurve(margin, random: accuracy up to 32 labels)"


def test_numbers_and_several_strategies(line):
    X, _ = line
    y = X[:, 0] ** 2
    found = sf.ActiveLearner(sf.Ridge(), "committee").curve(
        X[:60], y[:60], queries=9, repeats=2, against=["random", sf.VarianceReduction(size=5)]
    )
    assert found.names == ("committee", "random", "variance_reduction")
    assert found.measure.name == "rmse"
    assert np.isfinite(found.gain("variance_reduction").low)


def test_stopping_keeps_repeats_that_are_done(line):
    """Ctrl-C in the third repeat; a time limit is for all of them together, and never measures a half."""
    asked = []

    def stopping(answers):
        asked.append(1)
        if len(asked) > 2 * 2 * 3 + 1:
            raise KeyboardInterrupt
        return float(np.mean(answers.truth == answers.predicted))

    learner = sf.ActiveLearner(sf.LinearDiscriminantAnalysis(), first=6, batch=3)
    found = learner.curve(*line, queries=12, repeats=9, measure=Measure("mine", "classes", stopping))
    assert (found.status, {len(values) for values in found.values.values()}) == ("interrupted", {2})
    assert "stopped early (interrupted)" in str(found)
    with sf.limits(seconds=1e-9), pytest.raises(TimeLimit, match="ran out in repeat 1"):
        learner.curve(*line, queries=12, repeats=9)


def test_refusals(line, curve):
    X, y = line
    learner = sf.ActiveLearner(sf.GaussianNB())
    with pytest.raises(InvalidData, match="queries must be at least first=5"):
        learner.curve(X, y, queries=3)
    with pytest.raises(InvalidParameter, match="Did you mean 'random'"):
        learner.curve(X, y, against="randon")
    with pytest.raises(InvalidParameter, match="against must be a strategy or several; got 3"):
        learner.curve(X, y, against=3)
    with pytest.raises(InvalidParameter, match="'entropy' was not tried; what was: margin, random"):
        curve.gain("entropy")
    with pytest.raises(InvalidParameter, match="at must be from 8 to 32 labels; got 9"):
        curve.gain(at=9)
