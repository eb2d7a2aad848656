"""What is measured, and how the rows are cut, by the target."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidData
from suffice.report.learnable import fewer_folds, learnable
from suffice.report.measuring import measures_of, rare_class, uneven, why_measured
from suffice.report.rows import read_rows


class Caller:
    def predict(self, X):
        return X


def _classes(*sizes):
    return np.repeat(np.array(["a", "b", "c"][: len(sizes)], dtype=object), sizes)


@pytest.mark.parametrize(
    ("y", "first"),
    [(_classes(50, 50), "accuracy"), (_classes(79, 21), "accuracy"), (_classes(80, 20), "roc_auc"),
     (_classes(40, 30, 30), "accuracy"), (_classes(80, 15, 5), "balanced_accuracy")],
)  # fmt: skip
def test_the_measure_that_decides(y, first):
    found = measures_of(y, "classes", [sf.GaussianNB()])
    assert found[0] == first
    assert "accuracy" in found
    assert uneven(y) == (first != "accuracy") == bool(why_measured(y, "classes", found))


def test_nothing_is_measured_that_a_model_does_not_give():
    assert measures_of(_classes(95, 5), "classes", [sf.GaussianNB(), Caller()]) == ("balanced_accuracy", "accuracy")
    assert measures_of(np.arange(9.0), "numbers", [Caller()])[0] == "r2"


def test_why_says_what_saying_the_same_would_reach():
    (said,) = why_measured(_classes(90, 10), "classes", ("roc_auc", "accuracy"))
    assert said == (
        "Saying 'a' of every row is 90 % accurate and finds no 'b', so the area under the ROC curve decides; accuracy "
        "stands beside it."
    )


def test_the_rare_class_is_the_positive_one():
    assert rare_class(_classes(10, 90), "classes") == "a"
    assert rare_class(_classes(90, 10), "classes") == "b"
    assert rare_class(_classes(50, 50), "classes") is None
    assert rare_class(_classes(5, 10, 20), "classes") is None


def test_folds_are_as_many_as_the_rarest_class_has_rows():
    assert fewer_folds(10, _classes(50, 50), "classes") == (10, [])
    assert fewer_folds(10, _classes(50, 6), "classes") == (
        6, ["6 folds instead of 10, since the rarest class has 6 rows."]
    )  # fmt: skip


def test_classes_with_too_few_rows_are_left_out_aloud(rng):
    frame = pd.DataFrame({"x": rng.normal(size=63), "t": _classes(30, 30, 3)})
    rows, y, _, said = learnable(read_rows(frame, "t"))
    assert len(rows) == len(y) == 60
    assert said == ["Classes with fewer than 5 rows are left out: c."]


def test_rare_classes_that_are_ranked_well_are_found(rng):
    y = np.array(["no"] * 357 + ["yes"] * 6)
    frame = pd.DataFrame(rng.normal(size=(363, 3)), columns=list("abc")).assign(t=rng.permutation(y))
    frame["a"] += 6.0 * (frame["t"] == "yes")
    made = sf.report(frame, "t", models={"linear": sf.LinearDiscriminantAnalysis()})
    found = made.results["comparison"].evaluations["linear"].intervals["roc_auc"]
    assert found.value > 0.95
    assert found.low < 0.999  # six positives do not show more
    assert not any("perhaps there is nothing to learn" in line for line in made.short)


def test_whole_numbers_are_classes_aloud_or_numbers_where_they_hardly_come_again(rng):
    x = rng.normal(size=60)
    many, few = pd.DataFrame({"x": x, "t": np.arange(60) % 4}), pd.DataFrame({"x": x[:20], "t": np.arange(20) // 2})
    _, _, kind, said = learnable(read_rows(many, "t"))
    assert kind == "classes"
    assert said == [
        "The 4 different whole numbers of 't' are taken as classes; to predict an amount, say --task numbers or "
        "task='numbers'."
    ]
    assert learnable(read_rows(many, "t"), "classes")[3] == learnable(read_rows(many, "t"), "numbers")[3] == []
    assert learnable(read_rows(pd.DataFrame({"x": x, "t": np.arange(60) % 2}), "t"))[3] == []
    assert learnable(read_rows(few, "t"))[2] == "numbers"


def test_columns_beyond_the_most_features_are_left_out_aloud(rng):
    wide = pd.DataFrame(rng.normal(size=(30, 320)), columns=[f"x{j}" for j in range(320)])
    assert learnable(read_rows(wide, "x0"))[3] == [
        "No more than the first 300 features are used; leave out columns to use others."
    ]


@pytest.mark.parametrize(
    ("classes", "why"),
    [
        (["same"] * 40, "has only one class, 'same'"),
        (["no"] * 38 + ["yes"] * 2, "needs two classes with 5 rows each, so that each of 5 folds has one; 'yes' has 2"),
    ],
)
def test_why_no_classes_can_be_told_apart(rng, classes, why):
    with pytest.raises(InvalidData, match=why):
        learnable(read_rows(pd.DataFrame({"x": rng.normal(size=40), "t": classes}), "t"))


def test_a_target_that_was_read_as_text_says_why(tmp_path):
    cells = [*(f"{i / 7:.3f}" for i in range(58)), "see note", "?!"]
    (tmp_path / "t.csv").write_text("\n".join(["t,x", *(f"{cell},{i}" for i, cell in enumerate(cells))]))
    with pytest.raises(InvalidData, match=r"like an id\. In doubt: column 't' looks like numbers with 2 other cells"):
        learnable(read_rows(str(tmp_path / "t.csv"), "t"))
