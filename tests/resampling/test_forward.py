"""Splits forward in time: no row is predicted from a later one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import Forward


@given(st.lists(st.integers(0, 12), min_size=4, max_size=60), st.integers(1, 5))
def test_rows_are_predicted_from_earlier_ones(times, k):
    times = np.array(times)
    if len(set(times.tolist())) < k + 1:
        with pytest.raises(InvalidData, match="different times"):
            Forward(k, times).split(times)
        return
    splits = Forward(k, times).split(times)
    assert len(splits) == k
    for train, test in splits:
        assert times[train].max() < times[test].min()
    tested = np.concatenate([test for _, test in splits])
    assert len(tested) == len(set(tested.tolist()))
    assert set(splits[0][0]) | set(tested) == set(range(len(times)))


def test_blocks_have_about_as_many_rows():
    assert [len(test) for _, test in Forward(4).split(np.zeros(100))] == [20, 20, 20, 20]


def test_the_order_of_the_rows_does_not_matter(rng):
    t, x = np.arange(120), rng.normal(size=120)
    y = x + t / 10 + rng.normal(size=120)
    frame, mixed = pd.DataFrame({"x": x, "t": t}), rng.permutation(120)
    one = sf.evaluate(sf.Ridge(), frame, y, time="t", measures="rmse")
    other = sf.evaluate(sf.Ridge(), frame.iloc[mixed], y[mixed], time=t[mixed], measures="rmse")
    assert one.intervals["rmse"].value == pytest.approx(other.intervals["rmse"].value, rel=1e-9)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(t, "D")
    dated = sf.evaluate(sf.Ridge(), frame, y, time=days, measures="rmse", splits=5)
    assert dated.intervals["rmse"].value == one.intervals["rmse"].value


def test_random_folds_of_a_walk_look_too_good(rng):
    y = np.cumsum(rng.normal(size=300))
    frame = pd.DataFrame({"t": np.arange(300.0)})
    models = {"tree": sf.DecisionTreeRegressor()}
    found = (sf.compare(models, frame, y, time=time, measures="rmse").evaluations["tree"] for time in (None, "t"))
    random, forward = (one.intervals["rmse"].value for one in found)
    assert forward > 2 * random


def test_in_the_order_of_the_rows_by_name(rng):
    X = rng.normal(size=(30, 2))
    found = sf.evaluate(sf.Ridge(), X, X[:, 0], splits="forward")
    assert [len(fold.train) for fold in found.folds] == [5, 10, 15, 20, 25]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"time": [1, 2]}, InvalidData, "a time for each of 20 rows"),
        ({"time": [np.nan, *range(19)]}, InvalidData, "time of row 0 is missing"),
        ({"time": [None, *range(19)]}, InvalidData, "time of row 0 is missing"),
        ({"time": ["a", *range(19)]}, InvalidData, "all of one type|different times"),
        ({"time": "when"}, InvalidData, "names the column 'when', which X has not"),
        ({"time": range(20), "splits": "folds"}, InvalidParameter, "number of blocks"),
        ({"time": np.zeros(20)}, InvalidData, "at least 6 different times; there are 1"),
        ({"splits": Forward(0)}, InvalidParameter, "at least 1; got 0"),
    ],
)
def test_refused(rng, options, error, words):
    X = rng.normal(size=(20, 2))
    if "time" in options and not isinstance(options["time"], str):
        options = {**options, "time": list(options["time"])}
    if options["time" if "time" in options else "splits"] == ["a", *range(19)]:
        options = {**options, "time": np.array(options["time"], dtype=object)}
    with pytest.raises(error, match=words):
        sf.evaluate(sf.Ridge(), X, X[:, 0], **options)
