"""Comparisons that must end in time: what is finished counts, the rest is named."""

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import suffice as sf


class Slow(ClassifierMixin, BaseEstimator):
    """Waits, and then says the most frequent class."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


class Failing(Slow):
    def fit(self, X, y):
        raise ValueError("no luck")


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] > 0, "a", "b")


def test_what_does_not_finish_is_left_out_with_what_was_reached(table):
    models = {"failing": Failing(), "quick": sf.GaussianNB(), "slow": Slow(0.4)}
    began = time.monotonic()
    found = sf.compare(models, *table, splits=5, measures="accuracy", seconds=1.0)
    assert time.monotonic() - began < 4
    assert set(found.evaluations) == {"quick", "dummy"}
    assert found.left_out["slow"].startswith("not finished: ")
    assert found.left_out["slow"].endswith(" of 5 folds within 1 s; give more seconds.")
    assert "no luck" in found.left_out["failing"]
    assert "slow is left out: not finished" in str(found)


def test_without_a_limit_nothing_is_left_out_and_errors_are_raised(table):
    found = sf.compare({"slow": Slow(0.01), "quick": sf.GaussianNB()}, *table, splits=3, measures="accuracy")
    assert set(found.evaluations) == {"slow", "quick", "dummy"}
    assert not found.left_out
    with pytest.raises(sf.errors.InvalidData, match="no luck"):
        sf.compare({"failing": Failing()}, *table, splits=3, measures="accuracy")


def test_a_limit_that_is_long_enough_changes_nothing(table):
    settings = {"splits": 4, "measures": ("accuracy", "log_loss")}
    free = sf.compare({"naive": sf.GaussianNB(), "tree": sf.DecisionTreeClassifier()}, *table, **settings)
    limited = sf.compare(
        {"naive": sf.GaussianNB(), "tree": sf.DecisionTreeClassifier()}, *table, seconds=60, **settings
    )
    assert str(free) == str(limited)


def test_a_fit_that_was_cut_short_is_not_in_the_journal(table, tmp_path):
    journal = tmp_path / "folds"
    models = {"quick": sf.GaussianNB(), "slow": Slow(0.3)}
    sf.compare(models, *table, splits=5, measures="accuracy", seconds=0.5, journal=journal)
    found = sf.compare(models, *table, splits=5, measures="accuracy", journal=journal)
    assert set(found.evaluations) == {"quick", "slow", "dummy"}


def test_the_first_model_is_always_finished(table):
    models = {"slow": Slow(0.05), "other": Slow(0.0)}
    found = sf.compare(models, *table, splits=5, measures="accuracy", seconds=0.1)
    assert set(found.evaluations) == {"slow", "dummy"}
    assert found.left_out["other"] == "not begun within 0.1 s; give more seconds."


def test_nobody_at_all_is_an_error(table):
    with pytest.raises(sf.errors.InvalidData, match=r"no model is left; failing: .*no luck"):
        sf.compare({"failing": Failing()}, *table, splits=5, measures="accuracy", seconds=0.2)


@pytest.mark.parametrize("seconds", [0, -1, True, "long", float("nan")])
def test_bad_limits_are_refused(table, seconds):
    with pytest.raises(sf.errors.InvalidParameter, match="seconds must be a number"):
        sf.compare({"quick": sf.GaussianNB()}, *table, seconds=seconds)
