"""Sessions of asking: what an oracle may do, what is kept whatever it does, and journals that survive a kill."""

import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

LEARNER = sf.ActiveLearner(sf.GaussianNB(), first=6)


@pytest.fixture(scope="module")
def crabs():
    table = sf.datasets.load("crabs")
    return table.matrix(["FL", "RW", "CL", "CW", "BD"]), table["sp"]


def test_a_threshold_is_found_by_bisection():
    X = np.linspace(0, 1, 1001)[:, None]
    y = (X[:, 0] > 0.3337).astype(int)
    machine = sf.ActiveLearner(sf.LogisticRegression(C=1e6), "margin", first=2)
    asking = machine.begin(X, [0, *[None] * 999, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the classes can be told apart without fail
        asking.run(y, queries=14)
        assert asking.model.score(X, y) >= 0.999  # log2(1000) = 10 labels; at random it would take hundreds


def test_oracles_and_what_was_learned(crabs):
    X, y = crabs
    asking = LEARNER.begin(X).run(y, queries=25)
    assert asking.status == "finished"
    assert len(asking.labels) == 25
    assert all(y[row] == label for row, label in asking.labels.items())
    again = LEARNER.begin(X).run(lambda row: y[row], 25)
    assert again.labels == asking.labels
    rows = sorted(asking.labels)
    assert_array_equal(asking.model.predict(X), sf.GaussianNB().fit(X[rows], y[rows]).predict(X))
    assert [label for label in asking.y if label is not None] == y[rows].tolist()
    everything = LEARNER.begin(X[:20]).run(y[:20])
    assert len(everything.labels) == 20
    assert everything.ask() == []


def test_what_is_known_already_and_what_nobody_knows(crabs):
    X, y = crabs
    known = pd.Series(y, dtype=object).where(np.arange(200) % 40 == 0)
    asking = LEARNER.begin(pd.DataFrame(X, columns=list("abcde")), known)
    assert sorted(asking.labels) == [0, 40, 80, 120, 160]
    asking.run(lambda row: None if row % 2 else y[row], 12)
    assert len(asking.labels) + len(asking.skipped) == 17
    assert all(row % 2 for row in asking.skipped)
    assert not set(asking.skipped) & set(asking.labels)


@pytest.mark.parametrize(
    ("nonsense", "words"),
    [
        (float("nan"), "must be a class, a text or a number; got nan"),
        ([1, 2], "must be a class"),
        (0.5, "must be a class, and 0.5 is no whole number"),
        (3, "must be of the kind of the other labels, such as 'B'"),
        ("", "must be a class"),
    ],
)
def test_nonsense_is_refused_and_the_labels_before_it_are_kept(crabs, nonsense, words):
    X, y = crabs
    asking = LEARNER.begin(X, ["B", *[None] * 199])
    calls = iter(range(99))
    with pytest.raises(
        InvalidData, match=rf"ActiveLearner: the label of row \d+ {words}.*What was told before it, 9 labels, is"
    ):
        asking.run(lambda row: nonsense if next(calls) == 8 else y[row], 20)
    assert asking.status == "failed"
    assert len(asking.run(y, 3).labels) == 12


def test_declared_classes(crabs):
    X, y = crabs
    asking = LEARNER.begin(X, classes=["B", "O"])
    with pytest.raises(InvalidData, match=r"must be one of 'B', 'O'; got 'b'\. Did you mean 'B'"):
        asking.tell(3, "b")
    assert asking.tell([3, 4], y[[3, 4]]).labels == {3: "B", 4: "B"}
    assert LEARNER.begin(X, classes={1, 2}).tell(0, "1").labels == {0: 1}
    assert len(LEARNER.begin(X).run(dict(enumerate(y)), 5).labels) == 5
    flags = LEARNER.begin(X, classes=[0, 1]).tell(0, 1.0).tell(1, np.int64(0)).tell(2, True)
    assert list(flags.labels.values()) == [1, 0, 1]
    for classes in (["B"], ["B", "B"], "B"):
        with pytest.raises(InvalidParameter, match="at least 2 different ones"):
            LEARNER.begin(X, classes=classes)


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        ([3, 4], ["B", [1]], "the label of row 4 must be a class"),
        ([3, 4], ["B", 1], "the label of row 4 must be of the kind of the other labels, such as 'B'"),
        ([3, 3], ["B", "O"], "row 3 is told twice"),
        ([3, 4.0], ["B", "O"], r"a row must be a number from 0 to 199; got 3\.0"),
        ("first", "B", "a row must be a number from 0 to 199; got 'first'"),
        ([3, 4], "B", r"a label for each row; got 2 rows and labels of shape \(\)"),
        ([3, 4], ["B"], r"a label for each row; got 2 rows and labels of shape \(1,\)"),
    ],
)
def test_of_several_labels_all_are_kept_or_none(crabs, rows, labels, words):
    asking = LEARNER.begin(crabs[0])
    with pytest.raises(InvalidData, match=words):
        asking.tell(rows, labels)
    assert not asking.answers


def test_an_oracle_that_fails_half_way_loses_nothing(crabs, tmp_path):
    X, y = crabs

    def tired(row):
        if len(asking.labels) == 7:
            raise ConnectionError("no answer")
        return y[row]

    asking = LEARNER.begin(X, journal=tmp_path / "labels")
    with pytest.raises(ConnectionError):
        asking.run(tired, 20)
    assert len(asking.labels) == 7
    asking.close()
    with LEARNER.begin(X, journal=tmp_path / "labels") as again:
        assert again.labels == asking.labels
        again.run(y, 13)
    assert list(again.labels) == list(LEARNER.begin(X).run(y, 20).labels)  # as if nothing had happened


def test_undo_and_skip_are_kept_as_well(crabs, tmp_path):
    X, y = crabs
    with LEARNER.begin(X, journal=tmp_path / "labels") as asking:
        first = asking.ask()[0]
        asking.tell(first, "O")
        assert asking.undo() == first
        assert asking.ask()[0] == first
        asking.tell(first, y[first]).skip(asking.ask()[0]).tell(11, "B")
        assert asking.undo() == 11
    with LEARNER.begin(X, journal=tmp_path / "labels") as again:
        assert (again.labels, again.skipped) == (asking.labels, asking.skipped) == ({first: y[first]}, asking.skipped)
    plain = LEARNER.begin(X)
    assert plain.undo() is None


def test_journals_of_other_rows_and_against_y_are_refused(crabs, tmp_path):
    X, _y = crabs
    with LEARNER.begin(X, journal=tmp_path / "labels") as asking:
        asking.tell(0, "B")
    with pytest.raises(InvalidData, match="is about another run: the rows changed since"):
        LEARNER.begin(X[1:], journal=tmp_path / "labels")
    with pytest.raises(InvalidData, match="is about another run: the kind of label changed"):
        sf.ActiveLearner(sf.Ridge()).begin(X, journal=tmp_path / "labels")
    with pytest.raises(InvalidData, match="row 0 is 'O' in y and 'B' in the journal"):
        LEARNER.begin(X, ["O", *[None] * 199], journal=tmp_path / "labels")
    with LEARNER.begin(X, ["B", *[None] * 199], journal=tmp_path / "labels") as same:
        assert same.labels == {0: "B"}
    text = (tmp_path / "labels").read_text().replace('"label": "B"', '"label": "O"')
    (tmp_path / "labels").write_text(text)
    with pytest.raises(InvalidData, match="damaged in line 2"):
        LEARNER.begin(X, journal=tmp_path / "labels")


@pytest.mark.unsanitized
def test_a_killed_session_goes_on_where_it_was(tmp_path):
    script = """
        import os, signal, sys
        import suffice as sf
        table = sf.datasets.load("crabs")
        X, y = table.matrix(["FL", "RW", "CL", "CW", "BD"]), table["sp"]
        with sf.ActiveLearner(sf.GaussianNB(), first=6).begin(X, journal=sys.argv[1]) as asking:
            asking.run(lambda row: os.kill(os.getpid(), signal.SIGKILL) if len(asking.labels) == 9 else y[row], 20)
    """
    path = tmp_path / "labels"
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script), path], timeout=120)
    assert done.returncode == -signal.SIGKILL
    with open(path, "ab") as file:
        file.write(b'{"row": 17, "la')  # a line that was being written
    table = sf.datasets.load("crabs")
    X, y = table.matrix(["FL", "RW", "CL", "CW", "BD"]), table["sp"]
    with LEARNER.begin(X, journal=path) as again:
        assert len(again.labels) == 9
        assert list(again.run(y, 11).labels) == list(LEARNER.begin(X).run(y, 20).labels)


def test_ctrl_c_and_time_limits_keep_what_is_there(crabs):
    X, y = crabs

    def stopped(row):
        if len(asking.labels) == 4:
            raise KeyboardInterrupt
        return y[row]

    asking = LEARNER.begin(X).run(stopped) if False else LEARNER.begin(X)
    assert asking.run(stopped).status == "interrupted"
    assert len(asking.labels) == 4
    with sf.limits(seconds=1e-9):
        assert asking.run(y).status == "time_limit"
    assert len(asking.labels) == 5


def test_batches_are_asked_to_their_end(crabs):
    X, y = crabs
    asking = sf.ActiveLearner(sf.GaussianNB(), "entropy", batch=4, first=6).begin(X).run(y, 6)
    batch = asking.ask()
    assert len(set(batch)) == 4
    asking.tell(batch[0], y[batch[0]])
    assert asking.ask() == batch[1:]
    assert asking.tell(5 if 5 not in batch and 5 not in asking.labels else 7, "B").ask() != batch[1:]
    assert len(asking.ask(9)) == 4 or len(asking.ask(9)) == 9


def test_numbers(crabs):
    X, _ = crabs
    y = X[:, 0] * 2 + 1
    for strategy in ("committee", "variance_reduction", "random"):
        asking = sf.ActiveLearner(sf.Ridge(), strategy).begin(X[:, 1:]).run(y, 12)
        assert asking.model.score(X[:, 1:], y) > 0.9
    with pytest.raises(InvalidData, match="must be a finite number; got 'wide'"):
        asking.tell(asking.ask()[0], "wide")
    with pytest.raises(InvalidParameter, match="classes are for classifiers"):
        sf.ActiveLearner(sf.Ridge()).begin(X, classes=["a", "b"])
    with pytest.raises(InvalidParameter, match="'margin' is for models of classes, and Ridge predicts numbers"):
        sf.ActiveLearner(sf.Ridge(), "margin")


def test_tables_of_every_kind(crabs):
    X, y = crabs
    frame = sf.datasets.load("crabs").to_frame()
    y = frame.pop("sp").to_numpy()
    frame.loc[3, "FL"] = np.nan
    model = sf.prepared(sf.LogisticRegression(), frame)
    mixed = sf.ActiveLearner(model, "density", batch=3).begin(frame).run(y, 12)
    assert len(mixed.labels) == 12
    flags = sparse.csr_matrix((np.median(X, axis=0) < X).astype(float))
    rare = sf.ActiveLearner(sf.LogisticRegression(), "density", batch=3).begin(flags).run(y, 12)
    assert len(rare.labels) == 12
    for narrow in (X[:, :1].astype(np.float32), np.asfortranarray(X)[::2], np.ones((30, 2))):
        assert len(LEARNER.begin(narrow).run(y[: len(narrow)], 8).labels) == 8
    one = LEARNER.begin(X[:1])
    assert one.ask() == [0]
    assert one.tell(0, "B").ask() == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X: sf.ActiveLearner(sf.KMeans()), "model must predict classes or numbers"),
        (lambda X: sf.ActiveLearner(sf.GaussianNB(), "margins"), "Did you mean 'margin'"),
        (lambda X: sf.ActiveLearner(sf.GaussianNB(), batch=0), "batch must be an integer, at least 1"),
        (lambda X: LEARNER.begin(X, ["B", "O"]), "one entry a row, shape"),
        (lambda X: LEARNER.begin(X).tell(200, "B"), "a row must be a number from 0 to 199; got 200"),
        (lambda X: LEARNER.begin(X).tell(1, "B").tell(1, "B"), "row 1 was answered before; undo that first"),
        (lambda X: LEARNER.begin(X).tell([1, 2], ["B"]), "a label for each row; got 2 rows and labels"),
        (lambda X: LEARNER.begin(X).model, "no row has a label yet"),
        (lambda X: LEARNER.begin(X).run(["B"]), "one entry a row"),
        (lambda X: LEARNER.begin(X).run(None), "oracle must be a function of a row's number, a mapping, or a column"),
        (lambda X: LEARNER.begin(np.full_like(X, np.inf)).ask(), "ActiveLearner: prepared: column 0, row 0 holds inf"),
        (lambda X: LEARNER.begin(X[:0]), "X has no rows"),
    ],
)
def test_refusals(crabs, call, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        call(crabs[0])
