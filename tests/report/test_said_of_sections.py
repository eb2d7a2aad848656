"""Sentences of the table, the structure and the comparison: said where they are true, and not where they are not."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.report import flaws
from suffice.report.prediction import _preparation, fitting, unfinished, with_ends
from suffice.report.readable_tree import _told
from suffice.report.rows import read_rows
from suffice.report.structure import _agreement, _ends
from suffice.resampling import Interval


def said(look, target=None, **columns):
    return " ".join(look(read_rows(pd.DataFrame(columns), target)))


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=400) > 0, "yes", "no")
    models = {"small tree": sf.DecisionTreeClassifier(max_depth=3), "deep": sf.DecisionTreeClassifier(),
              "linear": sf.LogisticRegression(), "stump": sf.DecisionTreeClassifier(max_depth=1)}  # fmt: skip
    return sf.compare(models, X, y, splits=5, measures="accuracy", train=True, keep_models=False)


def test_columns_that_are_mostly_missing(rng):
    x = rng.normal(size=50)
    gone = np.where(np.arange(50) % 2 == 0, np.nan, x)
    assert said(flaws.mostly_missing, x=gone, y=x) == "Column 'x' is missing in 50 % of the rows."
    assert said(flaws.mostly_missing, x=np.where(np.arange(50) < 10, np.nan, x), y=x) == ""


def test_columns_that_are_the_same(rng):
    x = rng.normal(size=50)
    assert said(flaws.equal_columns, x=x, y=x.copy()) == "Column 'y' is the same as 'x'."
    assert said(flaws.equal_columns, x=x, y=np.where(np.arange(50) == 7, 0.5, x)) == ""


def test_targets_with_gaps_and_uneven_classes(rng):
    x, gap = rng.normal(size=66), [None, *["a"] * 32, *["b"] * 33]
    assert said(flaws.target_shape, "t", x=x, t=gap) == "The target 't' is missing in 1 row, which teaches nothing."
    uneven = said(flaws.target_shape, "t", x=x, t=["a"] * 60 + ["b"] * 6)
    assert uneven == "The classes differ in size: 'b' has 6 rows, 'a' 60. A high accuracy may then mean little."
    assert said(flaws.target_shape, "t", x=x, t=["a"] * 50 + ["b"] * 16) == ""
    assert said(flaws.target_shape, x=x) == ""


def test_what_is_counted_in_a_sample_says_so(rng):
    t, x = np.arange(900) % 45 == 0, rng.normal(size=900)
    table = pd.DataFrame({"x": x, "why": np.where(t, "a", None), "t": np.where(t, "yes", "no")})
    every, some = read_rows(table, "t"), read_rows(table, "t", rows=600)
    assert "looked at" not in " ".join([*flaws.target_shape(every), *flaws.leaks(every)])
    (uneven,), (filled,) = flaws.target_shape(some), flaws.leaks(some)
    assert "of the 600 rows looked at. A high accuracy" in uneven
    assert "rows, of the 600 looked at). If it is known" in filled
    (line,) = flaws.leaks(read_rows(pd.DataFrame({"x": x, "y": 2 - x}), "y", rows=600))
    assert "(r² = 1, in 600 rows, of the 600 looked at)" in line


def test_a_column_that_alone_tells_the_target_is_called_by_its_own_name(rng):
    t = rng.choice(["a", "b", "c"], 120)
    reason = np.array([{"a": "late", "b": "lost", "c": None}[one] for one in t], dtype=object)
    leaking = said(flaws.leaking_columns, "t", x=rng.normal(size=120), reason=reason, t=t)
    assert leaking.startswith("Column 'reason' alone tells the target 't' almost perfectly (100 % right")
    assert said(flaws.leaking_columns, "t", x=rng.normal(size=120), reason=rng.permutation(reason), t=t) == ""
    y = rng.normal(size=900)
    assert said(flaws.leaking_columns, "y", x=y + 0.01, y=y).startswith("Column 'x' alone tells the target 'y'")
    y = y[:120]
    assert said(flaws.leaking_columns, "y", x=y + rng.normal(size=120), y=y) == ""


def test_what_makes_scores_untrue_stands_first(rng):
    y = rng.normal(size=120)
    table = pd.DataFrame({"constant": np.ones(120), "other": 24 - y, "y": y})
    first, *others = flaws.findings(read_rows(table, "y"))
    assert first.startswith("Column 'other' is a straight line of the target 'y'")
    assert "Column 'constant' is constant." in others


def test_two_groupings_agree_as_their_rand_index_says(rng):
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 9])
    kmeans, mixture = sf.KMeans(2, random_state=0).fit(X), sf.GaussianMixture(2, random_state=0).fit(X)
    assert _agreement(kmeans, mixture, X) == (
        "2 clusters of k-means and 2 components of a Gaussian mixture agree with an adjusted Rand index of 1.000 "
        "(1: the same, 0: by chance)."
    )
    other = SimpleNamespace(n_clusters=2, labels_=np.arange(80) % 2)
    assert "index of 1.000" not in _agreement(other, mixture, X)


@pytest.mark.parametrize(
    ("n", "named", "words"),
    [(20, True, "."), (20, False, ", by the numbers of rows from 0."), (90, True, "; numbers in parentheses are rows"),
     (90, False, ", by the numbers of rows from 0; numbers in parentheses are rows")],
)  # fmt: skip
def test_what_stands_at_the_ends_of_a_tree(n, named, words):
    assert _ends(n, named).startswith(words)
    assert _ends(20, named).endswith("0." if not named else ".")


def test_models_that_were_not_ready_are_named():
    late = {"A": "not finished: 2 of 5 folds", "B": "It is for counts."}
    assert unfinished(late) == ["A was not ready in time; with more seconds another model may be the best."]
    assert unfinished(late | {"C": "not begun within 1 s"})[0].startswith("A, C were not ready")
    assert unfinished({"B": "It is for counts."}) == []


def test_who_over_and_underfits(found):
    words = fitting(found)
    assert words.startswith(f"{found.best} beside its training rows: ")
    for fit, verb in (("overfits", "overfit"), ("underfits", "underfit")):
        named = [name for name, own in found.fits.items() if own == fit and name != "dummy"]
        assert all(name in words for name in named)
        assert bool(named) == (f"{verb}: better" in words or f"{verb}s: " in words.partition("Beside")[2])
    assert "overfits" in found.fits.values()


def test_how_the_table_was_prepared(rng):
    X = pd.DataFrame({"x": rng.normal(size=30), "c": rng.choice(["a", "b"], 30)})
    ridge, tree = sf.prepared(sf.Ridge(), X), sf.prepared(sf.DecisionTreeRegressor(), X)
    assert _preparation({"tree": tree}) == "No model needs the table prepared. "
    words = _preparation({"ridge": ridge, "tree": tree})
    assert "categories become columns of 0 and 1" in words
    assert "1 of 2 models takes the table as it is" in words
    assert "missing values" not in words  # there are none


def test_a_tree_to_read_says_how_much_is_lost(found):
    results = {"comparison": found, "y": np.zeros(400)}
    words = _told(SimpleNamespace(results=results, models=None), 6)
    assert words.startswith(
        "A tree of at most 3 splits in a row, with at least 1 % of the rows in a leaf, grown on 400"
    )
    other = f"; {found.best} reaches" if found.best != "small tree" else ", and no model reaches more."
    assert other in words
    named = _told(SimpleNamespace(results=results, models={"mine": None}), 6)
    assert named.endswith("It is there to be read; other models may predict better.")


def test_ends_of_intervals_are_seen_to_differ():
    assert with_ends(Interval(1.0, 0.99996, 1.0)) == "1 [0.99996, 1]"
    assert with_ends(Interval(0.8, 0.8, 0.8)) == "0.8 [0.8, 0.8]"
    assert with_ends(Interval(np.nan, np.nan, np.nan)).count("[") == 1
