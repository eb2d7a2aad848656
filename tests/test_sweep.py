"""The contests of the benchmarks' sweep: every estimator is in one, or says why not, and each does what it declares."""

import pytest
from benchmarks.families import alone, contests
from benchmarks.families.methods import METHODS, shared_methods
from benchmarks.families.tables import Cell
from benchmarks.harness import Machine
from benchmarks.sweep import chosen_contests, run_contest
from benchmarks.sweep_lines import OURS, Line, lines_of
from benchmarks.sweep_table import detail, matrix, summary

from suffice.models.registry import estimators

CONTESTS = chosen_contests([])
MACHINE = Machine(bandwidth=1e10, operations=1e11, writing=1e9)


def test_every_estimator_has_a_peer_or_a_reason():
    compared = {contest.ours for contest in CONTESTS}
    assert not compared & alone().keys(), "these have a peer, and a reason for having none"
    silent = [name for name, cls in estimators().items() if cls not in compared | alone().keys()]
    assert not silent, f"declare a Contest, or the reason in ALONE, in benchmarks/families/ for {silent}"


def test_every_family_names_its_contests_apart():
    names = [contest.name for contest in CONTESTS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "line",
    [
        Line("GaussianMixture (full)", "fit", "50 × 3", 0.0025, 2.5e-5, "scikit-learn, lapack"),
        Line("PCA", "fit", "9 × 9", remark="gave up after 9 s, in suffice", failed=True),
        Line("PCA", "fit", "9 × 9", 1.5, 2.0, "scipy", "at the limit of memory (1.1× it)", at_limit=True),
    ],
    ids=str,
)
def test_a_printed_line_can_be_read(line):
    again = Line.read(str(line))
    assert str(again) == str(line)
    assert (again.loses, again.wants_work, again.at_limit) == (line.loses, line.wants_work, line.at_limit)
    assert Line.read("| work | table | Suffice | best peer | faster | remark |") is None


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda contest: contest.name)
def test_every_shared_method_is_known(contest):
    table = contest.table(Cell(50, 3))
    for make in contest.peers.values():
        unknown = set(shared_methods(contest.ours, make(**contest.options(table)))) - METHODS.keys()
        assert not unknown, f"say in METHODS how {sorted(unknown)} are called, or in NO_WORK that they do no work"


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda contest: contest.name)
def test_a_contest_is_run(contest):
    if not contest.peers:
        pytest.skip("the peers are not installed")
    lines = list(lines_of(contest, contest.cell(Cell(50, 3)), MACHINE, timing=lambda calls, first: first))
    assert lines[0].method == "fit"
    assert not [line for line in lines if line.failed]


def test_losing_lines_come_first():
    lines = [
        Line("A", "fit", "50 × 3", 1.0, 2.0, "peer"),
        Line("B", "fit", "50 × 3", 2.0, 1.0, "peer"),
        Line("C", "fit", "50 × 3", 2.0, 1.9, "peer", "at the limit of memory", at_limit=True),
        Line("D", "fit", "50 × 3", remark="refused: no", failed=True),
    ]
    shown = detail(lines).splitlines()[2:]
    assert [line.split()[1] for line in shown] == ["D.fit", "B.fit", "C.fit"]
    assert summary(lines).startswith("3 lines were timed: a peer wins 2")
    assert "| A.fit | 2.0 |" in matrix(lines)


def test_a_name_that_is_not_there_is_refused():
    assert {contest.ours.__name__ for contest in chosen_contests(["pca"])} == {"PCA"}
    assert chosen_contests(["linear"]) == list(contests()["linear"])
    with pytest.raises(SystemExit, match="Did you mean"):
        chosen_contests(["KMean"])


@pytest.mark.parametrize("best", ["scikit-learn, brute", "scikit-learn, kd_tree", "scipy, cKDTree"])
def test_a_remark_is_about_the_best_peer(best):
    contest = chosen_contests(["NearestNeighbors"])[0]
    seconds = dict.fromkeys(contest.peers, 2.0) | {OURS: 2.0, best: 1.0}
    lines = lines_of(contest, contest.cell(Cell(50, 3)), MACHINE, timing=lambda calls, first: seconds)
    fit = next(lines)
    assert fit.peer == best
    assert ("brute force builds no index" in fit.remark) == best.endswith("brute")
    assert ("no estimator" in fit.remark) == best.startswith("scipy")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_remark_about_single_precision_is_about_nothing_else(dtype):
    (contest,) = chosen_contests(["Whiten"])
    lines = lines_of(contest, Cell(400, 5, dtype=dtype), MACHINE, timing=lambda calls, first: first)
    remarks = {line.method: line.remark for line in lines}
    assert ("sums in single precision" in remarks["fit"]) == (dtype == "float32")
    assert ("axes in single precision" in remarks["transform"]) == (dtype == "float32")


@pytest.mark.parametrize("asked", [Cell(60, 3), Cell(60, 50)], ids=str)
def test_a_table_that_was_cut_says_why(asked):
    contest = next(contest for contest in chosen_contests(["GaussianMixture"]) if contest.variant == "tied")
    lines = [line for line in run_contest(contest, (asked,), MACHINE, 1, 30.0) if line.method == "fit"]
    assert [line.cell for line in lines] == [f"60 × {min(asked.d, 30)}"]
    assert ("the regularisation decides" in lines[0].remark) == (asked.d > 30)
