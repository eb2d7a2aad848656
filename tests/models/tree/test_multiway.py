"""ID3 and C4.5."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

import suffice as sf
from suffice.growth.multiway_growth import entropy_mass
from suffice.growth.significance import independence

TABLE = sf.datasets.load("play_tennis").to_frame()
X, Y = TABLE.drop(columns="play"), TABLE["play"]


def test_id3_of_the_textbook():
    """Mitchell, Machine Learning, section 3.4: gains 0.247, 0.029, 0.151 and 0.048 bits, and the tree of figure 3.1."""
    model = sf.ID3Classifier().fit(X, Y)
    assert model.gain_ == pytest.approx([0.2467, 0.0292, 0.1518, 0.0481], abs=5e-5)
    assert str(model.rules()) == (
        "outlook = overcast: yes (4)\n"
        "outlook = rain\n|   wind = strong: no (2)\n|   wind = weak: yes (3)\n"
        "outlook = sunny\n|   humidity = high: no (3)\n|   humidity = normal: yes (2)"
    )
    # Where it is sunny: humidity 0.970, temperature 0.570, wind 0.019 bits.
    sunny = X["outlook"] == "sunny"
    assert sf.ID3Classifier().fit(X[sunny], Y[sunny]).gain_[1:] == pytest.approx([0.571, 0.971, 0.020], abs=5e-4)
    assert model.score(X, Y) == 1
    assert (model.n_leaves_, model.depth_) == (5, 2)


def test_gain_and_gain_ratio_of_quinlan():
    """C4.5: Programs for Machine Learning, sections 2.2 and 3.2: outlook gains 0.246 bits of 0.940; ratio 0.156.

    With the outlook of one row missing, 0.199 bits are gained and the split tells 1.809 bits.
    """
    assert entropy_mass(np.array([[9.0, 5.0]]))[0] / 14 == pytest.approx(0.940, abs=5e-4)
    whole = sf.C45Classifier(confidence=None, min_samples_leaf=1).fit(X, Y).tree_
    assert whole.gain[0] == pytest.approx(0.2467, abs=1e-4)
    assert whole.ratio[0] == pytest.approx(0.1564, abs=1e-4)
    gaps = X.copy()
    gaps.loc[11, "outlook"] = None
    model = sf.C45Classifier(confidence=None, min_samples_leaf=1).fit(gaps, Y)
    assert model.gain_[0] == pytest.approx(0.199, abs=5e-4)


def test_the_parts_of_a_row_are_those_of_its_branches():
    """Quinlan, section 3.3: where the outlook is missing, a row counts 5/13, 3/13 and 5/13 in the branches."""
    gaps = X.copy()
    gaps.loc[11, "outlook"] = None
    model = sf.ID3Classifier(missing="fractions").fit(gaps, Y)
    tree = model.tree_
    assert tree.column[0] == 0
    children = tree.counts[tree.first[0] : tree.first[0] + 3].sum(axis=1)
    assert children == pytest.approx([3 + 3 / 13, 5 + 5 / 13, 5 + 5 / 13])
    shares = tree.shares
    humid = model.predict_proba(gaps[11:12])[0]
    assert humid.sum() == pytest.approx(1)
    by_branch = [
        model.predict_proba(gaps[11:12].assign(outlook=outlook))[0] for outlook in ("overcast", "rain", "sunny")
    ]
    assert humid == pytest.approx(np.average(by_branch, axis=0, weights=children))
    assert shares.sum(axis=1) == pytest.approx(1)


def test_missing_values_have_a_branch_of_their_own():
    rng = np.random.default_rng(0)
    x = pd.Series(rng.choice(["a", "b"], 200).astype(object))
    y = np.where(x == "a", 0, 1)
    x[::4], y[::4] = None, 2  # being missing says everything
    model = sf.ID3Classifier(missing="branch").fit(pd.DataFrame({"x": x}), y)
    assert model.score(pd.DataFrame({"x": x}), y) == 1
    assert "x missing: 2 (50)" in str(model.rules())
    numbers = np.where(np.arange(200) % 4 == 0, np.nan, y)[:, None].astype(float)
    assert sf.ID3Classifier(missing="branch").fit(numbers, y).score(numbers, y) == 1


def test_missing_values_learn_their_branch():
    x = np.array([0.0, 0, 0, 1, 1, 1, np.nan, np.nan])[:, None]
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    model = sf.ID3Classifier(missing="learned", categorical_features=[0]).fit(x, y)
    assert model.score(x, y) == 1
    assert model.tree_.other[0] == 1
    assert sf.ID3Classifier(missing="learned").fit(x, y).score(x, y) == 1


@pytest.mark.parametrize("missing", ["fractions", "branch", "learned"])
def test_a_category_never_seen_is_answered(missing):
    model = sf.C45Classifier(missing=missing).fit(X, Y)
    new = X[:2].assign(outlook="snow")
    assert model.predict_proba(new).sum(axis=1) == pytest.approx(1)


def test_many_categories_are_no_merit():
    """A column that numbers the rows gains most, and its ratio is low: section 2.3 of Quinlan."""
    numbered = X.assign(day=[f"D{k}" for k in range(14)])
    assert sf.ID3Classifier().fit(numbered, Y).tree_.column[0] == 4
    assert sf.C45Classifier(min_samples_leaf=1, confidence=None).fit(numbered, Y).gain_[4] == pytest.approx(
        0.940, abs=1e-3
    )
    assert sf.C45Classifier(min_samples_leaf=2).fit(numbered, Y).tree_.column[0] != 4


def test_numbers_are_cut_in_two_where_the_gain_is_greatest():
    iris = sf.datasets.load("iris")
    model = sf.C45Classifier().fit(iris.matrix(), iris["species"])
    cart = sf.DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(iris.matrix()[:, 2:], iris["species"])
    assert model.gain_[2:].max() == pytest.approx(cart.trees_.gain[0] / 150 / np.log(2))
    assert model.score(iris.matrix(), iris["species"]) > 0.95
    assert model.n_leaves_ < sf.C45Classifier(confidence=None).fit(iris.matrix(), iris["species"]).n_leaves_


def test_what_pruning_cut_is_told():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, size=(200, 4)).astype(float)
    y = (rows[:, 0] == 1) ^ (rng.uniform(size=200) < 0.2)
    asked = {"categorical_features": [0, 1, 2, 3]}
    grown, model = (sf.C45Classifier(confidence=c, **asked).fit(rows, y) for c in (None, 0.25))
    cut = model.pruned_
    assert len(grown.pruned_) == 0
    assert cut.leaves.sum() - len(cut) == grown.n_leaves_ - model.n_leaves_ > 0
    assert (cut.after <= cut.before + 1e-12).all()
    assert model.tree_.is_leaf[cut.node].all()


def test_growth_stops_where_branches_are_not_significant():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, size=(300, 5)).astype(float)
    y = (rows[:, 0] == 1) ^ (rng.uniform(size=300) < 0.2)
    asked = {"categorical_features": range(5)}
    model = sf.ID3Classifier(significance=0.001, **asked).fit(rows, y)
    assert model.tree_.column[model.tree_.column >= 0].tolist() == [0]
    assert model.n_leaves_ < sf.ID3Classifier(**asked).fit(rows, y).n_leaves_
    table = np.array([[12.0, 5], [3, 9], [0, 0]])
    assert independence(table) == pytest.approx(chi2_contingency(table[:2], correction=False).pvalue)


def test_a_split_that_gains_nothing_is_made():
    rows = np.array([[a, b] for a in (0.0, 1) for b in (0.0, 1)] * 3)
    y = rows.sum(axis=1) % 2
    model = sf.ID3Classifier(categorical_features=[0, 1]).fit(rows, y)
    assert model.gain_ == pytest.approx([0, 0], abs=1e-12)
    assert model.score(rows, y) == 1
    assert sf.C45Classifier().fit(rows, y).score(rows, y) == 1


def test_weights_are_repetitions():
    times = np.random.default_rng(0).integers(1, 4, size=14)
    weighted = sf.C45Classifier().fit(X, Y, times)
    again = X.loc[X.index.repeat(times)], Y.loc[Y.index.repeat(times)]
    repeated = sf.C45Classifier().fit(*again)
    assert str(weighted.rules()) == str(repeated.rules())
    assert weighted.gain_ == pytest.approx(repeated.gain_)


@pytest.mark.parametrize("model", [sf.ID3Classifier(), sf.C45Classifier()])
def test_difficult_tables(model):
    one = model.fit(np.ones((1, 2)), ["a"])
    assert one.predict([[5.0, np.nan]]).tolist() == ["a"]
    gone = np.column_stack([np.full(20, np.nan), np.arange(20.0)])
    y = np.repeat([0, 1], 10)
    assert model.fit(gone, y).score(gone, y) == 1
    many = np.arange(10_000.0)[:, None]
    assert model.set_params(categorical_features=[0]).fit(many, many[:, 0] % 2).n_leaves_ in (1, 10_000)
    model.set_params(categorical_features=None)
    assert model.set_params(max_depth=0).fit(gone, y).n_leaves_ == 1
    model.set_params(max_depth=None)
    assert model.fit(gone, y, np.repeat([1.0, 0.0], 10)).classes_.tolist() == [0]


def frame_with_gaps():
    """Text, numbers and gaps, with a category that is not in the fit."""
    rng = np.random.default_rng(5)
    n = 300
    table = pd.DataFrame({
        "colour of it": rng.choice(["red", "it's", 'a "b"'], n).astype(object), "size": rng.normal(size=n).round(2),
        "shape": rng.choice(["round", "flat"], n).astype(object),
    })  # fmt: skip
    y = np.where((table["colour of it"] == "red") ^ (table["size"] > 0.3), "yes", "no")
    y[::11] = "maybe"
    for j, name in enumerate(table):
        table.loc[table.index[j::13], name] = None
    new = table.copy()
    new.loc[new.index[::17], "shape"] = "never seen"
    return table, y, new


@pytest.mark.parametrize("missing", ["fractions", "branch", "learned"])
@pytest.mark.parametrize("kind", [sf.ID3Classifier, sf.C45Classifier])
def test_rules_as_code_predict_the_same(kind, missing):
    table, y, new = frame_with_gaps()
    model = kind(missing=missing, max_depth=3).fit(table, y)
    expected = model.predict(new).tolist()
    rows = new.astype(object).where(new.notna(), None)
    made: dict = {}
    exec(model.rules().as_python("told"), made)
    assert [made["told"](row) for row in rows.to_dict("records")] == expected
    with sqlite3.connect(":memory:") as db:
        db.execute('CREATE TABLE rows ("colour of it", size, shape)')
        db.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows.itertuples(index=False, name=None))
        assert [row[-1] for row in db.execute(model.rules().as_sql("rows"))] == expected


def test_rules_as_newick():
    rules = sf.ID3Classifier().fit(X, Y).rules()
    assert rules.newick() == (
        "('outlook = overcast: yes',('wind = strong: no','wind = weak: yes')'outlook = rain',"
        "('humidity = high: no','humidity = normal: yes')'outlook = sunny');"
    )
    assert sf.ID3Classifier(max_depth=0).fit(X, Y).rules().newick() == "'yes';"
    with pytest.raises(sf.errors.InvalidParameter, match="name of Python"):
        rules.as_python("a b")
