"""Every sentence about the best model: said where it is true, and not where it is not."""

import numpy as np
import pytest

import suffice as sf
from suffice.evaluation import PartialDependence
from suffice.report import advice, deciding
from suffice.report.keeping import how_kept, no_better
from suffice.report.learned import TITLE, moved, said
from suffice.report.prediction import _but_ranks, _verdict


def lines(rng, n=120):
    """Rows whose target is a straight line, with little noise."""
    X = rng.normal(size=(n, 3))
    return X, X @ [2.0, -1.0, 0.5] + 0.1 * rng.normal(size=n) + 20


def compared(models, X, y, **settings):
    measures = "accuracy" if np.asarray(y).dtype.kind == "U" else "r2"
    return sf.compare(models, X, y, **{"splits": 5, "keep_models": False, "measures": measures, **settings})


# ---- what answers are worth ----


def test_typical_errors_are_the_quantiles_of_the_errors():
    truth, predicted = np.arange(1.0, 12.0), np.arange(1.0, 12.0) + np.arange(11)
    said = deciding.typical_errors(truth, predicted)
    assert said.startswith("Half of the predictions are off by at most 5, nine in ten by at most 9;")
    assert said.endswith("saying 6 of every row, by at most 3 and 5.")


def test_spiegelhalter_is_his_formula_and_knows_certainty():
    p, came_true = np.array([0.9, 0.8, 0.6]), np.array([True, False, True])
    above = sum((o - q) * (1 - 2 * q) for q, o in zip(p, came_true, strict=True))
    spread = sum((1 - 2 * q) ** 2 * q * (1 - q) for q in p) ** 0.5
    assert deciding.spiegelhalter(p, came_true) == pytest.approx(above / spread)
    assert deciding.spiegelhalter(np.ones(3), np.array([True, True, False])) == np.inf
    assert deciding.spiegelhalter(np.ones(3), np.ones(3, dtype=bool)) == 0


def test_probabilities_are_called_extreme_cautious_or_neither(rng):
    chance = rng.uniform(0.5, 1, 4000)
    came_true = rng.uniform(size=4000) < chance
    assert deciding.calibration(chance, came_true).startswith("No sign of miscalibrated")
    assert "too extreme" in deciding.calibration(chance**0.2, came_true)
    assert "too cautious" in deciding.calibration(0.5 + (chance - 0.5) / 3, came_true)


def test_thresholds_count_what_is_found_and_skip_what_no_row_reaches():
    p, rare = np.array([0.02, 0.15, 0.4, 0.6]), np.array([False, False, True, True])
    table = deciding.threshold_table(p, rare, "yes")
    by_threshold = {row[0]: row[1:] for row in table.rows}
    assert by_threshold["0.1"] == ("3", "75 %", "2 of 2", "1", "0.667")
    assert by_threshold["0.5"] == ("1", "25 %", "1 of 2", "0.5", "1")
    assert "0.7" not in by_threshold
    assert "'yes'" in deciding.threshold_words("yes")


def test_the_likeliest_class_and_whether_it_is_true():
    p, right = deciding.said_and_true(np.array([[0.7, 0.3], [0.4, 0.6]]), np.array(["a", "b"]), np.array(["a", "a"]))
    assert (p.tolist(), right.tolist()) == ([0.7, 0.6], [True, False])


# ---- advice ----


def test_a_model_no_better_than_the_dummy_is_not_to_be_used(rng):
    X, y = lines(rng)
    good = compared({"Ridge": sf.Ridge()}, X, y)
    assert advice.not_to_be_used(good) == ""
    noise = compared({"Ridge": sf.Ridge()}, X, rng.normal(size=len(y)))
    assert advice.not_to_be_used(noise).startswith("Do not use Ridge yet")


def test_a_winner_that_is_kept_is_said_to_be_no_better_than_the_dummy(rng):
    X, y = lines(rng)
    assert no_better(compared({"Ridge": sf.Ridge()}, X, y)) == ""
    assert "better than the dummy" in no_better(compared({"Ridge": sf.Ridge()}, X, rng.normal(size=len(y))))


def test_a_score_of_almost_one_is_doubted_and_others_are_not(rng):
    X, y = lines(rng)
    assert advice.too_good(compared({"Ridge": sf.Ridge(1e-6)}, X, X[:, 0])).startswith("Ridge reaches r2 1")
    assert advice.too_good(compared({"Ridge": sf.Ridge()}, X, y + rng.normal(size=len(y)))) == ""
    assert advice.too_good(compared({"Ridge": sf.Ridge(1e-6)}, X, X[:, 0], measures="rmse")) == ""


def test_a_plain_model_is_named_where_it_loses_little(rng):
    X, y = lines(rng)
    nearest = sf.KNeighborsRegressor(3)
    bent = compared({"KNeighborsRegressor": nearest, "LinearRegression": sf.LinearRegression()}, X, np.abs(y - 20))
    assert bent.best == "KNeighborsRegressor"
    assert advice.simpler(bent) == ""  # lines lose much
    same = compared({"BayesianRidge": sf.BayesianRidge(), "LinearRegression": sf.LinearRegression()}, X, y)
    expected = "LinearRegression (r2 " if same.best == "BayesianRidge" else ""
    assert expected in advice.simpler(same)
    assert advice.simpler(compared({"LinearRegression": sf.LinearRegression()}, X, y)) == ""


def test_rows_to_choose_grow_with_the_square_of_the_interval(rng):
    X, y = lines(rng)
    noisy = y + 2 * rng.normal(size=len(y))
    models = {"Ridge": sf.Ridge(), "KNeighborsRegressor": sf.KNeighborsRegressor(15)}
    made = compared(models, X, noisy, zone=0.03)
    found = next(iter(made.to_best.values()))
    half = (found.interval.high - found.interval.low) / 2
    said = advice.rows_to_choose(made, len(y))
    assert (f"about {(half / 0.03) ** 2:.0f} times" in said) == (
        found.verdict == "undecided" and half > 0.03 * 1.5**0.5
    )
    assert advice.rows_to_choose(compared(models, X, noisy, zone=5.0), len(y)) == ""
    assert advice.rows_to_choose(compared(models, X, noisy, zone=0.0), len(y)) == ""


def test_more_rows_are_asked_for_where_training_rows_are_surely_better_off(rng):
    X, y = lines(rng, 400)
    noisy = y + 2 * rng.normal(size=len(y))
    made = compared({"tree": sf.DecisionTreeRegressor(), "Ridge": sf.Ridge()}, X, noisy, train=True)
    assert made.gaps["tree"].verdict == "overfitting"
    assert advice.more_rows(made.gaps["tree"], "tree").startswith("tree is better on the rows it learned from (r2 1)")
    assert advice.more_rows(made.gaps["Ridge"], "Ridge") == ""
    assert advice.more_rows(None, "Ridge") == ""


def test_bends_are_said_where_lines_are_surely_worse_than_trees(rng):
    X = rng.uniform(-2, 2, (300, 2))
    models = {"forest": sf.RandomForestRegressor(20, random_state=0), "Ridge": sf.Ridge()}
    bent = compared(models, X, X[:, 0] ** 2 * 3)
    assert advice.bends(bent, models).startswith("Straight lines do not follow the target: the best of them, Ridge")
    assert advice.bends(compared(models, X, X[:, 0]), models) == ""


def test_the_logarithm_is_advised_where_errors_grow_with_a_target_above_zero(rng):
    predicted = np.exp(rng.normal(size=300))
    truth = predicted * np.exp(0.3 * rng.normal(size=300))
    assert "logarithm of 'price'" in advice.logarithm(truth, predicted, "price")
    assert advice.logarithm(truth - 5, predicted - 5, "price") == ""
    assert advice.logarithm(predicted + 0.1 * rng.normal(size=300) + 9, predicted + 9, "price") == ""
    assert advice.logarithm(truth[:20], predicted[:20], "price") == ""


def test_the_search_that_is_shown_runs(rng):
    X, y = lines(rng, 60)
    code = advice.search_code("Ridge", sf.Ridge(), 3)
    names = {"sf": sf, "models": {"Ridge": sf.Ridge()}, "table": X, "y": y}
    exec(compile(code, "shown", "exec"), names)
    assert names["searched"].value("r2") > 0.9
    assert hasattr(names["best"][-1], "coef_")
    assert advice.search_code("NaiveBayes", sf.NaiveBayes(), 3) == ""
    assert advice.search_code(advice.SMALL_TREE, sf.DecisionTreeClassifier(), 3) == ""


@pytest.mark.parametrize("start", advice._SEARCHES)
def test_every_parameter_to_search_is_one_of_the_models(start):
    for ending in ("", "Classifier", "Regressor"):
        cls = getattr(sf, start + ending, None)
        for name, values in advice._SEARCHES[start].items() if cls else ():
            for value in values:
                assert getattr(cls(**{name: value}), name) == value


def test_the_command_that_keeps_the_winner_can_be_copied():
    told = how_kept("Ridge", "unit price", "my sales.csv")
    assert "`suffice report 'my sales.csv' --target 'unit price' --save best.sff`" in told
    assert "report.winner.keep('best.sff')" in how_kept("Ridge", "y", None)


# ---- what was learned ----


def test_the_column_that_moves_predictions_most_is_named():
    grid = np.array([1.0, 2.0])
    numbers = [PartialDependence(("a",), (grid,), np.array([1.0, 4.0]), ()),
               PartialDependence(("b",), (grid,), np.array([2.0, 2.5]), ())]  # fmt: skip
    assert moved(numbers[0]) == 3.0
    assert "'a' moves the mean prediction by m most: from 1 to 4." in said("m", numbers)
    two = PartialDependence(("c",), (grid,), np.array([[0.1, 0.9], [0.4, 0.6]]), ("no", "yes"))
    assert "'c' moves the mean probability of 'no' by m most: from 0.1 to 0.4." in said("m", [two])
    still = PartialDependence(("a",), (grid,), np.array([1.0, 1.0]), ())
    assert said("m", [still]).startswith("No single column moves")
    assert said("m", []).startswith("No single column moves")


# ---- the verdict ----


def test_the_verdict_names_rivals_or_the_dummy_or_nobody(rng):
    X, y = lines(rng)
    clear = compared({"Ridge": sf.Ridge(), "KNeighborsRegressor": sf.KNeighborsRegressor(40)}, X, y)
    assert "No clear difference" not in _verdict(clear)
    rivals = compared({"Ridge": sf.Ridge(), "LinearRegression": sf.LinearRegression()}, X, y)
    assert "No clear difference to: " in _verdict(rivals)
    noise = compared({"Ridge": sf.Ridge(1e9)}, X, rng.normal(size=len(y)))
    assert "nothing to learn" in _verdict(noise) or "better than the dummy" in _verdict(noise)


def test_rows_that_are_ranked_are_no_noise(rng):
    x = rng.normal(size=(400, 1))
    y = np.where(rng.uniform(size=400) < 0.15 + 0.2 / (1 + np.exp(-2 * x[:, 0])), "yes", "no")  # never above one half
    models, measures = {"LogisticRegression": sf.LogisticRegression()}, ("accuracy", "roc_auc")
    assert "ranks the rows better than chance" in _but_ranks(compared(models, x, y, measures=measures))
    assert "nothing to learn" in _but_ranks(compared(models, x, rng.permutation(y), measures=measures))
    assert "nothing to learn" in _but_ranks(compared(models, x, y, measures="accuracy"))


@pytest.mark.parametrize(
    ("model", "words"),
    [(sf.Perceptron(), "gives no probabilities"), (sf.LogisticRegression(), "moves the mean probability of")],
)
def test_a_model_without_probabilities_has_no_curves(model, words):
    made = sf.report("crabs", target="sp", models={"mine": model})
    part = next(part for part in made.sections[-1].parts if part.title == TITLE)
    assert words in part.words[0]
    assert bool(part.pictures) == hasattr(model, "predict_proba")
    assert part.hidden[0].header[0] == "column, as prepared"


def test_coefficients_have_their_intervals():
    made = sf.report("crabs", target="CW", models={"mine": sf.LinearRegression()})
    part = next(part for part in made.sections[-1].parts if part.title == TITLE)
    model = made.results["best"][-1]
    assert part.hidden[0].header == ("term", "estimate", "std. error", "low 95 %", "high 95 %", "p")
    assert [row[0] for row in part.hidden[0].rows] == list(model.coefficients().terms)
