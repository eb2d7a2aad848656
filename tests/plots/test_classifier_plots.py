"""Pictures of classifiers: curves against scikit-learn, intervals against SciPy, and folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import compare, evaluate
from suffice.plots import (
    Against,
    CalibrationDisplay,
    ConfusionDisplay,
    DecisionRegionsDisplay,
    IntervalsDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    ResidualsDisplay,
    RocDisplay,
)

CRABS, IRIS = sf.datasets.load("crabs"), sf.datasets.load("iris")
X, SEX = CRABS.matrix(), CRABS["sex"].astype(str)
SCORE = sf.GaussianNB().fit(X, SEX).predict_proba(X)[:, 1]
CURVES = [RocDisplay, PrecisionRecallDisplay]


def test_roc_is_that_of_scikit_learn():
    shown = RocDisplay.from_predictions(SEX, SCORE)
    x, y, _ = roc_curve(SEX == "M", SCORE)
    assert_allclose(shown.ax_.lines[0].get_xydata(), np.column_stack([x, y]))
    assert shown.areas() == {"M": pytest.approx(roc_auc_score(SEX == "M", SCORE))}
    other = RocDisplay.from_predictions(SEX, SCORE, positive="F")
    assert other.areas()["F"] == pytest.approx(roc_auc_score(SEX == "F", -SCORE))


def test_precision_and_recall_are_those_of_scikit_learn():
    weight = np.arange(200.0)
    shown = PrecisionRecallDisplay.from_predictions(SEX, SCORE, sample_weight=weight)
    precision, recall, _ = precision_recall_curve(SEX == "M", SCORE, sample_weight=weight)
    assert_allclose(shown.table()["x"], recall[::-1])
    assert_allclose(shown.table()["y"], precision[::-1])
    assert shown.areas()["M"] == pytest.approx(average_precision_score(SEX == "M", SCORE, sample_weight=weight))


@pytest.mark.parametrize("cls", CURVES)
@pytest.mark.parametrize("model", [sf.GaussianNB(), LogisticRegression(max_iter=1000), RidgeClassifier()], ids=str)
def test_several_classes_are_each_held_against_the_rest(cls, model):
    y = IRIS["species"].astype(str)
    shown = cls.from_estimator(model.fit(IRIS.matrix(), y), IRIS.matrix(), y)
    assert list(shown.areas()) == ["setosa", "versicolor", "virginica"]
    assert len(shown.ax_.get_legend().get_texts()) == 3


@pytest.mark.parametrize("cls", CURVES)
def test_folds_give_a_mean_and_a_band(cls):
    folds = np.arange(200) % 4
    shown = cls.from_predictions(SEX, SCORE, folds=folds)
    area = roc_auc_score if cls is RocDisplay else average_precision_score
    expected = [area(SEX[folds == k] == "M", SCORE[folds == k]) for k in range(4)]
    (curve,) = shown.curves
    assert_allclose(curve.areas, expected)
    assert curve.area == pytest.approx(np.mean(expected))
    assert (curve.low <= curve.y).all()
    assert (curve.y <= curve.high).all()
    assert len(shown.ax_.collections) == 1  # the band
    assert shown.ax_.get_title("left").endswith("4 folds")


def test_folds_of_the_same_rows_have_no_band():
    twice = RocDisplay.from_predictions(np.r_[SEX, SEX], np.r_[SCORE, SCORE], folds=np.repeat([0, 1], 200)).curves[0]
    assert_allclose(twice.low, twice.high)
    once = RocDisplay.from_predictions(SEX, SCORE).curves[0]
    assert np.trapezoid(twice.y, twice.x) == pytest.approx(once.area, abs=0.01)


@pytest.mark.parametrize("cls", CURVES)
@pytest.mark.parametrize(
    ("y", "score", "more", "words"),
    [
        (["a", "a"], [0.1, 0.2], {}, "every row is of the class 'a'"),
        (["a", "a"], [0.1, 0.2], {"classes": ["a", "b"]}, "no row is of the class 'b'"),
        (["a", "b", "c"], [0.1, 0.2, 0.3], {}, r"3 classes \(a, b, c\) but 2 scores a row"),
        (["a", "b"], [0.1], {}, r"shapes \(2,\) and \(1,\)"),
        (["a", "b"], [0.1, np.nan], {}, "score of row 1 is missing"),
        (["a", "b"], [0.1, 0.2], {"positive": "c"}, "positive='c' is not one of the classes a, b"),
        (["a", "b"], [0.1, 0.2], {"folds": [1]}, r"folds of shape \(1,\)"),
        (["a", "b"], [0.1, 0.2], {"folds": [1, 2]}, "no fold has rows of 'b' and of the rest"),
        ([], [], {}, "shapes"),
    ],
)
def test_scores_that_cannot_be_ranked(cls, y, score, more, words):
    with pytest.raises(InvalidData, match=f"{cls.__name__}: .*{words}"):
        cls.from_predictions(y, score, **more)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_calibration_is_that_of_scikit_learn(strategy):
    shown = CalibrationDisplay.from_predictions(SEX, SCORE, bins=5, strategy=strategy)
    true, said = calibration_curve(SEX == "M", SCORE, n_bins=5, strategy=strategy)
    assert_allclose(shown.table()["came_true"], true)
    assert_allclose(shown.table()["said"], said)
    assert shown.curves[0].brier == pytest.approx(brier_score_loss(SEX == "M", SCORE))
    assert shown.table()["rows"].sum() == 200


def test_intervals_of_calibration_are_wilsons():
    columns = CalibrationDisplay.from_predictions(SEX, SCORE).table()
    for true, low, high, n in zip(*(columns[key] for key in ("came_true", "low", "high", "rows")), strict=True):
        theirs = binomtest(round(true * n), n).proportion_ci(method="wilson")
        assert_allclose((low, high), (theirs.low, theirs.high), atol=1e-9)


def test_probabilities_must_be_some():
    with pytest.raises(InvalidData, match="must lie from 0 to 1"):
        CalibrationDisplay.from_predictions(SEX, SCORE * 3)
    with pytest.raises(InvalidData, match="RidgeClassifier gives no probabilities"):
        CalibrationDisplay.from_estimator(RidgeClassifier().fit(X, SEX), X, SEX)
    with pytest.raises(InvalidParameter, match="strategy='other'"):
        CalibrationDisplay.from_predictions(SEX, SCORE, strategy="other")
    same = CalibrationDisplay.from_predictions(SEX, np.full(200, 0.5))
    assert_allclose(same.table()["came_true"], [0.5])


def test_confusion_is_that_of_scikit_learn():
    said, weight = np.where(SCORE > 0.5, "M", "F"), np.arange(200.0)
    shown = ConfusionDisplay.from_predictions(SEX, said)
    assert_array_equal(shown.counts, confusion_matrix(SEX, said))
    weighted = ConfusionDisplay.from_predictions(SEX, said, sample_weight=weight)
    assert_allclose(weighted.counts, confusion_matrix(SEX, said, sample_weight=weight))
    turned = ConfusionDisplay.from_predictions(SEX, said, classes=["M", "F"])
    assert_array_equal(turned.counts, shown.counts[::-1, ::-1])
    assert shown.ax_.get_title("left") == f"accuracy {np.mean(said == SEX):.3f}"
    assert shown.ax_.texts[0].get_text() == f"{shown.counts[0, 0]}\n{shown.shares()[0, 0]:.0%}"


def test_confusion_of_what_was_never_true():
    shown = ConfusionDisplay.from_predictions([1.0, 1.0], [1.0, 2.0])
    assert shown.classes == ["1", "2"]
    assert_array_equal(shown.shares(), [[0.5, 0.5], [0, 0]])
    with pytest.raises(InvalidData, match="classes leaves out '2'"):
        ConfusionDisplay.from_predictions([1, 1], [1, 2], classes=[1])
    with pytest.raises(InvalidData, match=r"shapes \(2,\) and \(1,\)"):
        ConfusionDisplay.from_predictions([1, 1], [1])


@pytest.mark.parametrize("library", ["array", "pandas", "polars"])
def test_regions_are_the_answers_of_the_model(library):
    table = IRIS.matrix(["petal_length", "petal_width"])
    if library != "array":
        table = IRIS.to_frame(library)[["petal_length", "petal_width"]]
    model = sf.QuadraticDiscriminantAnalysis().fit(table, IRIS["species"])
    shown = DecisionRegionsDisplay.from_estimator(model, table, IRIS["species"], resolution=30)
    columns = shown.table()
    plain = sf.QuadraticDiscriminantAnalysis().fit(IRIS.matrix(["petal_length", "petal_width"]), IRIS["species"])
    points = np.column_stack([columns["x"], columns["y"]])
    assert_array_equal(columns["class"], plain.predict(points))
    assert_allclose(columns["probability"], plain.predict_proba(points).max(axis=1), atol=1e-9)
    assert len(shown.ax_.collections) >= 5  # three borders or two, three scatters


def test_regions_of_more_columns_are_a_slice():
    model = RidgeClassifier().fit(X, SEX)
    shown = DecisionRegionsDisplay.from_estimator(model, X, columns=(3, 1), resolution=10, names=CRABS.features)
    rows = np.repeat([X.mean(axis=0)], 100, axis=0)
    rows[:, 3], rows[:, 1] = shown.table()["x"], shown.table()["y"]
    assert_array_equal(shown.table()["class"], model.predict(rows))
    assert shown.ax_.get_xlabel() == "CW"
    assert shown.ax_.get_title("right") == "other columns at their means"


def test_regions_show_margins_and_support_vectors():
    model = sf.SVC(gamma=0.01).fit(X[:, :2], SEX)
    shown = DecisionRegionsDisplay.from_estimator(model, X[:, :2], SEX, resolution=20)
    columns = shown.table()
    decisions = model.decision_function(np.column_stack([columns["x"], columns["y"]]))
    assert_allclose(columns["decision"], decisions)
    assert_array_equal(shown.support, model.support_vectors_)
    rings = shown.ax_.collections[-1]
    assert_allclose(rings.get_offsets(), model.support_vectors_)


def test_regions_need_a_plane():
    model = sf.GaussianNB().fit(X, SEX)
    with pytest.raises(InvalidData, match="1 column; a plane needs 2"):
        DecisionRegionsDisplay.from_estimator(model, X[:, :1])
    with pytest.raises(InvalidParameter, match=r"columns=\(0, 9\) must be two different places from 0 to 4"):
        DecisionRegionsDisplay.from_estimator(model, X, columns=(0, 9))
    with pytest.raises(InvalidParameter, match="resolution=1 must be from 2"):
        DecisionRegionsDisplay.from_estimator(model, X, resolution=1)
    with pytest.raises(InvalidData, match="column 'x0' has no values"):
        DecisionRegionsDisplay.from_estimator(model, np.full((2, 5), np.nan))
    with pytest.raises(InvalidData, match="KMeans has no classes_"):
        DecisionRegionsDisplay.from_estimator(sf.KMeans(2).fit(X), X)


def test_pictures_of_an_evaluation():
    found = evaluate(sf.GaussianNB(), X, SEX, splits=3)
    folds = [roc_auc_score(SEX[fold.test] == "M", fold.probability[:, 1]) for fold in found.folds]
    assert_allclose(RocDisplay.from_evaluation(found).curves[0].areas, folds)
    assert_array_equal(ConfusionDisplay.from_evaluation(found).counts, confusion_matrix(SEX, found.predicted))
    expected = calibration_curve(SEX == "M", found.probability[:, 1], n_bins=10, strategy="quantile")
    assert_allclose(CalibrationDisplay.from_evaluation(found).table()["came_true"], expected[0])
    assert len(PrecisionRecallDisplay.from_evaluation(found).curves[0].areas) == 3


def test_intervals_of_a_comparison():
    models = {"linear": sf.LinearDiscriminantAnalysis(), "naive": sf.GaussianNB()}
    found = compare(models, X, SEX, splits=3, measures="accuracy")
    shown = IntervalsDisplay.from_comparison(found, dummy=True)
    assert shown.names == list(found.ranking)
    rows = found.table()
    assert_allclose(shown.table()["low"], [row["low"] for row in rows])
    assert_allclose(shown.table()[f"difference from {found.best}"][1:], [row["difference_to_best"] for row in rows[1:]])
    assert [ax.get_xlabel() for ax in shown.ax_] == [
        "accuracy",
        f"difference from {found.best}",
        "difference from dummy",
    ]


def test_intervals_without_ends_and_of_different_lengths():
    shown = IntervalsDisplay(["a"], [0.5], [np.nan], [np.nan], against=[Against("b", [np.nan], [np.nan], [np.nan])])
    assert len(shown.plot().ax_) == 2
    with pytest.raises(InvalidData, match=r"have \[1, 2\] entries"):
        IntervalsDisplay(["a"], [0.5, 0.6], [0.4], [0.6])


def test_prediction_errors_are_those_of_the_model():
    rows, width = CRABS.matrix(["FL", "RW"]), CRABS["CW"]
    model = sf.LinearRegression().fit(rows, width)
    shown = PredictionErrorDisplay.from_estimator(model, rows, width, name="CW")
    assert_allclose(shown.table()["error"], model.predict(rows) - width)
    assert shown.ax_.get_xlabel() == "true CW"
    assert len(PredictionErrorDisplay.from_predictions(width, width, most_rows=10).truth) == 10
    with pytest.raises(InvalidData, match="y_pred has the shape"):
        PredictionErrorDisplay.from_predictions(width, width[:3])
    with pytest.raises(InvalidData, match="there are no rows"):
        PredictionErrorDisplay.from_predictions([], [])


def test_residuals_are_the_truth_less_the_prediction():
    rows, width = CRABS.matrix(["FL", "RW"]), CRABS["CW"]
    shown = ResidualsDisplay.from_estimator(sf.LinearRegression().fit(rows, width), rows, width, name="CW")
    assert_allclose(shown.table()["residual"].mean(), 0.0, atol=1e-9)  # of least squares with an intercept
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("predicted CW", "true less predicted")


def test_a_roc_curve_of_equal_scores_is_the_diagonal():
    shown = RocDisplay.from_predictions([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3], ax=False)
    assert shown.curves[0].x.tolist() == shown.curves[0].y.tolist() == [0.0, 1.0]
    assert shown.curves[0].area == 0.5
