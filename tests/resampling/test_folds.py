"""Fold-wise fits as models use them: out-of-fold answers, chosen parameters, and who speaks in messages."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict

import suffice as sf
import suffice.evaluation
from suffice import resampling
from suffice.errors import InvalidData, InvalidParameter
from suffice.resampling import MEASURES, Answers, Folds, Search, problem, run_folds, split

ARRESTS = sf.datasets.load("usarrests").matrix()
X, Y = ARRESTS[:, 1:], ARRESTS[:, 0]


def test_out_of_fold_answers_are_those_of_scikit_learn():
    folds = KFold(5, shuffle=True, random_state=3)
    of = problem([Ridge()], X, Y).split(folds, seed=0)
    answers = Answers.joined([fold.answers(of) for fold in run_folds(Ridge(), of, frozenset({"predicted"}))])
    assert_array_equal(answers.predicted[np.argsort(answers.rows)], cross_val_predict(Ridge(), X, Y, cv=folds))
    assert_array_equal(answers.truth, Y[answers.rows])


def test_parameters_are_chosen_as_scikit_learn_does():
    folds, grid = KFold(4), {"alpha": [0.1, 1e3, 1e5]}
    theirs = GridSearchCV(Ridge(), grid, cv=folds, scoring="neg_mean_squared_error").fit(X, Y)
    search = Search.over(grid, Ridge(), MEASURES["mse"], splits=folds)
    assert search.best(Ridge(), problem([Ridge()], X, Y), seed=0) == theirs.best_params_


class Plain:
    """All that a model needs: fit, predict and its parameters."""

    _estimator_type = "regressor"

    def get_params(self, deep=True):
        return {}

    def set_params(self):
        return self

    def __sklearn_tags__(self):
        return Ridge().__sklearn_tags__()

    def __sklearn_clone__(self):
        return Plain()

    def fit(self, X, y):
        self.mean = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)


def test_no_base_class_is_needed():
    of = problem([Plain()], X, Y).split(5, seed=0)
    for fold in run_folds(Plain(), of, frozenset({"predicted"})):
        assert_array_equal(fold.predicted, np.mean(Y[fold.train]))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: problem([Ridge()], X, Y[:5], owner="Ridge"), InvalidData),
        (lambda: problem([Ridge()], X, None, owner="Ridge"), InvalidData),
        (lambda: problem([Ridge()], X[:0], Y[:0], owner="Ridge"), InvalidData),
        (lambda: problem([Ridge()], X, Y, -np.ones(50), owner="Ridge"), InvalidData),
        (lambda: problem([Ridge()], X, Y, groups=[1], owner="Ridge"), InvalidData),
        (lambda: problem([Ridge()], X, Y, positive=1, owner="Ridge"), InvalidParameter),
        (lambda: problem([np.mean], X, Y, owner="Ridge"), InvalidParameter),
        (lambda: problem([Ridge()], X, Y, owner="Ridge").split("fold", 0), InvalidParameter),
        (lambda: problem([Ridge()], X, Y, owner="Ridge").split("in_sample", 0), InvalidParameter),
        (lambda: problem([Ridge()], X, Y, owner="Ridge").split(51, 0), InvalidData),
        (lambda: split(Folds(1), X, 50, owner="Ridge"), InvalidParameter),
        (lambda: split([], X, 50, owner="Ridge"), InvalidParameter),
        (lambda: split([([0], [0])], X, 50, owner="Ridge"), InvalidParameter),
        (lambda: split(2, X, 4, np.array([0, 0, 0, 1]), owner="Ridge"), InvalidData),
        (lambda: Search.over({"beta": [1]}, Ridge(), MEASURES["mse"], owner="Ridge"), InvalidParameter),
        (lambda: Search.over(3, Ridge(), MEASURES["mse"], owner="Ridge"), InvalidParameter),
    ],
)
def test_messages_name_who_speaks(make, error):
    with pytest.raises(error, match=r"^Ridge: "):
        make()


def test_names_that_were_in_evaluation_are_still_there():
    names = ["MEASURES", "Answers", "Fold", "Folds", "InSample", "Interval", "LeaveOneOut", "Measure", "MonteCarlo",
             "Pairs", "bca", "bootstrap", "corrected_t", "detection_cost", "f_beta", "holdout", "measure", "wald",
             "wilson"]  # fmt: skip
    for name in names:
        assert getattr(suffice.evaluation, name) is getattr(resampling, name)
        assert name in suffice.evaluation.__all__


@pytest.mark.parametrize("names", [("normal", "anomaly"), (3, 1, 2), (1.5, -2.0), (True, False)])
def test_places_of_labels_among_classes_in_any_order(names):
    from suffice.resampling.folds import coded

    found = coded(np.array([*names, names[0]]), names)
    assert found.tolist() == [*range(len(names)), 0]
    other = np.array(["zebra", "anomaly"])
    assert coded(other, ("normal", "anomaly")).tolist() == [2, 1]
    assert coded(np.array([7, "a"], dtype=object), ("a", 7)).tolist() == [1, 0]
