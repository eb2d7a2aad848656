"""Models around others: what they refuse of what models inside say, and how time limits and Ctrl-C end their fits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import suffice as sf
from suffice.errors import InvalidData, TimeLimit

X = np.arange(80.0).reshape(40, 2) % 17
Y = np.repeat(["ant", "bee"], 20)
WRONG = {
    "too few": (lambda P: P[:-1], r"Talker.predict_proba must give an answer for each of \d+ rows; got shape"),
    "one class": (lambda P: P[:, :1], r"a probability for each row and class, shape \(\d+, 2\); got shape"),
    "no table": (lambda P: P[:, 0], r"a probability for each row and class"),
    "missing": (lambda P: np.where(np.arange(len(P))[:, None] == 3, np.nan, P), "those of row .* sum to nan"),
    "too much": (lambda P: 1.1 * P, r"must be at least 0 and sum to 1; those of row .* sum to 1.1"),
    "negative": (lambda P: P * [-1, 3], "one of row .* is -0.5"),
    "text": (lambda P: P.astype(str), r"Talker.predict_proba must give numbers; got <U32 such as .*0\.5"),
}


class Talker(ClassifierMixin, BaseEstimator):
    """A classifier of another library that says what it likes."""

    fits = 0

    def __init__(self, wrong=None):
        self.wrong = wrong

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))

    def predict_proba(self, X):
        P = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        return P if self.wrong is None else WRONG[self.wrong][0](P)


class Unweighted(RegressorMixin, BaseEstimator):
    """A regressor of another library that takes no weights, and predicts a column."""

    fits = 0

    def __init__(self, wrong=None):
        self.wrong = wrong

    def fit(self, X, y):
        type(self).fits += 1
        self.mean_, self.n_features_in_ = float(np.mean(y)), X.shape[1]
        return self

    def predict(self, X):
        found = np.full((len(X), 1), self.mean_)
        found[2:3] = np.nan if self.wrong == "missing" else found[2:3]
        return np.repeat(found, 2, axis=1) if self.wrong == "two" else found


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("around", [sf.Decide, sf.Calibrated, sf.ConformalClassifier, sf.Resampled])
def test_probabilities_that_are_none_are_refused(around, wrong):
    with pytest.raises(InvalidData, match=f"{around.__name__}: .*{WRONG[wrong][1]}"):
        around(Talker(wrong)).fit(X, Y).predict_proba(X)


@pytest.mark.parametrize("wrong", sorted(set(WRONG) - {"missing"}))
def test_measures_are_of_probabilities_that_are_some(wrong):
    """Of what is no number a measure is none either, which `evaluate` says; all else would be a figure of nothing."""
    with pytest.raises(InvalidData, match=f"evaluate: .*{WRONG[wrong][1]}"):
        sf.evaluate(Talker(wrong), X, Y, splits=2, measures="log_loss")
    with pytest.raises(InvalidData, match=WRONG[wrong][1]):
        sf.ActiveLearner(Talker(wrong), "entropy").begin(X, np.where(np.arange(40) % 9, None, Y.astype(object))).ask()


@pytest.mark.parametrize("around", [sf.DecideNumber, sf.ConformalRegressor])
def test_numbers_are_one_a_row_and_finite(around):
    y = np.arange(40.0)
    assert_allclose(around(Unweighted()).fit(X, y).predict(X).shape, (40,))
    for wrong, words in (
        ("two", "must predict one number a row"),
        ("missing", "predictions of Unweighted must be finite"),
    ):
        with pytest.raises(InvalidData, match=words):
            around(Unweighted(wrong)).fit(X, y).predict(X)


def test_rows_that_stand_twice_need_no_weights():
    """Equal rows are one row with a weight inside; a model that takes none is given them one after the other."""
    twice = np.repeat(X[:15], 2, axis=0)
    y = np.repeat(np.arange(15.0), 2)
    for method in ("split", "cross", "jackknife+"):
        model = sf.ConformalRegressor(Unweighted(), method=method, level=0.5).fit(twice, y)
        assert np.isfinite(model.predict_interval(X)).all()


LEAVING_OUT = [
    sf.Calibrated(Talker(), cv=20), sf.ConformalClassifier(Talker(), method="jackknife+"),
    sf.DecideNumber(Unweighted(), folds=20), sf.ConformalRegressor(Unweighted(), method="cross", folds=20),
    sf.ForwardSelection(Talker(), measure="error"),
]  # fmt: skip


@pytest.mark.parametrize("model", LEAVING_OUT, ids=lambda model: type(model).__name__)
def test_a_time_limit_ends_fits_that_leave_rows_out(model):
    inside = type(model.model)
    inside.fits, y = 0, np.arange(40.0) if inside is Unweighted else Y
    with sf.limits(seconds=1e-9), pytest.raises(TimeLimit):
        model.fit(X, y)
    assert inside.fits <= 2


@pytest.mark.parametrize("model", LEAVING_OUT, ids=lambda model: type(model).__name__)
def test_ctrl_c_ends_fits_that_leave_rows_out(model, monkeypatch):
    inside = type(model.model)
    whole = inside.fit

    def interrupted(self, X, y):
        if inside.fits == 3:
            raise KeyboardInterrupt
        return whole(self, X, y)

    monkeypatch.setattr(inside, "fit", interrupted)
    inside.fits = 0
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, np.arange(40.0) if inside is Unweighted else Y)
    assert inside.fits == 3


def test_a_fit_of_ours_that_was_cut_short_is_none_of_many():
    """A forest keeps its first trees when time is over; calibrated by some of those it would be another model."""
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(500, 4)), rng.integers(0, 2, 500)
    with sf.limits(seconds=1e-9), pytest.raises(TimeLimit):
        sf.Calibrated(sf.RandomForestClassifier(50)).fit(rows, y)
