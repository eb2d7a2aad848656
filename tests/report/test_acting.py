"""The section on deciding: every sentence is true of the rule and of what was paid, and is not said elsewhere."""

import numpy as np
import pytest

import suffice as sf
from suffice.cli.main import run
from suffice.errors import InvalidParameter
from suffice.report.acting import Acting, in_words, rule_in_words
from suffice.resampling.cost_results import CostResult
from suffice.resampling.costs import Costs
from suffice.resampling.intervals import Interval

LEAST = "Of each row the action whose costs, weighted by the probabilities of the classes, are least"
COSTS = {"B": {"keep": 0, "release": 1}, "O": {"keep": 20, "release": 0}}


def acting(C, doubt=None, actions=None):
    C = np.asarray(C, dtype=float)
    names = ["a", "b", "c"][: len(C)]
    return Acting(Costs.of(C, names, actions), doubt, None)


@pytest.mark.parametrize(
    ("C", "doubt", "said"),
    [
        ([[0, 1], [9, 0]], None, "'b' where the probability of 'b' is above 0.1, else 'a'."),
        ([[1, 0], [0, 9]], None, "'a' where the probability of 'b' is above 0.1, else 'b'."),
        ([[0, 1], [0, 1]], None, "Always 'a'."),
        ([[2, 1], [3, 1]], None, "Always 'b'."),
        ([[1, 1], [1, 1]], None, "Always 'a'."),
        ([[0, 1], [1, 0]], 0.2, "By the probability of 'b': 'a' up to 0.2, doubt from 0.2 to 0.8, 'b' above 0.8."),
        ([[0, 1], [1, 0]], 0.5, "'b' where the probability of 'b' is above 0.5, else 'a'."),
        ([[1, 20], [1, 0]], 0.5, "'b' where the probability of 'b' is above 0.975, else doubt."),
        ([[1, 2], [3, 4]], 2.5, "Doubt where the probability of 'b' is above 0.75, else 'a'."),
        ([[1, 2], [3, 4]], 0.5, "Always doubt."),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], None, "The most probable class."),
        ([[0, 4, 4], [4, 0, 4], [4, 4, 0]], 1, "The most probable class; doubt where its probability is below 0.75."),
        ([[0, 4, 4], [4, 0, 4], [4, 4, 0]], 9, "The most probable class."),
        ([[0, 1, 2], [1, 0, 1], [1, 1, 0]], None, f"{LEAST}."),
        ([[0, 1, 2], [1, 0, 1], [1, 1, 0]], 0.3, f"{LEAST}; doubt where they are all above 0.3."),
    ],
)  # fmt: skip
def test_rules_in_words(C, doubt, said):
    assert rule_in_words(acting(C, doubt)) == said


def test_the_rule_of_two_classes_is_the_least_expected_cost_of_any_costs():
    rng = np.random.default_rng(0)
    p = np.linspace(0.0005, 0.9995, 1000)
    for _ in range(200):
        made = acting(rng.integers(0, 6, (2, 3)), rng.integers(0, 6) if rng.random() < 0.5 else None, ["x", "y", "z"])
        rule = rule_in_words(made)
        names = np.array(["'x'", "'y'", "'z'", "doubt"])
        best = names[np.argmin(np.column_stack([1 - p, p]) @ made.table, axis=1)]
        lowest = (np.column_stack([1 - p, p]) @ made.table).min(axis=1)
        said = read(rule, p)
        paid = np.array([(1 - q) * made.table[0, k] + q * made.table[1, k]
                         for q, k in zip(p, [names.tolist().index(one) for one in said], strict=True)])  # fmt: skip
        assert np.allclose(paid, lowest, atol=0.02), (rule, best)  # thresholds are said with four digits


def read(rule, p):
    """What the words say of each probability."""
    lower = rule.replace("Doubt", "doubt").rstrip(".")
    if lower.startswith("Always "):
        return [lower[7:]] * len(p)
    if lower.startswith("By"):
        parts = lower.partition(": ")[2].split(", ")
        ends = [float(part.split(" ")[-1]) for part in parts[:-1]]
        return [parts[int(np.searchsorted(ends, q))].split(" ")[0] for q in p]
    at = float(lower.partition("above ")[2].partition(",")[0])
    return [lower.split(" ")[0] if q > at else lower.split("else ")[1] for q in p]


def result(low, value, high, expected, fixed):
    return CostResult(Interval(value, low, high), Interval(expected, 0, 1), fixed, "wait", 0.0)


@pytest.mark.parametrize(
    ("found", "first", "second"),
    [
        (
            result(0.1, 0.2, 0.3, 0.25, 0.5),
            "less than the 0.5 of always doing 'wait'.",
            "promise 0.25, which agrees with what is paid.",
        ),
        (result(0.6, 0.7, 0.8, 0.5, 0.5), "more than the 0.5 of always", "promise 0.5, less than is paid: calibrate"),
        (
            result(0.4, 0.5, 0.6, 0.7, 0.5),
            "not clearly other than the 0.5 of always",
            "promise 0.7, more than is paid: calibrate",
        ),
    ],
)
def test_what_acting_costs_in_words(found, first, second):
    cost, promised = in_words(found, "LDA")
    assert cost.startswith("Acting on LDA costs ")
    assert first in cost
    assert second in promised


@pytest.fixture(scope="module")
def made():
    models = {"lda": sf.LinearDiscriminantAnalysis()}
    return sf.report("crabs", "sp", models=models, costs=COSTS, doubt=0.3, leave_out=["sex"])


def test_the_section_and_in_short(made, capsys):
    section = next(one for one in made.sections if one.key == "deciding")
    assert section.title == "Deciding"
    rule = "By the probability of 'O': 'keep' up to 0.015, doubt from 0.015 to 0.7, 'release' above 0.7."
    assert f"Decision rule by these costs: {rule}" in made.short
    assert any(line.startswith("Acting on lda costs ") for line in made.short)
    part = section.parts[0]
    assert not part.failed
    assert len(part.pictures) == 2
    taken = {row[0]: int(row[1]) for row in part.tables[1].rows}
    found = made.results["comparison"].evaluations["lda"]
    P = np.asarray(found.probability, dtype=float)
    best = np.argmin(P @ np.array([[0, 1, 0.3], [20, 0, 0.3]]), axis=1)
    names = np.array(["keep", "release", "doubt"])
    assert taken == {name: int(n) for name, n in zip(*np.unique(names[best], return_counts=True), strict=True)}
    paid = np.array([[0, 1, 0.3], [20, 0, 0.3]])[np.searchsorted(["B", "O"], made.results["y"].astype(str)), best]
    assert made.results["costs"].realised.value == pytest.approx(paid.mean())
    assert made.results["costs"].doubted == pytest.approx(np.mean(best == 2))
    names = {}
    exec(made.code, names)
    out = capsys.readouterr().out
    assert "keep  release" in out
    assert f"mean cost {made.results['costs'].realised}, " in out  # every number of the page, the interval too
    assert names["paid"] == made.results["costs"]
    assert {own.action: own.weight for own in names["paid"].by_action} == taken
    assert str(names["decide"].costs_) == str(Costs.of(COSTS, ["B", "O"]))


def test_without_costs_and_where_they_cannot_be():
    plain = sf.report("iris", "species", models={"nb": sf.GaussianNB()}, seconds=1)
    assert [one.key for one in plain.sections] == ["table", "structure", "target"]
    worth = next(part for part in plain.sections[2].parts if part.title == "What its answers are worth")
    assert "alibrat" in " ".join(worth.words)  # of every classifier with probabilities
    none = sf.report("crabs", "sp", models={"svm": sf.LinearSVC()}, costs=COSTS)
    words = " ".join(next(one for one in none.sections if one.key == "deciding").parts[0].words)
    assert "svm gives no probabilities, which costs need" in words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "CW", "costs": COSTS}, "the target 'CW' holds numbers"),
        ({"costs": COSTS}, "name the target as well"),
        ({"target": "sp", "costs": {"B": {"keep": 1}}}, "costs say nothing of the class 'O'"),
        ({"target": "sp", "costs": [[0, -1], [1, 0]]}, "finite and at least 0"),
        ({"target": "sp", "costs": COSTS, "doubt": -1}, "doubt must be"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.report("crabs", **arguments)


def test_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text("sp,keep,release\nB,0,1\nO,20,0\n", encoding="utf-8")
    assert run(["report", "crabs", "--target", "sp", "--drop", "sex", "--costs", "costs.csv", "--seconds", "1"]) == 0
    out = capsys.readouterr().out
    assert "Decision rule by these costs: 'release' where the probability of 'O' is above 0.04762, else 'keep'." in out
    assert 'id="deciding"' in (tmp_path / "crabs-report.html").read_text(encoding="utf-8")
    assert run(["report", "crabs", "--costs", "costs.csv"]) != 0
    assert "name the column with --target" in capsys.readouterr().err
