"""Actions of least expected cost: against brute force, limits of doubt, costs from files, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

COSTS = {"ant": {"act": 0, "wait": 2.5}, "bee": {"act": 7, "wait": 1}, "cat": {"act": 1, "wait": 3}}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    return rng.normal(size=(300, 4)) + y[:, None] * [1.0, 0.5, 0.0, 0.0], np.array(["ant", "bee", "cat"])[y]


def test_what_an_action_costs_in_any_case_is_expected_exactly(table):
    X, y = table
    costs = np.array([[0.7, 0.0, 3.0], [0.7, 5.0, 0.0], [0.7, 1.0, 1.0]])
    model = sf.Decide(sf.GaussianNB(), costs, actions=["send", "keep", "treat"], doubt=0.3).fit(X, y)
    assert np.unique(model.expected_costs(X)[:, [0, 3]], axis=0).tolist() == [[0.7, 0.3]]
    own = model.expected_costs(X, np.broadcast_to(costs, (len(X), 3, 3)))
    assert np.unique(own[:, [0, 3]], axis=0).tolist() == [[0.7, 0.3]]


def test_least_expected_cost_by_brute_force(table):
    X, y = table
    model = sf.Decide(sf.GaussianNB(), COSTS).fit(X, y)
    P, C = sf.GaussianNB().fit(X, y).predict_proba(X), np.array([[0, 2.5], [7, 1], [1, 3]])
    expected = np.array([[sum(p * c for p, c in zip(row, column, strict=True)) for column in C.T] for row in P])
    assert_allclose(model.expected_costs(X), expected, rtol=1e-12)
    assert_array_equal(model.predict(X), np.array(["act", "wait"])[expected.argmin(axis=1)])
    paid = C[np.searchsorted(["ant", "bee", "cat"], y), expected.argmin(axis=1)]
    found = model.cost(X, y)
    assert found.realised.value == pytest.approx(paid.mean())
    assert found.realised.low < paid.mean() < found.realised.high
    assert found.expected.value == pytest.approx(expected.min(axis=1).mean())
    assert model.score(X, y) == pytest.approx(-paid.mean())
    fixed = C[np.searchsorted(["ant", "bee", "cat"], y)].mean(axis=0)
    assert (found.fixed, found.fixed_action) == (pytest.approx(fixed.min()), ["act", "wait"][fixed.argmin()])
    assert found.realised.value < found.fixed


def test_costs_of_one_for_errors_are_predictions(table):
    X, y = table
    assert_array_equal(sf.Decide(sf.LinearDiscriminantAnalysis()).fit(X, y).predict(X),
                       sf.LinearDiscriminantAnalysis().fit(X, y).predict(X))  # fmt: skip
    plain = sf.Decide().fit(X, y)
    assert plain.score(X, y) == pytest.approx(np.mean(plain.predict(X) == y) - 1)


def test_doubt_for_nothing_acts_only_on_certainty_and_doubt_at_the_cost_of_an_error_never():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    y = np.array(["a", "b", "b", "b", "b"])
    tree = sf.DecisionTreeClassifier(min_samples_leaf=1)
    assert sf.Decide(tree, doubt=0).fit(X, y).predict(X).tolist() == ["doubt", "doubt", "b", "b", "b"]
    assert sf.Decide(tree, doubt=1).fit(X, y).predict(X).tolist() == ["a", "a", "b", "b", "b"]
    assert sf.Decide(tree, doubt=0.3, doubt_label="?").fit(X, y).cost(X, y).doubted == pytest.approx(0.4)


def test_the_threshold_of_two_classes():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    model = sf.Decide(sf.LogisticRegression(), [[0, 1], [9, 0]]).fit(X + y[:, None], y)
    assert model.threshold_ == pytest.approx(1 / (1 + 9))
    P = model.predict_proba(X + y[:, None])[:, 1]
    assert_array_equal(model.predict(X + y[:, None]), (model.threshold_ < P).astype(int))
    assert np.isnan(sf.Decide(costs=[[0, 1, 2], [9, 0, 2]], actions=["a", "b", "c"]).fit(X, y).threshold_)


def test_rejection_falls_to_the_cost_of_what_is_certain(table):
    X, y = table
    model = sf.Decide(sf.GaussianNB()).fit(X, y)
    curve = model.rejection(X, y)
    wrong = model.predict(X) != y
    assert curve.rejected[-1] == 0
    assert curve.cost[-1] == pytest.approx(wrong.mean())
    half = np.searchsorted(-curve.rejected, -0.5)
    least = model.expected_costs(X).min(axis=1)
    assert curve.cost[half] == pytest.approx(wrong[least <= curve.doubt[half]].mean())
    assert curve.cost[half] < curve.cost[-1]


def test_weights_are_repetitions(table):
    X, y = table
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    some, again = sf.Decide(sf.GaussianNB(), COSTS), sf.Decide(sf.GaussianNB(), COSTS)
    some.fit(X, y, sample_weight=weight)
    many = np.repeat(np.arange(len(y)), weight)
    again.fit(X[many], y[many])
    assert_allclose(some.expected_costs(X), again.expected_costs(X), rtol=1e-9)
    one, other = some.cost(X, y, weight), some.cost(X[many], y[many])
    assert one.realised.low == pytest.approx(other.realised.low)
    assert one.expected.value == pytest.approx(other.expected.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"costs": [[0, 1], [1, 0]]}, r"a row for each of the 3 classes 'ant', 'bee', 'cat'.*got shape \(2, 2\)"),
        ({"costs": -np.eye(3)}, "finite and at least 0; that of action number 0 where 'ant' is true is -1"),
        ({"costs": np.full((3, 3), np.nan)}, "finite and at least 0"),
        ({"costs": np.ones((3, 2))}, "name the actions by actions="),
        ({"costs": np.ones((3, 2)), "actions": ["a", "a"]}, "2 different names"),
        ({"costs": {**COSTS, "cow": COSTS["ant"]}}, "the class 'cow', which is none of 'ant'"),
        ({"costs": {"ant": {"act": 1}}}, "costs say nothing of the class 'bee'"),
        ({"costs": {**COSTS, "cat": {"act": 1}}}, "costs of the class 'cat' lack the action 'wait'"),
        ({"costs": {**COSTS, "cat": 3}}, "a mapping of actions to costs"),
        ({"costs": {**COSTS, "cat": {"act": "much", "wait": 1}}}, "costs must be numbers"),
        ({"actions": ["a", "b", "c"]}, "give costs, or leave actions out"),
        ({"doubt": -1}, "doubt"),
        ({"doubt": 0.5, "doubt_label": "ant"}, "doubt_label must be text that is no action"),
        ({"doubt": 0.5, "doubt_label": 3}, "doubt_label must be text"),
        ({"model": sf.LinearSVC()}, "LinearSVC has no predict_proba"),
    ],
)
def test_refusals(table, arguments, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.Decide(**arguments).fit(*table)


class Loud(LogisticRegression):
    """Probabilities that sum to 2."""

    def predict_proba(self, X):
        return 2 * super().predict_proba(X)


def test_what_models_say_is_checked(table):
    X, y = table
    with pytest.raises(
        InvalidData, match=r"Decide: probabilities of Loud must be .* sum to 1; those of row .* sum to 2"
    ):
        sf.Decide(Loud()).fit(X, y).predict(X)
    model = sf.Decide(LogisticRegression(), COSTS).fit(X, y)
    with pytest.raises(InvalidData, match="y holds 'dog', which is no class of the fit"):
        model.cost(X, np.where(y == "ant", "dog", y))
    with pytest.raises(InvalidData, match="300 rows but y has 3"):
        model.cost(X, y[:3])


def test_model_files_hold_it(table, tmp_path):
    X, y = table
    model = sf.Decide(sf.GaussianNB(), COSTS, doubt=0.5).fit(X, y)
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.costs_) == str(model.costs_)


def test_costs_of_each_row():
    rng = np.random.default_rng(5)
    amount = rng.exponential(100, 300)
    X, y = np.column_stack([amount, rng.normal(size=300)]), np.array(["fair", "fraud"])[rng.integers(0, 2, 300)]
    X[:, 1] += y == "fraud"
    model = sf.Decide(sf.GaussianNB(), [[0, 5], [1, 5]], actions=["pay", "look"], doubt=4).fit(X, y)
    costs = np.zeros((300, 2, 2))
    costs[:, :, 1], costs[:, 1, 0] = 5, amount  # looking costs 5, and a fraud its amount
    P = model.predict_proba(X)
    expected = np.column_stack([P[:, 1] * amount, np.full(300, 5.0), np.full(300, 4.0)])
    assert_allclose(model.expected_costs(X, costs), expected)
    assert_array_equal(model.predict(X, costs), np.array(["pay", "look", "doubt"])[expected.argmin(axis=1)])
    found = model.cost(X, y, costs=costs)
    paid = np.where(expected.argmin(axis=1) == 0, np.where(y == "fraud", amount, 0), 4.0)
    assert found.realised.value == pytest.approx(paid.mean())
    assert found.fixed == pytest.approx(min(np.mean(amount * (y == "fraud")), 5))
    same = np.repeat(model.costs_.costs[None], 300, axis=0)
    assert_allclose(model.expected_costs(X, same), model.expected_costs(X))
    for wrong, words in (
        (costs[:9], "a cost for each row, class and action, shape \\(300, 2, 2\\)"),
        (-costs, "costs must be at least 0"),
        (costs * np.nan, "finite numbers"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            model.predict(X, wrong)


def test_the_area_under_a_cost_curve_is_the_brier_score():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    X += 0.7 * y[:, None]
    weight = rng.integers(0, 3, 400)
    model = sf.Decide(sf.GaussianNB(), [[0, 2], [8, 0]]).fit(X, y)
    curve = model.cost_curve(X, y, weight, points=20_001)
    p = model.predict_proba(X)[:, 1]
    assert curve.area == pytest.approx(np.average((p - y) ** 2, weights=weight), abs=1e-4)
    assert np.all(curve.best <= curve.cost + 1e-12)
    assert np.all(curve.best <= curve.fixed + 1e-12)
    assert np.all((curve.low <= curve.cost) & (curve.cost <= curve.high))
    at = np.searchsorted(curve.false_alarm, 0.2)
    assert 10 * curve.cost[at] == pytest.approx(model.cost(X, y, weight).realised.value, rel=1e-9)
    many = np.repeat(np.arange(400), weight)
    assert_allclose(model.cost_curve(X[many], y[many]).cost, model.cost_curve(X, y, weight).cost, atol=1e-12)
    assert set(curve.plot(ax=False).table()["name"]) == {"by the probabilities", "best threshold", "always one class"}
    with pytest.raises(InvalidData, match="a cost curve is of two classes, and there are 3"):
        sf.Decide().fit(X, np.arange(400) % 3).cost_curve(X, y)


def test_intervals_of_what_is_expected_and_realised_cover_the_truth():
    rng = np.random.default_rng(7)
    costs, inside = np.array([[0, 1], [6, 0]]), np.zeros(2)
    for _ in range(150):
        p = rng.uniform(0, 1, 200)
        y = rng.random(200) < p
        model = sf.Decide(Told(), costs).fit([[0.0], [1.0]], [0, 1])
        found = model.cost(p[:, None], y.astype(int))
        act = np.linspace(0, 1, 100_001)
        truth = np.minimum(6 * act, 1 - act).mean()  # of all rows there could be
        inside += [truth in found.realised, truth in found.expected]
    assert inside[0] / 150 > 0.90
    assert inside[1] / 150 > 0.90


class Told(LogisticRegression):
    """A model that was told P(1 | x) = x."""

    def predict_proba(self, X):
        p = np.clip(np.asarray(X)[:, 0], 0, 1)
        return np.column_stack([1 - p, p])


def test_rejection_has_intervals_and_a_picture(table):
    X, y = table
    curve = sf.Decide(sf.GaussianNB()).fit(X, y).rejection(X, y)
    assert np.all((curve.low <= curve.cost) & (curve.cost <= curve.high))
    assert np.all((curve.low >= 0) & (curve.high <= 1))
    assert_array_equal(curve.plot(ax=False).table()["y"], curve.cost)
    assert repr(curve).startswith("RejectionCurve(")


def test_doubt_at_its_two_ends_of_any_probabilities():
    rng = np.random.default_rng(8)
    p = np.r_[0.0, 1.0, rng.uniform(0, 1, 200), 1 - 1e-9]
    nothing, error = (sf.Decide(Told(), doubt=doubt).fit([[0.0], [1.0]], [0, 1]) for doubt in (0, 1))
    assert_array_equal(nothing.predict(p[:, None]) == -1, (p > 0) & (p < 1))
    assert not np.any(error.predict(p[:, None]) == -1)
