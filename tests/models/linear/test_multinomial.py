"""Inference for several classes, against statsmodels, against two classes."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice.data import Needs, as_source
from suffice.errors import IllConditioned, InvalidParameter, NotEstimated
from suffice.losses import SoftmaxLoss
from suffice.models.linear.class_inference import learned_of_classes
from suffice.models.linear.targets import CodedClasses
from suffice.penalties import NoPenalty
from suffice.solvers import Coefficients, Problem

pytestmark = pytest.mark.native
HERE = Path(__file__).parents[2] / "reference"
VALUES = json.loads((HERE / "multinomial_values.json").read_text())


def cars():
    with open(HERE / "mtcars.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([float(row[name]) for row in rows]) for name in ("wt", "qsec", "carb")}
    return np.column_stack([columns["wt"], columns["qsec"]]), np.minimum(columns["carb"], 3).astype(int)


def fitted(X, y, weight=None, **params):
    return sf.LogisticRegression(**{"C": np.inf, "tol": 1e-14, **params}).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("name", ["carburettors", "repeated"])
def test_figures_are_those_of_statsmodels(name):
    X, y = cars()
    weight = None if name == "carburettors" else np.arange(len(y)) % 3 + 1.0
    model, known = fitted(X, y, weight), VALUES[name]
    table = model.coefficients()
    np.testing.assert_allclose(table.estimate, known["coefficients"], rtol=1e-5)
    np.testing.assert_allclose(table.standard_error, known["errors"], rtol=1e-5)
    np.testing.assert_allclose(table.p, known["p"], rtol=1e-4)
    np.testing.assert_allclose(model.robust_coefficients(X, y, weight).standard_error, known["robust"], rtol=1e-5)
    assert model.log_likelihood_ == pytest.approx(known["log_likelihood"])
    assert model.null_deviance_ == pytest.approx(-2 * known["null_log_likelihood"])
    assert model.aic_ == pytest.approx(known["aic"])
    assert model.bic_ == pytest.approx(known["bic"])
    rows = len(y) if weight is None else weight.sum()
    assert model.degrees_of_freedom_ == pytest.approx(rows - 6)
    np.testing.assert_allclose(model.standard_errors_.T, np.array(known["errors"])[1:], rtol=1e-5)
    np.testing.assert_allclose(model.intercept_standard_error_, known["errors"][0], rtol=1e-5)


def test_the_reference_is_a_choice_that_tests_do_not_mind():
    X, y = cars()
    model = fitted(X, y)
    first, last = model.coefficients(), model.coefficients(reference=3)
    assert first.targets == ("2 against 1", "3 against 1")
    assert last.targets == ("1 against 3", "2 against 3")
    np.testing.assert_allclose(last.estimate[:, 0], -first.estimate[:, 1])
    np.testing.assert_allclose(last.standard_error[:, 0], first.standard_error[:, 1])
    np.testing.assert_allclose(last.low[:, 0], -first.high[:, 1])
    turned = model.robust_coefficients(X, y, reference=3)
    np.testing.assert_allclose(turned.standard_error[:, 0], model.robust_coefficients(X, y).standard_error[:, 1])
    assert str(first).splitlines()[0] == "2 against 1"
    assert first.rows()[0]["target"] == "2 against 1"
    with pytest.raises(InvalidParameter, match="reference must be one of the classes, 1, 2, 3; got 'four'"):
        model.coefficients(reference="four")


def test_ratios_are_powers_of_the_coefficients():
    X, y = cars()
    model = fitted(X, y)
    ratios, logs = model.odds_ratios(reference=2), model.coefficients(reference=2)
    np.testing.assert_allclose(ratios.estimate, np.exp(logs.estimate))
    np.testing.assert_allclose(ratios.high, np.exp(logs.high))


def test_tests_of_columns():
    X, y = cars()
    model = fitted(X, y)
    ratio = sf.likelihood_ratio_test(fitted(X[:, 1:], y), model)
    assert ratio.freedom == pytest.approx(2)
    assert ratio.statistic == pytest.approx(fitted(X[:, 1:], y).deviance_ - model.deviance_)
    wald, covariance = model.wald_test([0]), model.covariance_
    places = [0, 3]
    slope = (model.coef_[1:] - model.coef_[0])[:, 0]
    expected = slope @ np.linalg.solve(covariance[np.ix_(places, places)], slope)
    assert wald.statistic == pytest.approx(expected)
    assert wald.freedom == 2
    swapped = fitted(X, np.array([0, 3, 1, 2])[y]).wald_test([0])  # another first class
    assert swapped.statistic == pytest.approx(wald.statistic, rel=1e-4)
    with pytest.raises(InvalidParameter, match="numbers from 0 to 1"):
        model.wald_test([2])


def test_two_classes_can_be_turned():
    X, y = cars()
    model = fitted(X, y > 1)
    one, other = model.coefficients(), model.coefficients(reference=True)
    np.testing.assert_allclose(other.estimate, -one.estimate)
    np.testing.assert_allclose(other.low, -one.high)
    np.testing.assert_allclose(other.p, one.p)


def test_the_information_of_two_classes_is_that_of_one_predictor():
    X, y = cars()
    two = fitted(X, y > 1)
    coded = CodedClasses.of(as_source(X, y > 1, needs=Needs("test", target="classes")), None, signs=False)
    problem = Problem("test", coded.source, SoftmaxLoss(), NoPenalty(), True, 2)
    slope, intercept = two.coef_[0], two.intercept_[0]
    at = Coefficients(np.column_stack([np.zeros(2), slope]), np.array([0.0, intercept]))
    found = learned_of_classes(problem, at)
    np.testing.assert_allclose(
        found["_class_information"].inverse(2, 0, 0.0).spread, two.covariance_, rtol=1e-8, atol=1e-10
    )
    assert 2 * found["_sums"].value == pytest.approx(two.deviance_)
    assert 2 * found["_sums"].null == pytest.approx(two.null_deviance_)


def test_errors_without_intercept_and_of_sparse_rows_and_columns_far_away():
    X, y = cars()
    plain = fitted(X, y, fit_intercept=False)
    assert plain.coefficients().terms == ("x0", "x1")
    assert plain.degrees_of_freedom_ == pytest.approx(len(y) - 4)
    assert plain.null_deviance_ == pytest.approx(2 * len(y) * np.log(3))
    sparse = fitted(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.standard_errors_, fitted(X, y).standard_errors_, rtol=1e-5)
    far = fitted(1e3 * X + 1e7, y)
    np.testing.assert_allclose(far.standard_errors_ * 1e3, fitted(X, y).standard_errors_, rtol=1e-3)


def test_a_penalty_lowers_errors_and_uses_less_freedom():
    X, y = cars()
    free, held = fitted(X, y), fitted(X, y, C=0.5)
    assert np.all(held.standard_errors_ < free.standard_errors_)
    assert len(y) - 6 < held.degrees_of_freedom_ < len(y) - 2
    near = fitted(X, y, C=1e8)
    np.testing.assert_allclose(near.standard_errors_, free.standard_errors_, rtol=1e-3)
    turned = held.coefficients(reference=3)
    np.testing.assert_allclose(turned.standard_error[:, 0], held.coefficients().standard_error[:, 1], rtol=1e-6)
    assert held.penalised
    assert not free.penalised


def test_intervals_of_probabilities():
    X, y = cars()
    model = fitted(X, y)
    found, P = model.predict_interval(X), model.predict_proba(X)
    assert found.shape == (len(y), 3, 2)
    assert np.all((found[..., 0] < P) & (found[..., 1] > P))
    two = fitted(X, y > 1)
    low, high = np.moveaxis(two.predict_interval(X, level=0.9), 2, 0)
    np.testing.assert_allclose(low[:, 0], 1 - high[:, 1])
    rows = np.column_stack([X, np.ones(len(y))])
    half = 1.6448536 * np.sqrt(np.einsum("np,pq,nq->n", rows, two.covariance_, rows))
    np.testing.assert_allclose(high[:, 1], 1 / (1 + np.exp(-two.decision_function(X) - half)), rtol=1e-6)
    # one of three classes against the others, by the differences of the log odds for small steps of the coefficients
    covariance, k = model.covariance_, 2

    def odds(step):
        scores = np.column_stack([np.zeros(len(y)), rows @ (_differences(model) + step.reshape(2, 3)).T])
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.log(share[:, k] / np.delete(share, k, axis=1).sum(axis=1))

    slopes = np.array([(odds(1e-5 * e) - odds(-1e-5 * e)) / 2e-5 for e in np.eye(6)]).T
    half = 1.959964 * np.sqrt(np.einsum("np,pq,nq->n", slopes, covariance, slopes))
    np.testing.assert_allclose(found[:, k, 1], 1 / (1 + np.exp(-odds(np.zeros(6)) - half)), rtol=1e-5)
    with pytest.raises(InvalidParameter, match="predict_interval: level"):
        model.predict_interval(X, level=2)


def _differences(model):
    found = np.column_stack([model.coef_, model.intercept_])
    return found[1:] - found[0]


def test_fits_that_keep_no_information_say_so():
    X, y = cars()
    for params in ({"l1_ratio": 1.0, "C": 1.0},):
        with pytest.raises(NotEstimated, match="no L1 penalty"):
            fitted(X, y, **params).coefficients()
    with pytest.warns(IllConditioned, match="the 3 columns have rank 2"):
        model = fitted(np.column_stack([X, X[:, 0] - X[:, 1]]), y)
    assert np.isnan(model.standard_errors_).all()


def test_files_and_pieces_keep_what_memory_keeps(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    X, y = cars()
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "y": y}), tmp_path / "rows.parquet", row_group_size=7)
    read = fitted(sf.scan(tmp_path / "rows.parquet", target="y"), None)
    np.testing.assert_allclose(read.covariance_, fitted(X, y).covariance_, rtol=1e-5)
    sf.save(read, tmp_path / "model.suffice")
    back = sf.load(tmp_path / "model.suffice")
    assert str(back.coefficients()) == str(read.coefficients())
    assert back.coefficients().terms == ("intercept", "a", "b")


def test_what_was_not_fitted_says_so():
    for asked in ("coefficients", "odds_ratios"):
        with pytest.raises(NotFittedError):
            getattr(sf.LogisticRegression(), asked)()
