"""Leave-one-out of least squares and ridge regression by formulas, and where they are refused."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import IllConditioned
from suffice.evaluation.leave_one_out import left_out_rows
from suffice.evaluation.row_folds import RowFolds
from suffice.resampling import MEASURES, Answers, problem

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 3)) * [1, 10, 0.1] + [5, -20, 1]
Y = X @ [1.0, 0.2, -3.0] + RNG.normal(size=80)
TWO = np.column_stack([Y, X[:, 0] + RNG.normal(size=80)])
WEIGHT = RNG.integers(0, 4, 80).astype(float)


def one_by_one(model, X, y, weight=None):
    said = []
    for row in range(len(X)):
        rest = np.delete(np.arange(len(X)), row)
        own = {} if weight is None else {"sample_weight": weight[rest]}
        said.append(model.fit(X[rest], y[rest], **own).predict(X[row : row + 1])[0])
    return np.array(said)


@pytest.mark.parametrize("model", [sf.LinearRegression(), sf.LinearRegression(fit_intercept=False), sf.Ridge(5.0),
                                   sf.Ridge(0.5, fit_intercept=False, solver="moments")])  # fmt: skip
@pytest.mark.parametrize("y", [Y, TWO])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_formulas_give_what_refitting_gives(model, y, weight):
    found = sf.evaluate(model, X, y, splits="leave_one_out", measures="rmse", sample_weight=weight)
    assert all(fold.shared for fold in found.folds)
    np.testing.assert_allclose(found.predicted, one_by_one(model, X, y, weight), rtol=1e-9)


def test_one_fit_answers_for_all_rows_and_models_are_fitted_when_asked_for(monkeypatch):
    fits = []
    plain = sf.Ridge.solve
    monkeypatch.setattr(sf.Ridge, "solve", lambda self, summary: fits.append(1) or plain(self, summary))
    found = sf.evaluate(sf.Ridge(), X, Y, splits="leave_one_out", measures="rmse")
    assert len(fits) == 1
    wanted = sf.Ridge().fit(X[1:], Y[1:])
    np.testing.assert_array_equal(found.folds[0].model.coef_, wanted.coef_)
    assert found.folds[0].model is found.folds[0].model
    again = pickle.loads(pickle.dumps(found.folds[3]))
    np.testing.assert_array_equal(again.model.coef_, found.folds[3].model.coef_)
    assert sf.evaluate(sf.Ridge(), X, Y, splits="leave_one_out", keep_models=False).folds[0].model is None


def test_a_row_that_alone_decides_a_direction_is_left_out_by_refitting():
    alone = np.column_stack([X, np.zeros(80)])
    alone[11, 3] = 1.0
    with pytest.warns(IllConditioned, match="rank 3"):
        found = sf.evaluate(sf.LinearRegression(), alone, Y, splits="leave_one_out", measures="rmse")
    assert [fold.number for fold in found.folds if not fold.shared] == [12]
    with pytest.warns(Warning, match="rank 3"):
        wanted = one_by_one(sf.LinearRegression(), alone, Y)
    np.testing.assert_allclose(found.predicted, wanted, rtol=1e-8)


def test_columns_that_would_cost_digits_are_not_for_the_formula():
    near = np.column_stack([X, X[:, 0] + 1e-6 * RNG.normal(size=80)])
    of = problem([sf.LinearRegression()], near, Y).split("leave_one_out", 0)
    assert left_out_rows(sf.LinearRegression(), of) is None
    found = sf.evaluate(sf.LinearRegression(), near, Y, splits="leave_one_out", measures="rmse")
    np.testing.assert_allclose(found.predicted, one_by_one(sf.LinearRegression(), near, Y), rtol=1e-6)
    wide = RNG.normal(size=(10, 30))
    few = problem([sf.Ridge()], wide, Y[:10]).split("leave_one_out", 0)
    assert left_out_rows(sf.Ridge(), few) is None


def test_groups_searches_and_other_models_go_their_own_way():
    groups = np.arange(80) // 4
    found = sf.evaluate(sf.Ridge(), X, Y, splits="leave_one_out", groups=groups, measures="rmse")
    assert len(found.folds) == 20
    assert all(fold.shared for fold in found.folds)
    searched = sf.evaluate(
        sf.Ridge(), X[:20], Y[:20], splits="leave_one_out", search={"alpha": [1.0, 2.0]}, measures="rmse"
    )
    assert searched.folds[0].params["alpha"] in (1.0, 2.0)
    each = problem([sf.Ridge([1.0, 2.0])], X, TWO).split("leave_one_out", 0)
    assert left_out_rows(sf.Ridge([1.0, 2.0]), each) is None


def test_many_rows_do_not_keep_the_rows_of_every_fold():
    rows = RNG.normal(size=(6000, 2))
    found = sf.evaluate(sf.LinearRegression(), rows, rows[:, 0] + 1, splits="leave_one_out", measures="mse")
    assert found.value() < 1e-20
    assert len(found.folds[5].learned_from) == 5999
    assert found.folds[5].train.tolist()[:7] == [0, 1, 2, 3, 4, 6, 7]


CLASSES = np.array(["ant", "bee", "cat"])[np.argsort(np.argsort(Y + RNG.normal(size=80))) // 27]
GAUSSIAN = [
    sf.GaussianNB(), sf.GaussianNB(priors=[0.2, 0.3, 0.5]), sf.GaussianNB(var_smoothing=0.1),
    sf.LinearDiscriminantAnalysis(), sf.LinearDiscriminantAnalysis(unbiased=True),
    sf.QuadraticDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]), sf.QuadraticDiscriminantAnalysis(unbiased=True),
]  # fmt: skip


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("model", GAUSSIAN, ids=repr)
def test_gaussian_classifiers_by_formulas_give_what_refitting_gives(model, weight):
    found = sf.evaluate(model, X, CLASSES, splits="leave_one_out", sample_weight=weight)
    assert isinstance(found.folds, RowFolds)
    assert found.folds.sure.all()
    wanted = []
    for row in range(len(X)):
        rest = np.delete(np.arange(len(X)), row)
        own = {} if weight is None else {"sample_weight": weight[rest]}
        wanted.append(clone(model).fit(X[rest], CLASSES[rest], **own).predict_proba(X[row : row + 1])[0])
    np.testing.assert_allclose(found.probability, wanted, rtol=1e-8, atol=1e-12)
    np.testing.assert_array_equal(found.predicted, np.unique(CLASSES)[np.argmax(wanted, axis=1)])


def test_answers_together_are_those_of_the_folds():
    found = sf.evaluate(sf.QuadraticDiscriminantAnalysis(), X, CLASSES, splits="leave_one_out", sample_weight=WEIGHT)
    assert "80 folds by a formula from one fit" in str(found)
    assert [fold.number for fold in found.folds[3:5]] == [4, 5]
    joined = Answers.joined([fold.answers(found.problem) for fold in found.folds])
    for name in ("rows", "weight", "truth", "predicted", "probability", "fold"):
        np.testing.assert_array_equal(getattr(found.answers, name), getattr(joined, name))
    again = sf.QuadraticDiscriminantAnalysis().fit(X[1:], CLASSES[1:], sample_weight=WEIGHT[1:])
    np.testing.assert_array_equal(found.folds[0].model.means_, again.means_)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_scores_of_rows_are_those_of_their_folds(weight):
    """They are found for all rows at once; every measure is asked of each row by itself as well."""
    for model, y in ((sf.GaussianNB(), CLASSES), (sf.GaussianNB(), CLASSES == "bee"), (sf.Ridge(), Y)):
        task = "numbers" if y is Y else "classes"
        binary = len(np.unique(y)) == 2
        measures = [one for one in MEASURES.values() if one.task == task and (binary or not one.two_classes)]
        found = sf.evaluate(model, X, y, splits="leave_one_out", sample_weight=weight, measures=measures)
        one_by_one = [fold.answers(found.problem) for fold in found.folds]
        for one in measures:
            wanted = np.array([one(answers) for answers in one_by_one])
            np.testing.assert_allclose(found.scores[one.name], wanted, rtol=1e-12, err_msg=one.name)


def test_rows_of_which_the_formulas_are_not_sure_are_refitted():
    """A row that alone keeps a class from being flat, and a class of two rows."""
    flat = X.copy()
    flat[CLASSES == "bee", 2] = 1.0
    flat[np.flatnonzero(CLASSES == "bee")[0], 2] = 5.0
    with pytest.warns(IllConditioned):
        found = sf.evaluate(sf.QuadraticDiscriminantAnalysis(), flat, CLASSES, splits="leave_one_out")
    assert np.flatnonzero(~found.folds.sure).tolist() == [np.flatnonzero(CLASSES == "bee")[0]]
    row = int(np.flatnonzero(~found.folds.sure)[0])
    rest = np.delete(np.arange(80), row)
    with pytest.warns(IllConditioned):
        wanted = sf.QuadraticDiscriminantAnalysis().fit(flat[rest], CLASSES[rest]).predict_proba(flat[row : row + 1])
    np.testing.assert_allclose(found.probability[row], wanted[0], rtol=1e-9)
    few = np.where(np.arange(80) < 2, "dog", CLASSES)
    found = sf.evaluate(sf.GaussianNB(), X, few, splits="leave_one_out")
    for row in (0, 1, 40):
        rest = np.delete(np.arange(80), row)
        wanted = sf.GaussianNB().fit(X[rest], few[rest]).predict_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(found.probability[row], wanted, rtol=1e-8, atol=1e-12)


def test_columns_of_very_different_units_and_what_has_no_formula():
    wild = X * [1e-6, 1.0, 1e6]
    found = sf.evaluate(sf.GaussianNB(), wild, CLASSES, splits="leave_one_out")
    rest = np.delete(np.arange(80), 7)
    wanted = sf.GaussianNB().fit(wild[rest], CLASSES[rest]).predict_proba(wild[7:8])[0]
    np.testing.assert_allclose(found.probability[7], wanted, rtol=1e-8)
    for model in (sf.LinearDiscriminantAnalysis(shrinkage=0.2), sf.QuadraticDiscriminantAnalysis(reg_param=0.1)):
        found = sf.evaluate(model, X, CLASSES, splits="leave_one_out")
        assert not isinstance(found.folds, RowFolds)
        assert all(fold.shared for fold in found.folds)


def test_a_journal_of_leave_one_out_holds_every_row(tmp_path):
    first = sf.evaluate(sf.GaussianNB(), X, CLASSES, splits="leave_one_out", journal=tmp_path / "rows.jsonl")
    again = sf.evaluate(sf.GaussianNB(), X, CLASSES, splits="leave_one_out", journal=tmp_path / "rows.jsonl")
    np.testing.assert_array_equal(first.probability, again.probability)
