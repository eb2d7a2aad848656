"""Strategies of asking: by formulas, by brute force, and what every one of them keeps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.linear_model import LinearRegression

import suffice as sf
from suffice.active import QUERIES, Pool, Query
from suffice.active.different import as_points, farthest_first, first_rows
from suffice.active.query import probabilities
from suffice.active.reducing import VarianceReduction
from suffice.contracts import check_query
from suffice.errors import InvalidData, InvalidParameter


def rows(n=60, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], np.array(["ant", "bee", "cat"])[y]


def pool_of(model, X, y, labelled, seed=0):
    labelled = np.asarray(labelled)
    others = np.setdiff1d(np.arange(len(X)), labelled)
    fits = lambda one, some, told: one.fit(X[some], told)  # noqa: E731
    return Pool(model, X, labelled, y[labelled], others, np.random.default_rng(seed), lambda: as_points(X), fits)


@pytest.fixture(scope="module")
def pool():
    X, y = rows()
    return pool_of(sf.GaussianNB(), X, y, range(15))


def test_the_formulas_of_uncertainty(pool):
    P = sf.GaussianNB().fit(pool.X[:15], pool.labels).predict_proba(pool.X[15:])
    two = np.sort(P, axis=1)[:, -2:]
    assert_allclose(sf.LeastConfident().scores(pool), 1 - P.max(axis=1))
    assert_allclose(sf.Margin().scores(pool), 1 - (two[:, 1] - two[:, 0]))
    assert_allclose(sf.Entropy().scores(pool), -(P * np.log(np.maximum(P, 1e-300))).sum(axis=1), atol=1e-12)


def test_costs_of_one_for_errors_ask_where_confidence_is_least(pool):
    assert_allclose(sf.ExpectedCost().scores(pool), sf.LeastConfident().scores(pool), atol=1e-12)
    costs = {"ant": {"act": 0, "wait": 9}, "bee": {"act": 1, "wait": 0}, "cat": {"act": 2, "wait": 0}}
    C = np.array([[0, 9], [1, 0], [2, 0]])
    assert_allclose(sf.ExpectedCost(costs).scores(pool), (pool.probability @ C).min(axis=1))
    more = {**costs, "dog": {"act": 5, "wait": 5}}  # of which there is no label yet
    assert_allclose(sf.ExpectedCost(more).scores(pool), sf.ExpectedCost(costs).scores(pool))
    with pytest.raises(InvalidParameter, match="costs say nothing of the class 'cat'"):
        sf.ExpectedCost({name: costs[name] for name in ("ant", "bee")}).scores(pool)


def test_of_two_classes_three_strategies_rank_alike():
    X, y = rows(k=2)
    both = pool_of(sf.LogisticRegression(), X, y, range(10))
    first, *others = [np.argsort(q.scores(both)) for q in (sf.LeastConfident(), sf.Margin(), sf.Entropy())]
    for order in others:
        assert_array_equal(order, first)
    decisions = pool_of(sf.LinearSVC(), X, y, range(10))  # no probabilities: the distance from the plane ranks
    distance = np.abs(decisions.fitted.decision_function(X[10:]))
    assert_array_equal(np.argsort(sf.Margin().scores(decisions)), np.argsort(-distance))


def test_a_committee_that_agrees_has_nothing_to_ask():
    X, y = rows()
    same = [sf.GaussianNB(), sf.GaussianNB()]
    pool = pool_of(sf.GaussianNB(), X, y, range(15))
    assert_allclose(sf.Committee(models=same).scores(pool), 0, atol=1e-12)
    two = [sf.GaussianNB(), sf.LinearDiscriminantAnalysis()]
    P = np.array([probabilities(m.fit(X[:15], y[:15]), X[15:]) for m in two])
    information = special.entr(P.mean(axis=0)).sum(axis=1) - special.entr(P).sum(axis=2).mean(axis=0)
    assert_allclose(sf.Committee(models=two).scores(pool), information, atol=1e-12)
    with pytest.raises(InvalidParameter, match="at least 2 models"):
        sf.Committee(models=[sf.GaussianNB()])


def test_expected_error_by_brute_force():
    X, y = rows(30)
    pool = pool_of(sf.GaussianNB(), X, y, range(12))
    query = sf.ErrorReduction(candidates=100, among=100)
    P, found = pool.probability, query.expected_errors(pool, np.arange(18))
    for i in (0, 7):
        others = [j for j in range(18) if j != i]
        expected = 0.0
        for c, name in enumerate(("ant", "bee", "cat")):
            model = sf.GaussianNB().fit(np.r_[X[:12], X[[12 + i]]], np.r_[y[:12], [name]])
            expected += P[i, c] * special.entr(model.predict_proba(X[12:][others])).sum(axis=1).mean()
        assert found[i] == pytest.approx(expected, rel=1e-9)
    scores = query.scores(pool)
    assert np.argmax(scores) == np.argmin(found)
    with pytest.raises(InvalidParameter, match="loss must be"):
        sf.ErrorReduction(loss="hinge")


def test_variances_fall_by_what_is_said_whatever_the_number_is():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(25, 1))
    y = np.sin(2 * X[:, 0])
    model = sf.GaussianProcessRegressor(sf.kernels.GaussianKernel(0.7), alpha=0.1, optimizer=None)
    pool = pool_of(model, X, y, range(8))
    scores = VarianceReduction().scores(pool)
    before = model.fit(X[:8], y[:8]).predict(X[8:], return_std=True)[1] ** 2
    for i in (0, 5, 16):
        for label in (-3.0, 3.0):
            after = model.fit(np.r_[X[:8], X[[8 + i]]], np.r_[y[:8], label]).predict(X[8:], return_std=True)[1] ** 2
            assert scores[i] == pytest.approx((before - after).sum(), rel=1e-5)


def test_bootstraps_of_least_squares_find_the_rows_that_fix_the_slope():
    X = np.r_[np.linspace(-1, 1, 40)[:, None], [[8.0]]]
    y = X[:, 0] + np.random.default_rng(0).normal(size=41)
    pool = pool_of(LinearRegression(), X, y, range(0, 40, 2))
    for query in (sf.VarianceReduction(), sf.Committee()):
        assert pool.others[np.argmax(query.scores(pool))] == 40


def test_density_prefers_rows_among_others():
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(size=(50, 2)), [[40.0, 40.0]]]
    pool = pool_of(sf.GaussianNB(), X, np.where(X[:, 0] > 0, 1, 0), range(20))
    density = sf.DensityWeighted().density(pool)
    assert np.argmin(density) == len(density) - 1
    weighted = sf.DensityWeighted(base="margin", power=2.0)
    pool.rng = np.random.default_rng(0)
    expected = sf.Margin().scores(pool) * density**2
    pool.rng = np.random.default_rng(0)
    assert_allclose(weighted.scores(pool), expected, rtol=1e-6)


@pytest.mark.parametrize("name", sorted(QUERIES.classes))
def test_every_strategy_keeps_the_laws(name):
    query = QUERIES.make(name)
    check_query(query)
    assert repr(query).startswith(type(query).__name__)


def test_a_strategy_of_a_user_is_found_by_its_name():
    class Leftmost(Query):
        names = ("leftmost",)
        tasks = ("classes", "numbers")

        def scores(self, pool):
            return pool.candidates[:, 0].max() - pool.candidates[:, 0]

    try:
        X, y = rows()
        asking = sf.ActiveLearner(sf.GaussianNB(), "leftmost", first=2).begin(X, [*y[:6], *[None] * 54])
        assert asking.ask() == [6 + int(np.argmin(X[6:, 0]))]
    finally:
        QUERIES.classes.pop("leftmost")
        Query.members.remove(Leftmost)


class Broken(Query):
    def scores(self, pool):
        return np.full(len(pool.others), np.nan)


def test_scores_that_are_none_are_refused():
    X, y = rows()
    asking = sf.ActiveLearner(sf.GaussianNB(), Broken(), first=2).begin(X, [*y[:6], *[None] * 54])
    with pytest.raises(InvalidData, match="Broken: the score of row 6 is not a number"):
        asking.ask()
    Query.members.remove(Broken)


def test_rows_of_a_batch_differ():
    points = np.array([[0.0], [0.01], [0.02], [5.0], [9.0]])
    assert farthest_first(points, 3).tolist() == [0, 4, 3]
    assert sorted(farthest_first(points, 9).tolist()) == [0, 1, 2, 3, 4]
    X = np.r_[np.zeros((30, 2)), np.ones((30, 2)), [[0.5, 0.5]] * 20]
    y = np.r_[np.zeros(30), np.ones(30), np.zeros(20)]
    asking = sf.ActiveLearner(sf.LogisticRegression(), batch=2, first=2).begin(X, [0, *[None] * 29, 1, *[None] * 49])
    one, other = asking.ask()
    assert not np.array_equal(X[one], X[other])
    assert y[one] in (0, 1)


def test_the_first_rows_are_typical_and_far_apart():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])
    X = np.repeat(centres, 25, axis=0) + rng.normal(size=(100, 2))
    found = first_rows(X, np.arange(100), np.array([], dtype=int), 4, np.random.default_rng(0))
    assert sorted(found // 25) == [0, 1, 2, 3]
    assert np.linalg.norm(X[found] - centres[found // 25], axis=1).max() < 1
    beside = first_rows(X, np.arange(25, 100), np.arange(25), 1, np.random.default_rng(0))
    assert beside[0] >= 75  # the group farthest from the labelled one
    same = first_rows(np.zeros((6, 2)), np.arange(6), np.array([], dtype=int), 4, np.random.default_rng(0))
    assert len(set(same.tolist())) == 4
