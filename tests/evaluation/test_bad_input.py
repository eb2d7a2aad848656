"""What `evaluate` refuses, and the words it does so with."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import MonteCarlo, evaluate

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]


def nb(**settings):
    return evaluate(sf.GaussianNB(), X, Y, **settings)


FEW = np.array(["a"] * 20 + ["b"] * 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: evaluate(sf.GaussianNB(), X), "predicts classes and needs y, but y is None"),
        (lambda: evaluate(sf.GaussianNB(), X, ["a"] * 150), "one class only, 'a'; at least 2"),
        (
            lambda: evaluate(sf.GaussianNB(), X[:23], FEW, splits=5),
            "class 'b' has 3 rows, too few for 5 folds; use splits=3",
        ),
        (lambda: nb(measures="acuracy"), "no measure 'acuracy'. Did you mean 'accuracy'"),
        (
            lambda: nb(measures="rmse"),
            "rmse measures numbers, and this model gives classes",
        ),
        (lambda: nb(measures=[]), "at least 1 measure"),
        (lambda: nb(measures=[3]), "a name or a Measure; got 3"),
        (lambda: nb(measures="detection_cost"), "needs two classes, and y has 3"),
        (lambda: evaluate(LinearSVC(), X, Y, measures="log_loss"), "log_loss needs predict_proba, which LinearSVC"),
        (lambda: evaluate(sf.KMeans(2), X, measures="purity"), "purity needs y"),
        (
            lambda: evaluate(sf.KMeans(2), X, Y, measures="purity", splits="leave_one_out"),
            "at least 2 rows in each part",
        ),
        (lambda: evaluate(sf.GaussianNB, X, Y), "must be an estimator such as"),
        (lambda: evaluate(sf.PCA(), X), "PCA gives neither classes nor numbers"),
        (lambda: nb(splits="lou"), "splits must be one of"),
        (lambda: nb(splits="leave_one_ot"), "Did you mean 'leave_one_out'"),
        (lambda: nb(splits=1), "must be an integer, at least 2"),
        (lambda: nb(splits=3.5), "splits must be a number of folds"),
        (lambda: nb(splits=[]), "at least 1 split"),
        (lambda: nb(splits=[([0, 1], [1, 2])]), "learns from row 1 and tests on it"),
        (lambda: nb(splits=[([0, 1], [150])]), "row numbers from 0 to 149"),
        (lambda: nb(splits=[([0, 1], [])]), "row numbers|no rows to test on"),
        (lambda: nb(splits=[3]), "split 1 must be a pair"),
        (lambda: nb(splits=MonteCarlo(3, 1.5)), "test must be a share"),
        (lambda: nb(splits=MonteCarlo(3, 2)), "cannot be split by MonteCarlo"),
        (lambda: nb(splits="in_sample"), "predictions need rows left out"),
        (lambda: nb(groups=[1, 2]), r"groups must name one group a row, shape \(150,\)"),
        (
            lambda: nb(groups=np.arange(150) % 3, splits=5),
            "at least 5 groups; there are 3",
        ),
        (lambda: nb(positive="setosa"), "for two classes, and y has 3"),
        (lambda: evaluate(sf.GaussianNB(), X[:100], Y[:100], positive="rosa"), "one of the classes"),
        (lambda: evaluate(sf.Ridge(), X, X[:, 0], positive=1), "positive names a class"),
        (lambda: nb(on_error="skip"), "on_error must be one of raise, keep"),
        (lambda: nb(level=95), "between 0 and 1"),
        (lambda: nb(resamples=0), "resamples must be"),
        (lambda: nb(random_state=-1), "random_state must be at least 0"),
        (lambda: nb(search={"var": [1]}), "'var', which is no parameter of GaussianNB"),
        (lambda: nb(search={"var_smoothing": 1}), "must map parameters to lists"),
        (
            lambda: evaluate(KNeighborsClassifier(), X, Y, sample_weight=np.ones(150)),
            "KNeighborsClassifier takes no sample_weight",
        ),
        (lambda: evaluate(sf.GaussianNB(), X, Y[:10]), "X has 150 rows but y has 10"),
        (lambda: evaluate(sf.GaussianNB(), X[:0], Y[:0]), "X has no rows"),
        (lambda: nb(splits=2).interval("accurcy"), "Did you mean 'accuracy'"),
        (lambda: nb(splits=2).interval("accuracy", "wald"), "method must be one of"),
        (lambda: nb(splits=2).interval("f1", "wilson"), "f1 is no rate of rows"),
        (lambda: evaluate(sf.KMeans(2), X, Y, splits=2).interval("purity", "bca"), "cannot be pooled"),
        (lambda: nb(splits=2).roc(), "name one of the classes"),
        (lambda: evaluate(sf.KMeans(2), X, Y, splits=2).confusion, "this is for classes"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        make()


def test_rows_must_be_in_memory(tmp_path):
    IRIS.to_frame().to_csv(tmp_path / "iris.csv", index=False)
    with pytest.raises(InvalidData, match="must be in memory"):
        evaluate(sf.KNeighborsClassifier(), sf.scan(tmp_path / "iris.csv", target="species"))
