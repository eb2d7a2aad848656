"""Forests and bagging that are ended keep the trees that are done; where there are none, they are not fitted."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice.errors import TimeLimit
from suffice.models.ensemble import forest as forests
from suffice.observing import Observer, observe

pytestmark = pytest.mark.native


class Ends(Observer):
    """Ends a fit after some iterations, of its own or of fits within it."""

    def __init__(self, reason, after):
        self.reason, self.after = reason, after

    def iteration_done(self, done, snapshot):
        self.after -= 1
        if self.after == 0:
            raise self.reason


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(120, 4))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("reason", [KeyboardInterrupt(), TimeLimit("no time")])
@pytest.mark.parametrize("kind", [sf.RandomForestClassifier, sf.RandomForestRegressor, sf.ExtraTreesClassifier])
def test_trees_that_are_done_are_kept(rows, kind, reason, monkeypatch):
    monkeypatch.setattr(forests, "trees_at_once", lambda rows, limits, targets: 3)
    model = kind(10, random_state=0, bootstrap=True, oob_score=True)
    whole = clone(model).fit(*rows)
    with observe(Ends(reason, 2)):
        if isinstance(reason, KeyboardInterrupt):
            with pytest.raises(KeyboardInterrupt):
                model.fit(*rows)
        else:
            model.fit(*rows)
    assert model.history_.status in ("interrupted", "time_limit")
    assert len(model.trees_) == 6
    assert len(model.estimators_) == 6
    np.testing.assert_array_equal(model.trees_.threshold, whole.trees_[:6].threshold)
    assert np.isfinite(model.oob_score_)
    model.set_params(warm_start=True).fit(*rows)
    np.testing.assert_array_equal(model.trees_.value, whole.trees_.value)
    assert model.oob_score_ == whole.oob_score_


@pytest.mark.parametrize("count", [3, 4, 100])
def test_the_trees_are_the_same_however_many_grow_at_once(rows, count, monkeypatch):
    wanted = sf.RandomForestClassifier(10, random_state=0).fit(*rows)
    monkeypatch.setattr(forests, "trees_at_once", lambda rows, limits, targets: count)
    found = sf.RandomForestClassifier(10, random_state=0).fit(*rows)
    np.testing.assert_array_equal(found.trees_.threshold, wanted.trees_.threshold)
    assert found.history_.status == wanted.history_.status == "converged"


def test_nothing_is_kept_of_nothing(rows, monkeypatch):
    def stopped(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("suffice.models.ensemble.members.Members.fitted", stopped)
    model = sf.BaggingClassifier(n_estimators=3)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*rows)
    with pytest.raises(NotFittedError):
        model.predict(rows[0])
