"""Calibration in figures: against scikit-learn, by the decomposition, by simulation, with weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter


def said(n, seed, power=1.0):
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.02, 0.98, n)
    return rng.random(n) < chance, chance**power / (chance**power + (1 - chance) ** power)


def test_the_figures_of_others():
    y, p = said(500, 0, 2.0)
    found = sf.calibration(y, p)["True"]
    assert found.brier.value == pytest.approx(brier_score_loss(y, p))
    true, mean = calibration_curve(y, p, n_bins=10, strategy="quantile")
    assert_allclose(found.bins.said, mean)
    assert_allclose(found.bins.came_true, true)
    isotonic = IsotonicRegression().fit_transform(p, y)
    assert found.miscalibration == pytest.approx(np.mean((p - y) ** 2) - np.mean((isotonic - y) ** 2))
    assert found.uncertainty == pytest.approx(y.mean() * (1 - y.mean()))
    whole = found.miscalibration - found.discrimination + found.uncertainty
    assert whole == pytest.approx(found.brier.value, abs=1e-12)
    assert found.error == pytest.approx(np.average(np.abs(true - mean), weights=found.bins.rows))


def test_verdicts_by_simulation():
    verdicts = [sf.calibration(*said(400, seed))["True"].verdict for seed in range(60)]
    assert verdicts.count("no sign of a fault") >= 53  # of 95 %
    assert sf.calibration(*said(400, 1, 2.5))["True"].verdict == "too extreme"
    assert sf.calibration(*said(400, 1, 0.3))["True"].verdict == "too cautious"
    y, p = said(4000, 2)
    assert sf.calibration(y, np.clip(p + 0.1, 0, 1))["True"].verdict == "too high"
    assert sf.calibration(y, np.clip(p - 0.1, 0, 1))["True"].verdict == "too low"
    assert (
        sf.calibration(y, p + 0.1 * np.sin(4 * np.pi * p) * (p > 0.1) * (p < 0.9))["True"].verdict
        != "no sign of a fault"
    )
    assert sf.calibration([False, True], [0.0, 1.0])["True"].verdict == "no sign of a fault"
    assert sf.calibration([False, True, True], [0.0, 1.0, 0.0])["True"].verdict == "too low"


def test_true_probabilities_have_an_error_by_chance_alone():
    errors = [sf.calibration(*said(300, seed))["True"] for seed in range(40)]
    mean = np.mean([one.error for one in errors])
    assert mean == pytest.approx(np.mean([one.error_if_true[0] for one in errors]), rel=0.1)
    assert np.mean([one.error > one.error_if_true[1] for one in errors]) < 0.15
    y, p = said(50_000, 3)  # beyond the draws one by one
    many = sf.calibration(y, p)["True"]
    assert many.error < 2 * many.error_if_true[1]


def test_intervals_of_the_brier_score_cover_it():
    inside = 0
    for seed in range(60):
        inside += 0.1732 in sf.calibration(*said(300, seed))["True"].brier
    assert inside >= 52  # E p (1 − p) of a uniform from 0.02 to 0.98 is 0.1732


def test_weights_are_repetitions():
    y, p = said(200, 4)
    weight = np.random.default_rng(5).integers(0, 3, 200)
    many = np.repeat(np.arange(200), weight)
    one, other = (
        sf.calibration(y, p, sample_weight=weight, strategy="uniform"),
        sf.calibration(y[many], p[many], strategy="uniform"),
    )
    for name in ("miscalibration", "discrimination", "uncertainty", "error"):
        assert getattr(one["True"], name) == pytest.approx(getattr(other["True"], name), abs=1e-12)
    assert one["True"].brier.low == pytest.approx(other["True"].brier.low)


def test_several_classes_and_what_evaluate_found():
    iris = sf.datasets.load("iris")
    found = sf.evaluate(sf.GaussianNB(), iris.matrix(), iris["species"])
    made = sf.calibration(found)
    assert [one.name for one in made.classes] == ["setosa", "versicolor", "virginica"]
    assert {row["class"] for row in made.table()} == {"setosa", "versicolor", "virginica"}
    assert set(made.plot(ax=False).table()) == set(made.bins())
    assert "brier = miscalibration − discrimination + uncertainty" in str(made)
    assert repr(made).startswith("Calibration(setosa: ")
    assert "<table>" in made._repr_html_()
    with pytest.raises(KeyError):
        made["rosa"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0, 1], [0.2, 1.7]), "from 0 to 1"),
        (([0, 1], [0.2]), "y has 2 entries and probability 1"),
        (([0, 0], [0.2, 0.3]), "every row is of the class 0"),
        (([], []), "y has no rows"),
        (([0, 1], [np.nan, 0.3]), "from 0 to 1"),
        (([0, 1], ["a", "b"]), "probabilities must be numbers"),
        (([0, 1],), r"one column a class, \(n, k\); got shape \(\)"),
        (([0, 1, 2], [0.2, 0.3, 0.4]), "one column a class"),
        (([0, 1], [10**400, 1]), "probabilities must be numbers"),
        (({}, [0.2]), r"y must be a list of labels, shape \(n,\); got shape \(\)"),
        ((None, [0.2]), "y must be a list of labels"),
        (([[1], [2, 3]], [0.2, 0.3]), "y must be a list of labels"),
        ((np.array(["a", 1], dtype=object), [0.2, 0.3]), "different kinds"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(InvalidData, match=words):
        sf.calibration(*arguments)


def test_refused_settings():
    y, p = said(20, 6)
    with pytest.raises(InvalidParameter, match="bins"):
        sf.calibration(y, p, bins=0)
    with pytest.raises(InvalidParameter, match="strategy"):
        sf.calibration(y, p, strategy="equal")
    for classes in ({}, 3, [[0], [1, 2]]):
        with pytest.raises(InvalidData, match="classes must be a list of labels"):
            sf.calibration(y, p, classes=classes)
    with pytest.raises(InvalidData, match="no row has a weight"):
        sf.calibration(y, p, sample_weight=np.zeros(20))
    with pytest.raises(InvalidData, match="gives no probabilities"):
        sf.calibration(sf.evaluate(sf.LinearSVC(), [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 1] * 10, splits=2))
