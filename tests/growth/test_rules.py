"""Trees as text, as Python, as SQL and in Newick's format."""

import re
import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor as Theirs
from sklearn.tree import export_text

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.growth import Trees

ODD = ['the "best" colour', "it's a size", "select", "how many\nlines", "flag", "kind of"]


def odd_table(n=400, seed=0):
    """Names with quotes, a keyword and a new line; text, levels, numbers, booleans and categories that are numbers."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "it's blue", 'a "green", {one}', "grey"], n).astype(object)
    size = pd.Categorical(rng.choice(["S", "M", "L", "XL"], n), categories=["S", "M", "L", "XL"], ordered=True)
    X = pd.DataFrame(
        dict(
            zip(
                ODD,
                [colour, size, rng.normal(size=n), rng.normal(size=n) / 3, rng.random(n) < 0.5, rng.integers(0, 9, n)],
                strict=True,
            )
        )
    )
    X["kind of"] = X["kind of"].astype(float)
    for name in (ODD[0], ODD[1], ODD[2], ODD[5]):
        X.loc[rng.random(n) < 0.1, name] = None if name != ODD[2] else np.nan
    y = (
        2.0 * (colour == "red") + X["select"].fillna(1.5) * (X["flag"] + 0.5) + X[ODD[1]].isin(["L", "XL"])
        + np.isin(X["kind of"], [1, 4, 5]) + rng.normal(size=n) / 5
    )  # fmt: skip
    return X, np.asarray(y)


def records(X):
    """Rows as mappings, missing cells None."""
    return [
        {name: None if pd.isna(cell) else cell for name, cell in row.items()}
        for row in X.astype(object).to_dict("records")
    ]


def models():
    X, y = odd_table()
    of_kinds = {"categorical_features": ["kind of"], "max_depth": 7}
    classes = np.digitize(y, [0, 1.5, 3])
    return {
        "classes": (sf.DecisionTreeClassifier(**of_kinds).fit(X, np.array(["it's low", "b", "c", "d"])[classes]), X),
        "whole": (sf.DecisionTreeClassifier(**of_kinds).fit(X, classes), X),
        "numbers": (sf.DecisionTreeRegressor(**of_kinds).fit(X, y), X),
        "several": (sf.DecisionTreeRegressor(**of_kinds).fit(X, np.column_stack([y, -y])), X),
        "stump": (sf.DecisionTreeRegressor(max_depth=0).fit(X, y), X),
    }


MODELS = models()


def forest_of(name):
    """A model with several trees, of which it takes the mean."""
    model, X = MODELS[name]
    _, y = odd_table()
    y = np.array(["it's low", "b", "c", "d"])[np.digitize(y, [0, 1.5, 3])] if name == "classes" else y
    parts = [
        type(model)(categorical_features=["kind of"], max_depth=4, splitter="random", random_state=s).fit(X, y).trees_
        for s in range(5)
    ]
    return model, Trees.joined(parts), X


def test_the_table_of_iris():
    iris = sf.datasets.load("iris")
    X = pd.DataFrame(iris.matrix(), columns=list(iris.features))
    model = sf.DecisionTreeClassifier(max_depth=2).fit(X, iris["species"])
    assert str(model.rules()) == (
        "rule                                 weight  class       setosa  versicolor  virginica\n"
        "all rows                                150  setosa       0.333       0.333      0.333\n"
        "├─ petal_length ≤ 2.45                   50  setosa           1           0          0\n"
        "└─ petal_length > 2.45 or missing       100  versicolor       0         0.5        0.5\n"
        "   ├─ petal_width ≤ 1.75 or missing      54  versicolor       0       0.907     0.0926\n"
        "   └─ petal_width > 1.75                 46  virginica        0      0.0217      0.978"
    )
    assert model.rules().text(max_depth=1).splitlines()[-1].startswith("└─ petal_length > 2.45 or missing …")
    assert model.rules().newick() == (
        "('setosa',('versicolor','virginica')'petal_width ≤ 1.75 or missing')'petal_length ≤ 2.45';"
    )


def test_the_splits_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] - X[:, 1] ** 2 + rng.normal(size=300)
    ours = sf.DecisionTreeRegressor(max_depth=4, min_samples_leaf=10).fit(X, y).rules()
    grown = Theirs(max_depth=4, min_samples_leaf=10, random_state=0).fit(X, y)
    theirs = export_text(grown, feature_names=list("0123"), decimals=9)
    splits = np.array(re.findall(r"--- (\d) <= +(-?[\d.]+)", theirs), dtype=float)
    found = [(line.split.place, line.split.threshold) for line in ours.lines() if line.split is not None]
    np.testing.assert_allclose(found, splits, atol=1e-8)
    said = [line.says for line in ours.lines() if line.split is None]
    np.testing.assert_allclose(said, np.array(re.findall(r"value: \[(\S+)\]", theirs), dtype=float)[:, None], atol=1e-8)


@pytest.mark.parametrize("name", MODELS)
def test_the_python_predicts_the_same_bits(name):
    model, X = MODELS[name]
    made = {}
    exec(model.rules().as_python(), made)
    found = [made["predict"](row) for row in records(X)]
    np.testing.assert_array_equal(found, model.predict(X))


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_the_python_of_several_trees_predicts_the_same_bits(name):
    model, trees, X = forest_of(name)
    rules = replace(model.rules(), trees=trees)
    made = {}
    exec(rules.as_python("foretell"), made)
    found = [made["foretell"](row) for row in records(X)]
    said = model._rows(X, lambda chunk: trees.means(chunk.X))
    np.testing.assert_array_equal(found, said[:, 0] if name == "numbers" else model.classes_[said.argmax(axis=1)])


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_unseen_categories_take_the_way_of_the_model(name):
    model, X = MODELS[name]
    X = X.copy()
    X[ODD[0]] = "violet"
    X[ODD[1]] = pd.Categorical(["XXL"] * len(X), categories=["S", "M", "L", "XL", "XXL"], ordered=True)
    X["kind of"] = np.where(X.index % 2, 1e300, -1.0)
    made = {}
    exec(model.rules().as_python(), made)
    np.testing.assert_array_equal([made["predict"](row) for row in records(X)], model.predict(X))
    np.testing.assert_array_equal(queried(model.rules(), X), model.predict(X))


def queried(rules, X, wanted="prediction"):
    """What a database finds for the rows of a table."""
    name = 'my "rows"'
    quoted = ", ".join('"' + column.replace('"', '""') + '"' for column in X.columns)
    with sqlite3.connect(":memory:") as db:
        db.execute(f'CREATE TABLE "my ""rows""" ({quoted})')
        rows = [tuple(row.values()) for row in records(X)]
        db.executemany(f'INSERT INTO "my ""rows""" VALUES ({", ".join("?" * len(X.columns))})', rows)
        found = db.execute(rules.as_sql(name))
        names = [column[0] for column in found.description]
        return np.array([row[names.index(wanted)] for row in found])


@pytest.mark.parametrize("name", ["classes", "whole", "numbers", "stump"])
def test_the_sql_predicts_the_same(name):
    model, X = MODELS[name]
    np.testing.assert_array_equal(queried(model.rules(), X), model.predict(X))


def test_the_sql_of_several_targets():
    model, X = MODELS["several"]
    for c in range(2):
        np.testing.assert_array_equal(queried(model.rules(), X, f"prediction_{c}"), model.predict(X)[:, c])
    with pytest.raises(InvalidParameter, match="predicts 2 numbers; name the table"):
        model.rules().as_sql()


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_the_sql_of_several_trees(name):
    model, trees, X = forest_of(name)
    rules = replace(model.rules(), trees=trees)
    said = model._rows(X, lambda chunk: trees.means(chunk.X))
    expected = said[:, 0] if name == "numbers" else model.classes_[said.argmax(axis=1)]
    np.testing.assert_array_equal(queried(rules, X), expected)
    assert str(rules).count("tree ") == 5
    assert rules.newick().count("\n") == 4


def test_thresholds_are_exact():
    x = np.array([[0.1 + 0.2], [0.3]])
    text = str(sf.DecisionTreeRegressor().fit(x, [0.0, 1.0]).rules())
    assert float(re.search(r"≤ (\S+)", text)[1]) == 0.3


def chain(depth, to_the_right):
    """A tree in which each split leaves one leaf behind."""
    nodes = 2 * depth + 1
    left = np.full(nodes, -1, dtype=np.int32)
    inner = np.concatenate([[0], 2 * np.arange(depth - 1) + 1 + to_the_right])
    left[inner] = 2 * np.arange(depth) + 1
    column = np.where(left >= 0, 0, -1).astype(np.int32)
    zeros = np.zeros(nodes)
    threshold = np.where(left >= 0, np.arange(nodes) * (1.0 if to_the_right else -1.0), 0.0)
    value, words = np.arange(nodes, dtype=float)[:, None], np.zeros(1, dtype=np.int64)
    made = Trees(
        np.array([0, nodes]),
        column,
        left,
        threshold,
        left < 0,
        zeros,
        zeros + 1,
        value,
        zeros[:0].astype(np.uint64),
        words,
    )
    made.check_loaded()
    return made


@pytest.mark.parametrize("to_the_right", [False, True])
def test_deep_trees_are_told_without_recursion(to_the_right):
    model = sf.DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    rules = replace(model.rules(), trees=chain(3000, to_the_right))
    assert len(str(rules).splitlines()) == 6002
    assert rules.newick().count(",") == 3000
    if to_the_right:
        made = {}
        exec(rules.as_python(), made)
        found = [made["predict"]({"x0": x}) for x in (3.0, None, 1e9)]
        np.testing.assert_array_equal(found, rules.trees.means(np.array([[3.0], [np.nan], [1e9]]))[:, 0])
    else:
        with pytest.raises(InvalidParameter, match="too deep for code"):
            rules.as_python()
        with pytest.raises(InvalidParameter, match="too deep for code"):
            rules.as_sql()


def test_bad_arguments():
    model, _ = MODELS["classes"]
    with pytest.raises(InvalidParameter, match="tree must be a number from 0 to 0; got 3"):
        model.rules(3)
    with pytest.raises(InvalidParameter, match="max_depth must be an integer, at least 0, or None"):
        model.rules().text(max_depth=-1)
    with pytest.raises(InvalidParameter, match="name of Python; got 'a b'"):
        model.rules().as_python("a b")
