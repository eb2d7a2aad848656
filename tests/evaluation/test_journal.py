"""Journals: a run that was killed goes on where it was; what does not belong together is refused."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import compare, evaluate
from suffice.evaluation.fingerprint import fingerprint

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]


class Counting(sf.GaussianNB):
    """Counts its fits, and stops in one of them."""

    fits = 0
    stop_at = None

    def fit(self, X, y=None, sample_weight=None):
        type(self).fits += 1
        if type(self).fits == type(self).stop_at:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.fixture
def counting():
    Counting.fits, Counting.stop_at = 0, None
    return Counting()


def test_nothing_is_fitted_twice(counting, tmp_path):
    path = tmp_path / "run.jsonl"
    first = evaluate(counting, X, Y, splits=4, journal=path)
    again = evaluate(counting, X, Y, splits=4, journal=path)
    assert Counting.fits == 4
    assert_array_equal(again.probability, first.probability)
    assert again.predicted.dtype == first.predicted.dtype
    assert again.table() == first.table()
    assert [fold.fit_seconds for fold in again.folds] == [fold.fit_seconds for fold in first.folds]


def test_other_measures_can_be_asked_for(counting, tmp_path):
    evaluate(counting, X, Y, splits=3, journal=tmp_path / "j", measures="accuracy")
    again = evaluate(counting, X, Y, splits=3, journal=tmp_path / "j", measures=("log_loss", "roc_auc"))
    assert Counting.fits == 3
    assert_array_equal(again.scores["log_loss"], evaluate(counting, X, Y, splits=3).scores["log_loss"])


def test_ctrl_c_keeps_the_folds_that_are_done(counting, tmp_path):
    path = tmp_path / "run.jsonl"
    Counting.stop_at = 3
    with pytest.raises(KeyboardInterrupt):
        evaluate(counting, X, Y, splits=4, journal=path)
    found = evaluate(counting, X, Y, splits=4, journal=path)
    assert Counting.fits == 5
    assert_array_equal(found.probability, evaluate(counting, X, Y, splits=4).probability)


def test_models_come_back(tmp_path):
    evaluate(sf.GaussianNB(), X, Y, splits=3, journal=tmp_path / "run.jsonl")
    assert len(list((tmp_path / "run.jsonl.models").glob("*.sff"))) == 3
    again = evaluate(sf.GaussianNB(), X, Y, splits=3, journal=tmp_path / "run.jsonl")
    fresh = evaluate(sf.GaussianNB(), X, Y, splits=3)
    for one, other in zip(again.models, fresh.models, strict=True):
        assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_models_of_others_are_not_kept(tmp_path):
    model, path = LogisticRegression(max_iter=1000), tmp_path / "run.jsonl"
    assert evaluate(model, X, Y, splits=2, journal=path).models[0] is not None
    assert evaluate(model, X, Y, splits=2, journal=path).models == (None, None)


def test_folds_that_failed_are_tried_again(tmp_path):
    class Failing(Counting):
        fits, stop_at = 0, None

        def fit(self, X, y=None, sample_weight=None):
            super().fit(X, y, sample_weight)
            if type(self).fits == 2:
                raise RuntimeError("bad luck")
            return self

    first = evaluate(Failing(), X, Y, splits=3, journal=tmp_path / "j", on_error="keep")
    assert list(first.failed) == [2]
    assert evaluate(Failing(), X, Y, splits=3, journal=tmp_path / "j").failed == {}
    assert Failing.fits == 4


def test_searches_and_comparisons(counting, tmp_path):
    models = {"one": counting, "two / three": sf.LinearDiscriminantAnalysis()}
    search = {"one": {"var_smoothing": [1e-9, 1e-3]}}
    found = compare(models, X, Y, splits=2, inner=2, search=search, journal=tmp_path / "j")
    fits = Counting.fits
    again = compare(models, X, Y, splits=2, inner=2, search=search, journal=tmp_path / "j")
    assert Counting.fits == fits == 2 * (2 * 2 + 1)
    assert again.table() == found.table()
    assert again.evaluations["one"].folds[0].params == found.evaluations["one"].folds[0].params
    more = compare({**models, "four": sf.QuadraticDiscriminantAnalysis()}, X, Y, splits=2, inner=2, search=search,
                   journal=tmp_path / "j")  # fmt: skip
    assert Counting.fits == fits
    assert "four" in more.evaluations


def test_a_line_that_was_cut_is_done_again(counting, tmp_path):
    path = tmp_path / "run.jsonl"
    whole = evaluate(counting, X, Y, splits=4, journal=path)
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    again = evaluate(counting, X, Y, splits=4, journal=path)
    assert Counting.fits == 5
    assert_array_equal(again.probability, whole.probability)
    assert len(path.read_bytes().splitlines()) == 5
    path.write_bytes(content[:20])  # within the first line
    evaluate(counting, X, Y, splits=4, journal=path)
    assert Counting.fits == 9


CHANGES = {
    "X": (lambda: evaluate(sf.GaussianNB(), X + 1e-9, Y, splits=2), "X changed"),
    "y": (lambda: evaluate(sf.GaussianNB(), X, np.roll(Y, 1), splits=2), "y, splits changed|y changed"),
    "sample_weight": (lambda: evaluate(sf.GaussianNB(), X, Y, splits=2, sample_weight=np.ones(150)), "sample_weight"),
    "splits": (lambda: evaluate(sf.GaussianNB(), X, Y, splits=3), "splits changed"),
    "seed": (lambda: evaluate(sf.GaussianNB(), X, Y, splits=2, random_state=1), "splits, random_state changed"),
    "parameters": (lambda: evaluate(sf.GaussianNB(var_smoothing=0.1), X, Y, splits=2), "other parameters"),
    "class": (lambda: evaluate(sf.LinearDiscriminantAnalysis(), X, Y, splits=2), "another class"),
    "search": (lambda: evaluate(sf.GaussianNB(), X, Y, splits=2, search={"var_smoothing": [1]}), "other parameters"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_refused(change, tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    evaluate(sf.GaussianNB(), X, Y, splits=2, journal=path)
    before = path.read_bytes()
    make, words = CHANGES[change]
    call = evaluate
    monkeypatch.setitem(globals(), "evaluate", lambda *a, **k: call(*a, **k, journal=path))
    with pytest.raises(InvalidData, match=words):
        make()
    assert path.read_bytes() == before


OTHERS = {
    "text": (b"hello\n", "is no journal of Suffice"),
    "text without a newline": (b"The first chapter, and all of the second", "is no journal of Suffice"),
    "a table": (b"a,b\n1,2\n3,4", "is no journal of Suffice"),
    "bytes": (bytes(range(256)) * 400, "is no journal of Suffice"),
    "a list": (b"[1]\n", "is no journal of Suffice"),
    "other objects": (b'{"a": 1}\n{"a": 2}', "is no journal of Suffice"),
    "the start of an object": (b"{", "is no journal of Suffice"),
    "depth": (b"[" * 60_000 + b"\n", "is no journal of Suffice"),
    "a later version": (b'{"format": "suffice journal", "version": 99}\n', "version 99; this version .* writes"),
    "an earlier version": (b'{"format": "suffice journal", "version": 1, "about": {}}\n{"n', "version 1; this version"),
    "a cut line of an earlier version": (b'{"format": "suffice journal", "version": 1', "is no journal of Suffice"),
    "a model": (b'{"format": "suffice model", "version": 1}\n', "'suffice model' version 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_left_alone(name, tmp_path):
    content, words = OTHERS[name]
    path, link = tmp_path / "notes.txt", tmp_path / "link"
    path.write_bytes(content)
    os.utime(path, (1, 1))
    link.symlink_to(path)
    for given in (path, link):
        with pytest.raises(InvalidData, match=words):
            evaluate(sf.GaussianNB(), X, Y, splits=2, journal=given)
    assert path.read_bytes() == content
    assert path.stat().st_mtime == 1
    assert sorted(os.listdir(tmp_path)) == ["link", "notes.txt"]


def test_a_new_journal_may_be_an_empty_file_or_behind_a_link(counting, tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to(tmp_path / "new")
    for name in ("empty", "link", "new"):
        evaluate(counting, X, Y, splits=2, journal=tmp_path / name)
    assert Counting.fits == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes here")
@pytest.mark.timeout(60)
def test_a_pipe_is_no_journal(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidData, match="is no file on a disk"):
        evaluate(sf.GaussianNB(), X, Y, splits=2, journal=tmp_path / "pipe")


def test_a_file_that_may_not_be_written_is_one_sentence(tmp_path, monkeypatch):
    path = tmp_path / "j"
    path.touch()

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("suffice.evaluation.sealed_lines.open", refuse, raising=False)
    with pytest.raises(InvalidData, match="cannot be opened: Permission denied"):
        evaluate(sf.GaussianNB(), X, Y, splits=2, journal=path)


def cut_within(lines):
    return [lines[0], lines[1][:50] + b"\n", *lines[2:]]


def one_bit(lines):
    at = lines[1].index(b'"base64"') + 20
    letter = bytes([lines[1][at] ^ 1])
    return [lines[0], lines[1][:at] + letter + lines[1][at + 1 :], *lines[2:]]


DAMAGES = {
    "cut": (cut_within, 2),
    "one bit": (one_bit, 2),
    "swapped": (lambda lines: [lines[0], lines[2], lines[1], lines[3]], 2),
    "taken out": (lambda lines: [lines[0], lines[1], lines[3]], 3),
    "repeated": (lambda lines: [*lines, lines[1]], 5),
    "empty": (lambda lines: [*lines, b"\n"], 5),
    "first": (lambda lines: [lines[0].replace(b'"X": "', b'"X": "0'), *lines[1:]], 1),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_line_is_named(name, tmp_path):
    path = tmp_path / "run.jsonl"
    evaluate(sf.GaussianNB(), X, Y, splits=3, journal=path)
    damage, line = DAMAGES[name]
    damaged = b"".join(damage(path.read_bytes().splitlines(keepends=True)))
    path.write_bytes(damaged)
    with pytest.raises(InvalidData, match=f"damaged in line {line}"):
        evaluate(sf.GaussianNB(), X, Y, splits=3, journal=path)
    assert path.read_bytes() == damaged


def test_a_model_file_is_only_used_for_its_own_fold(tmp_path):
    path = tmp_path / "run.jsonl"

    def again(**options):
        return evaluate(sf.GaussianNB(), X, Y, splits=3, journal=path, **options)

    first = again()
    one, two, three = sorted((tmp_path / "run.jsonl.models").iterdir())
    whole = two.read_bytes()
    for content in (one.read_bytes(), whole[:100], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        two.write_bytes(content)
        with pytest.raises(InvalidData, match=r"is not the model that the journal .* knows of fold 2"):
            again()
        assert again(keep_models=False).table() == first.table()
    two.unlink()
    assert [model is None for model in again().models] == [False, True, False]
    two.mkdir()
    with pytest.raises(InvalidData, match="Remove it"):
        again()
    assert three.exists()


def test_names_that_look_alike_have_model_files_of_their_own(tmp_path):
    models = {
        "a b": sf.GaussianNB(),
        "a_b": sf.LinearDiscriminantAnalysis(),
        "A B": sf.GaussianNB(),
        "ü" * 300: sf.GaussianNB(),
    }
    compare(models, X, Y, splits=2, journal=tmp_path / "j", dummy=False)
    again = compare(models, X, Y, splits=2, journal=tmp_path / "j", dummy=False)
    assert len(list((tmp_path / "j.models").iterdir())) == 8
    assert [type(e.models[0]) for e in again.evaluations.values()] == [type(model) for model in models.values()]


def test_model_files_that_cannot_be_written_are_one_sentence(tmp_path):
    (tmp_path / "j.models").write_text("a file of somebody else")
    with pytest.raises(InvalidData, match="cannot be written"):
        evaluate(sf.GaussianNB(), X, Y, splits=2, journal=tmp_path / "j")
    assert (tmp_path / "j.models").read_text() == "a file of somebody else"


def test_a_folder_is_no_journal(tmp_path):
    with pytest.raises(InvalidData, match="cannot be opened: Is a directory"):
        evaluate(sf.GaussianNB(), X, Y, splits=2, journal=tmp_path)


def test_a_seed_is_needed(tmp_path):
    with pytest.raises(InvalidParameter, match="needs a random_state"):
        evaluate(sf.GaussianNB(), X, Y, random_state=None, journal=tmp_path / "j")


RUN = textwrap.dedent("""
    import sys, time
    import suffice as sf

    class Slow(sf.GaussianNB):
        def fit(self, X, y=None, sample_weight=None):
            time.sleep(float(sys.argv[2]))
            return super().fit(X, y, sample_weight)

    iris = sf.datasets.load("iris")
    found = sf.evaluate(Slow(), iris.matrix(), iris["species"], splits=6, journal=sys.argv[1], measures="log_loss")
    print(repr(found.scores["log_loss"].tolist()))
""")


def lines_in(path):
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def test_a_run_that_was_killed_goes_on(counting, tmp_path):
    script, path = tmp_path / "run.py", tmp_path / "run.jsonl"
    script.write_text(RUN)
    process = subprocess.Popen([sys.executable, str(script), str(path), "1"])
    deadline = time.monotonic() + 120
    while lines_in(path) < 3 and time.monotonic() < deadline:  # the head and two folds
        time.sleep(0.05)
    with pytest.raises(InvalidData, match="in use by another run"):
        evaluate(sf.GaussianNB(), X, Y, splits=6, journal=path)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = lines_in(path)
    assert 3 <= done < 7
    before = path.read_bytes()
    answer = {"capture_output": True, "text": True, "check": True}
    again = subprocess.run([sys.executable, str(script), str(path), "0"], **answer)
    assert path.read_bytes().startswith(before.rpartition(b"\n")[0])
    assert lines_in(path) == 7
    whole = evaluate(counting, X, Y, splits=6, measures="log_loss")
    assert json.loads(again.stdout) == whole.scores["log_loss"].tolist()


def test_fingerprints_tell_values_apart(rng):
    a = rng.normal(size=(4, 3))
    frame = IRIS.to_frame()
    values = [
        None, True, 1, 1.0, "1", b"1", (1, 2), [1, 2], {"a": 1}, {1, 2}, a, a.T, a.astype(np.float32), np.float64(1),
        frame, frame.iloc[::-1], IRIS.to_frame("polars"), sf.GaussianNB(), sf.GaussianNB(var_smoothing=1.0),
        sf.LinearDiscriminantAnalysis(), np.random.default_rng(0), np.random.RandomState(0), len, sf.GaussianNB,
        lambda x: x + 1, lambda x: x + 2, np.array(["a", None], dtype=object), frame["species"],
    ]  # fmt: skip
    prints = [fingerprint(value) for value in values]
    assert len(set(prints)) == len(values)
    assert prints == [fingerprint(value) for value in values]
    assert fingerprint(np.asfortranarray(a)) == fingerprint(a)


def test_a_journal_without_answers_about_training_rows_says_so(tmp_path, rng):
    X, y, path = rng.normal(size=(40, 2)), np.resize(["a", "b"], 40), tmp_path / "folds.jsonl"
    sf.evaluate(sf.GaussianNB(), X, y, splits=2, journal=path)
    with pytest.raises(InvalidData, match=r"other answers \(search, measures, train\)"):
        sf.evaluate(sf.GaussianNB(), X, y, splits=2, journal=path, train=True)
