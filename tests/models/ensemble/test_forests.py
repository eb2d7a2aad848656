"""Forests: draws, out-of-bag predictions, sources, and arguments that nobody can use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.ensemble as sk
from scipy import stats
from sklearn.metrics import r2_score

import suffice as sf
from suffice.backend.growth import Draws, drawn_rows
from suffice.errors import InvalidData, InvalidParameter

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 5))
SCORE = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])
CLASSES = np.where(SCORE > 0, "up", "down")
NEW = RNG.normal(size=(400, 5))
NEW_SCORE = NEW[:, 0] * NEW[:, 1] + np.sin(2 * NEW[:, 2])
FORESTS = [sf.RandomForestClassifier, sf.RandomForestRegressor, sf.ExtraTreesClassifier, sf.ExtraTreesRegressor]


def target(cls):
    return CLASSES if "Classifier" in cls.__name__ else SCORE


def assert_same_trees(a, b):
    for name in ("column", "left", "threshold", "missing_left", "weight", "value"):
        np.testing.assert_array_equal(getattr(a.trees_, name), getattr(b.trees_, name))


@pytest.mark.parametrize("cls", FORESTS)
def test_new_rows_are_predicted_as_well_as_by_scikit_learn(cls):
    truth = np.where(NEW_SCORE > 0, "up", "down") if "Classifier" in cls.__name__ else NEW_SCORE
    ours = np.mean([cls(60, random_state=s).fit(X, target(cls)).score(NEW, truth) for s in range(3)])
    peer = getattr(sk, cls.__name__)
    theirs = np.mean([peer(60, random_state=s).fit(X, target(cls)).score(NEW, truth) for s in range(3)])
    assert ours > theirs - 0.03


@pytest.mark.parametrize("cls", FORESTS)
def test_files_in_any_cut_and_threads_give_the_assert_same_trees(cls, tmp_path):
    table = pa.table({**{f"x{j}": X[:, j] for j in range(5)}, "y": target(cls)})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=97)
    made = cls(7, random_state=3)
    with sf.threads(1):
        wanted = made.fit(X, target(cls))
    with sf.threads(3):
        assert_same_trees(cls(7, random_state=3).fit(X, target(cls)), wanted)
    assert_same_trees(cls(7, random_state=3).fit(sf.scan(tmp_path / "rows.parquet", target="y")), wanted)


def test_draws_by_whole_weights_are_those_of_repeated_rows():
    weight = RNG.integers(0, 4, len(X))
    by_weight = sf.RandomForestRegressor(5, random_state=1).fit(X, SCORE, weight)
    repeated = sf.RandomForestRegressor(5, random_state=1).fit(np.repeat(X, weight, axis=0), np.repeat(SCORE, weight))
    assert_same_trees(by_weight, repeated)


def test_rows_are_predicted_by_trees_that_did_not_see_them():
    model = sf.RandomForestClassifier(80, oob_score=True, random_state=0).fit(X, CLASSES)
    peer = sk.RandomForestClassifier(80, oob_score=True, random_state=0).fit(X, CLASSES)
    assert abs(model.oob_score_ - peer.oob_score_) < 0.04
    assert np.nanmax(np.abs(model.oob_decision_function_.sum(axis=1) - 1)) < 1e-12
    few = sf.RandomForestRegressor(2, oob_score=True, random_state=0).fit(X, SCORE)
    assert np.isnan(few.oob_prediction_).any()
    assert np.isfinite(few.oob_score_)


def test_more_trees_are_added():
    model = sf.RandomForestRegressor(4, random_state=0, warm_start=True).fit(X, SCORE)
    model.set_params(n_estimators=9).fit(X, SCORE)
    assert_same_trees(model, sf.RandomForestRegressor(9, random_state=0).fit(X, SCORE))
    with pytest.raises(InvalidParameter, match="n_estimators=3 must be at least 9"):
        model.set_params(n_estimators=3).fit(X, SCORE)


def test_rows_out_of_the_bag_are_those_that_no_draw_hit():
    weight = RNG.integers(0, 3, len(X))
    model = sf.RandomForestRegressor(6, oob_score=True, random_state=2).fit(X, SCORE, weight)
    draws = Draws(model._bags[:, 0].copy(), None, int(weight.sum()), True, np.cumsum(weight))
    total, seen = np.zeros(len(X)), np.zeros(len(X))
    for t, tree in enumerate(model.estimators_):
        out = drawn_rows(draws, t, len(X)) == 0
        total[out] += tree.predict(X[out])
        seen[out] += 1
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(model.oob_prediction_, total / seen, rtol=1e-12)
    there = (seen > 0) & (weight > 0)
    truth, said = SCORE[there], (total[there] / seen[there])
    assert model.oob_score_ == pytest.approx(r2_score(truth, said, sample_weight=weight[there]), rel=1e-12)
    assert model.oob_interval_[0] < model.oob_score_ < model.oob_interval_[1]


@pytest.mark.parametrize("cls", [sf.RandomForestClassifier, sf.RandomForestRegressor])
def test_the_out_of_bag_score_counts_the_trees_of_all_fits(cls):
    model = cls(5, random_state=0, warm_start=True).fit(X, target(cls))
    model.set_params(n_estimators=12, oob_score=True).fit(X, target(cls))
    once = cls(12, random_state=0, oob_score=True).fit(X, target(cls))
    assert model.oob_score_ == once.oob_score_
    np.testing.assert_array_equal(model.oob_interval_, once.oob_interval_)
    on_others = model.set_params(n_estimators=13).fit(X[:300], target(cls)[:300])  # twelve trees saw none of them
    said = on_others.oob_prediction_ if cls is sf.RandomForestRegressor else on_others.oob_decision_function_
    assert np.isfinite(said).all()


def test_the_interval_of_r2_is_that_of_the_jackknife():
    model = sf.RandomForestRegressor(30, oob_score=True, random_state=0).fit(X[:90], SCORE[:90])
    y, said = SCORE[:90], model.oob_prediction_
    without = np.array([r2_score(np.delete(y, i), np.delete(said, i)) for i in range(90)])
    values = 90 * model.oob_score_ - 89 * without
    half = stats.t.ppf(0.975, 89) * values.std(ddof=1) / np.sqrt(90)
    np.testing.assert_allclose(model.oob_interval_, model.oob_score_ + np.array([-half, half]), rtol=1e-9)


@pytest.mark.parametrize("cls", [sf.RandomForestClassifier, sf.RandomForestRegressor])
def test_importances_have_intervals_and_shuffled_columns_lower_the_out_of_bag_score(cls):
    weight = RNG.integers(1, 3, len(X)).astype(float)
    model = cls(40, oob_score=True, random_state=0).fit(X, target(cls), weight)
    found = model.importances(0.9)
    by_tree = np.array([tree.feature_importances_ for tree in model.estimators_])
    np.testing.assert_allclose(found.values, by_tree.mean(axis=0), rtol=1e-12)
    ends = stats.t.interval(0.9, 39, by_tree.mean(axis=0), stats.sem(by_tree))
    np.testing.assert_allclose([(own.low, own.high) for own in found.intervals], np.transpose(ends), rtol=1e-9)
    assert str(found).splitlines()[0].split() == ["column", "importance", "90", "%", "interval"]

    assert model.score_out_of_bag(X, target(cls), weight) == pytest.approx(model.oob_score_, rel=1e-12)
    shuffled = X.copy()
    shuffled[:, 0] = np.random.default_rng(0).permutation(X[:, 0])
    assert model.score_out_of_bag(shuffled, target(cls), weight) < model.oob_score_ - 0.05
    with pytest.raises(InvalidData, match="X must be the rows of the fit"):
        model.score_out_of_bag(NEW, target(cls)[:400])
    with pytest.raises(InvalidData, match="y has 3 rows, X has 600"):
        model.score_out_of_bag(X, target(cls)[:3])


@pytest.mark.parametrize(
    ("cls", "given"),
    [(sf.RandomForestRegressor, {}), (sf.ExtraTreesRegressor, {}), (sf.ExtraTreesRegressor, {"max_samples": 0.6})],
)
def test_quantiles_are_those_of_the_targets_in_the_leaves(cls, given):
    y, weight = SCORE.round(1), RNG.integers(0, 3, len(X)).astype(float)
    model = cls(7, min_samples_leaf=5, keep_targets=True, random_state=1, **given).fit(X, y, weight)
    of_tree = [drawn_counts(model, t, weight) for t in range(7)]
    at, leaves = model.apply(NEW[:20]), model.apply(X)
    wanted = [0.0, 0.1, 0.5, 0.9, 1.0]
    found = model.predict_quantiles(NEW[:20], wanted)
    for i in range(20):
        w = np.zeros(len(X))
        for t, counts in enumerate(of_tree):
            inside = counts * (leaves[:, t] == at[i, t])
            w += inside / inside.sum() / 7
        assert w @ y == pytest.approx(model.predict(NEW[i : i + 1])[0], rel=1e-9)
        levels = np.unique(y)
        below = np.array([w[y <= level].sum() for level in levels])
        np.testing.assert_array_equal(found[i], [levels[np.argmax((below >= q - 1e-9) & (below > 0))] for q in wanted])


def drawn_counts(model, t, weight):
    seed, n, drawn, again = model._bags[t].tolist()
    if not drawn:
        return weight
    times = drawn_rows(Draws(np.array([seed]), None, drawn, bool(again), np.cumsum(weight.astype(int))), 0, n)
    return times if again else times * weight


def test_quantiles_cover_and_are_kept_in_files(tmp_path):
    noise = np.random.default_rng(5).normal(size=1000)
    model = sf.RandomForestRegressor(60, min_samples_leaf=20, keep_targets=True, random_state=0)
    model.fit(X, SCORE + noise[:600])
    low, high = model.predict_quantiles(NEW, [0.1, 0.9]).T
    inside = np.mean((NEW_SCORE + noise[600:] >= low) & (NEW_SCORE + noise[600:] <= high))
    assert 0.72 < inside < 0.9
    sf.save(model, tmp_path / "forest.sff")
    again = sf.load(tmp_path / "forest.sff")
    np.testing.assert_array_equal(again.predict_quantiles(NEW, 0.5), model.predict_quantiles(NEW, 0.5))
    with pytest.raises(InvalidParameter, match=r"quantiles must be shares from 0 to 1; got 1\.5"):
        model.predict_quantiles(NEW, 1.5)
    with pytest.raises(InvalidParameter, match="fit with keep_targets=True"):
        model.set_params(keep_targets=False).fit(X, SCORE).predict_quantiles(NEW)
    with pytest.raises(InvalidData, match="keeps one target; got 2"):
        model.set_params(keep_targets=True).fit(X, np.column_stack([SCORE, SCORE]))
    grown = sf.RandomForestRegressor(2, warm_start=True, random_state=0).fit(X, SCORE)
    with pytest.raises(InvalidData, match="learned from the 300 rows at hand"):
        grown.set_params(n_estimators=3, keep_targets=True).fit(X[:300], SCORE[:300])


@pytest.mark.parametrize("cls", [sf.RandomForestClassifier, sf.HistGradientBoostingClassifier])
def test_trees_of_other_columns_or_classes_are_not_added_to(cls):
    count = "n_estimators" if "Forest" in cls.__name__ else "max_iter"
    text = pd.DataFrame({"a": np.where(X[:, 0] > 0, "left", "right"), "b": X[:, 1]})
    model = cls(random_state=0, warm_start=True, **{count: 2}).fit(text, CLASSES)
    model.set_params(**{count: 4})
    more = text.assign(a=[f"v{i}" for i in range(len(text))])
    for rows, y, what in (
        (X, CLASSES, "columns"), (more, CLASSES, "categories"), (text, np.where(SCORE > 0, "u", "v"), "classes"),
    ):  # fmt: skip
        with pytest.raises(InvalidData, match=f"of other .*{what}.*; set warm_start=False"):
            model.fit(rows, y)
    assert len(model.fit(text, CLASSES).trees_) == 4


def test_as_many_targets_as_before():
    model = sf.RandomForestRegressor(2, random_state=0, warm_start=True).fit(X, SCORE)
    with pytest.raises(InvalidData, match="of other targets"):
        model.set_params(n_estimators=3).fit(X, np.column_stack([SCORE, SCORE]))


def test_numbers_of_categories_never_seen_go_where_missing_cells_go():
    rows = np.concatenate([np.repeat([[0.0], [1.0], [2.0]], [50, 10, 10], axis=0)])
    for y in (np.repeat([5.0, 0.0, 0.0], [50, 10, 10]), np.repeat([0.0, 5.0, 5.0], [50, 10, 10])):
        model = sf.DecisionTreeRegressor(categorical_features=[0]).fit(rows, y)
        unseen = model.predict([[3.0], [40.0], [63.0], [64.0], [1e300]])
        np.testing.assert_array_equal(unseen, np.repeat(model.predict([[np.nan]]), 5))


def test_columns_and_rows_of_a_tree():
    model = sf.ExtraTreesRegressor(20, max_features_of_tree=1, max_samples=0.5, random_state=0).fit(X, SCORE)
    for tree in model.estimators_:
        assert len(np.unique(tree.trees_.column[tree.trees_.is_inner])) == 1
        assert tree.trees_.weight[0] == 300
    assert model.proximities(X[:5]).diagonal().tolist() == [1.0] * 5


def test_what_cannot_be_is_said():
    with pytest.raises(InvalidParameter, match="oob_score=True needs rows that a tree does not see"):
        sf.ExtraTreesClassifier(oob_score=True).fit(X, CLASSES)
    with pytest.raises(InvalidParameter, match="max_samples must be at most 600"):
        sf.RandomForestClassifier(max_samples=601).fit(X, CLASSES)
    with pytest.raises(InvalidData, match="squares overflow"):
        sf.RandomForestRegressor(2).fit(X, SCORE * 1e200)
    with pytest.raises(InvalidParameter, match=r"tree must be a number from 0 to 1; got 0\.5"):
        sf.RandomForestRegressor(2, random_state=0).fit(X, SCORE).rules(tree=0.5)
    with pytest.raises(InvalidParameter, match="ax must be axes"):
        sf.RandomForestRegressor(2, random_state=0).fit(X, SCORE).plot(ax=3)


@pytest.mark.filterwarnings("ignore:.*the weights of 600 rows sum up to")
@pytest.mark.parametrize("cls", [sf.DecisionTreeRegressor, sf.HistGradientBoostingRegressor, sf.RandomForestRegressor])
def test_constant_targets_have_importances_of_nothing_and_tiny_weights_count(cls):
    assert cls().fit(X, np.ones(len(X))).feature_importances_.tolist() == [0.0] * 5
    assert np.isfinite(cls().fit(X, SCORE, np.full(len(X), 1e-320)).predict(X)).all()


def test_anomalies_stand_alone():
    rows = np.concatenate([X, [[9.0] * 5]])
    model = sf.IsolationForest(random_state=0).fit(rows)
    assert model.score_samples(rows).argmin() == 600
    found = sk.IsolationForest(random_state=0).fit(rows).score_samples(rows)
    assert np.corrcoef(model.score_samples(rows), found)[0, 1] > 0.9
    weight = np.ones(len(rows))
    weight[-1] = 500
    heavy = sf.IsolationForest(random_state=0).fit(rows, sample_weight=weight)
    assert heavy.score_samples(rows)[-1] > model.score_samples(rows)[-1]


@pytest.mark.parametrize("n", [1, 7, 8, 61, 1037])
def test_rows_fall_alike_alone_and_among_others_for_any_number_of_threads(n):
    rows = np.where(RNG.random((n, 5)) < 0.1, np.nan, RNG.normal(size=(n, 5)))
    model = sf.RandomForestClassifier(40, max_depth=4, random_state=0).fit(X, CLASSES)
    alone = [model.predict_proba(rows[i : i + 1]) for i in range(n)], [model.apply(rows[i : i + 1]) for i in range(n)]
    for threads in (1, 3):
        with sf.threads(threads):
            np.testing.assert_array_equal(model.predict_proba(rows), np.concatenate(alone[0]))
            np.testing.assert_array_equal(model.apply(rows), np.concatenate(alone[1]))


def test_missing_cells_go_where_more_rows_go():
    rows = np.concatenate([X, [[np.nan] * 5]])
    trees = sf.IsolationForest(n_estimators=20, random_state=0).fit(rows).trees_
    inner = np.flatnonzero(trees.is_inner)
    first = np.repeat(trees.starts[:-1], np.diff(trees.starts))[inner] + trees.left[inner]
    more = trees.weight[first] - trees.weight[first + 1]
    np.testing.assert_array_equal(trees.missing_left[inner][np.abs(more) > 1], (more > 0)[np.abs(more) > 1])


def test_isolating_trees_are_the_same_for_any_number_of_threads():
    found = []
    for threads in (1, 3):
        with sf.threads(threads):
            found.append(sf.IsolationForest(n_estimators=9, max_features=2, random_state=0).fit(X))
    assert_same_trees(*found)


def test_categories_are_finished_as_single_trees_are():
    table = pd.DataFrame({"a": RNG.choice(list("abcdefg"), 600), "b": X[:, 1]})
    forest = sf.RandomForestRegressor(1, bootstrap=False, random_state=0).fit(table, SCORE)
    tree = sf.DecisionTreeRegressor(splitter="histogram").fit(table, SCORE)
    assert_same_trees(forest, tree)
    np.testing.assert_array_equal(forest.trees_.sets, tree.trees_.sets)


@pytest.mark.parametrize("cls", [sf.DecisionTreeClassifier, sf.ExtraTreesClassifier, sf.HistGradientBoostingClassifier])
def test_weights_whose_squares_overflow_are_refused(cls):
    with pytest.raises(InvalidData, match=r"sample_weight sums up to 4e\+200"):
        cls().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], np.full(4, 1e200))


@pytest.mark.parametrize("cls", [sf.DecisionTreeRegressor, sf.ExtraTreesRegressor, sf.HistGradientBoostingRegressor])
def test_targets_whose_squares_leave_the_numbers_are_refused(cls):
    X, y = [[0.0], [1.0], [2.0], [3.0]], np.array([0.0, 0.0, 1.0, 1.0])
    with pytest.raises(InvalidData, match=r"sample_weight sums up to .* sums of y by weight overflow"):
        cls().fit(X, y * 1e60, np.full(4, 1e100))
    with pytest.raises(InvalidData, match="y holds numbers so small that their squares underflow"):
        cls().fit(X, y * 1e-200)
    assert (cls().fit(X, np.full(4, 1e-200)).predict(X) == 1e-200).all()


def test_a_forest_of_whole_weights_that_stand_for_a_census_ends():
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    assert sf.RandomForestClassifier(5, random_state=0).fit(X, y, np.full(40, 1e10)).score(X, y) == 1


def test_absolute_errors_are_lowered_as_by_single_trees():
    rows, weight = np.round(2 * X[:200]), np.arange(200) % 3 + 1.0
    for cls in (sf.RandomForestRegressor, sf.ExtraTreesRegressor):
        forest = cls(3, criterion="absolute_error", max_features=None, bootstrap=True, random_state=0)
        forest.fit(rows, SCORE[:200])
        for tree, bag in zip(forest.estimators_, forest._bags, strict=True):
            seed, _, drawn, again = bag.tolist()
            times = drawn_rows(Draws(np.array([seed]), None, drawn, bool(again), None), 0, 200)
            seen = np.repeat(np.arange(200), times)
            said = tree.predict(rows)
            for leaf in np.unique(tree.apply(rows[seen])):
                inside = seen[tree.apply(rows[seen]) == leaf]
                assert said[inside[0]] == pytest.approx(np.median(SCORE[inside]), abs=1e-12)
            if cls is sf.RandomForestRegressor:
                one = sf.DecisionTreeRegressor(criterion="absolute_error").fit(rows[seen], SCORE[seen])
                np.testing.assert_array_equal(one.predict(rows[seen]), said[seen])
    whole = {"criterion": "absolute_error", "bootstrap": False, "max_features": None}
    one = sf.DecisionTreeRegressor(criterion="absolute_error").fit(rows, SCORE[:200], weight)
    alike = sf.RandomForestRegressor(2, **whole).fit(rows, SCORE[:200], weight)
    np.testing.assert_array_equal(alike.predict(rows), one.predict(rows))
