"""A search with a journal goes on after Ctrl-C and after a kill, also with a larger space."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.neighbors import KNeighborsClassifier

import suffice as sf
from suffice.errors import InvalidData
from suffice.selection import search

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]


class Counting(KNeighborsClassifier):
    """Counts its fits, and stops in one of them."""

    fits = 0
    stop_at = None

    def fit(self, X, y):
        Counting.fits += 1
        if Counting.fits == Counting.stop_at:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.fixture(autouse=True)
def _anew():
    Counting.fits, Counting.stop_at = 0, None


def run(path, space=(1, 5, 9), **more):
    return search(Counting(), {"n_neighbors": list(space)}, X, Y, measures="accuracy", journal=path, **more)


def test_goes_on_where_it_was(tmp_path):
    path = tmp_path / "search.jsonl"
    Counting.stop_at = 8
    first = run(path)
    assert first.status == "interrupted"
    assert len(first.candidates) == 1
    Counting.fits, Counting.stop_at = 0, None
    second = run(path)
    assert Counting.fits == 15 - 7
    assert second.status == "finished"
    Counting.fits = 0
    assert run(path).table()[0]["accuracy"] == second.value
    assert Counting.fits == 0
    larger = run(path, (1, 3, 5, 9))
    assert Counting.fits == 5
    assert len(larger.candidates) == 4
    plain = search(Counting(), {"n_neighbors": [1, 3, 5, 9]}, X, Y, measures="accuracy")
    for one, other in zip(larger.candidates, plain.candidates, strict=True):
        assert_array_equal(one.scores["accuracy"], other.scores["accuracy"])
    assert run(path, strategy=sf.HalvingSearch(3, 3)).candidates[-1].share == 1.0


@pytest.mark.parametrize("strategy", [sf.BayesianSearch(6, 3), sf.HalvingSearch(6, 2), sf.RandomSearch(5)])
def test_every_strategy_goes_on(tmp_path, strategy):
    path, space = tmp_path / "search.jsonl", {"n_neighbors": sf.Between(1, 60, log=True)}
    whole = search(Counting(), space, X, Y, measures="log_loss", strategy=strategy)
    Counting.fits, Counting.stop_at = 0, 18
    search(Counting(), space, X, Y, measures="log_loss", strategy=strategy, journal=path)
    Counting.stop_at = None
    found = search(Counting(), space, X, Y, measures="log_loss", strategy=strategy, journal=path)
    assert [dict(a.params) for a in found.candidates] == [dict(b.params) for b in whole.candidates]
    assert_array_equal([a.loss(a_measure) for a in found.candidates for a_measure in found.measures],
                       [b.loss(a_measure) for b in whole.candidates for a_measure in found.measures])  # fmt: skip


def test_nested_folds_are_kept_too(tmp_path):
    path = tmp_path / "search.jsonl"
    first = run(path, nested=3)
    Counting.fits = 0
    assert run(path, nested=3).nested.value() == first.nested.value()
    assert Counting.fits == 0


def test_other_rows_or_another_model_are_refused(tmp_path):
    path = tmp_path / "search.jsonl"
    run(path)
    with pytest.raises(InvalidData, match=r"search: the journal .* is about another run: X changed"):
        search(Counting(), {"n_neighbors": [1]}, X + 1, Y, measures="accuracy", journal=path)
    with pytest.raises(InvalidData, match="another run: model changed"):
        search(Counting(weights="distance"), {"n_neighbors": [1]}, X, Y, measures="accuracy", journal=path)
    with pytest.raises(InvalidData, match=r"another run: random_state changed|splits, random_state changed"):
        run(path, random_state=1)
    other = run(path, splits=5)
    assert len(other.candidates) == 3


def test_a_damaged_journal_is_refused_and_not_touched(tmp_path):
    path = tmp_path / "search.jsonl"
    run(path)
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b'"fold": ', b'"fold":  ')
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    with pytest.raises(InvalidData, match=r"search: .* damaged in line 3"):
        run(path)
    assert path.read_bytes() == before
    path.write_bytes(before[:-200])  # as a kill leaves it, but of another line
    with pytest.raises(InvalidData, match="damaged"):
        run(path)
    path.write_text("x,y\n1,2\n")
    with pytest.raises(InvalidData, match=r"search: .* is no journal of Suffice"):
        run(path)


def test_a_cut_end_is_fitted_again(tmp_path):
    path = tmp_path / "search.jsonl"
    whole = run(path)
    content = path.read_bytes()
    for cut in (1, 50, 2000):
        path.write_bytes(content[:-cut])
        assert run(path).table()[0]["accuracy"] == whole.value


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_goes_on_after_a_kill(tmp_path):
    path = tmp_path / "search.jsonl"
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(f"""
        import time
        import suffice as sf
        from sklearn.neighbors import KNeighborsClassifier

        class Slow(KNeighborsClassifier):
            def fit(self, X, y):
                time.sleep(0.02)
                return super().fit(X, y)

        iris = sf.datasets.load("iris")
        space = {{"n_neighbors": list(range(1, 31))}}
        found = sf.search(Slow(), space, iris.matrix(), iris["species"], measures="accuracy", journal={str(path)!r})
        print(len(found.candidates), found.value)
    """)
    )
    running = subprocess.Popen([sys.executable, script])
    while not (path.exists() and path.read_bytes().count(b"\n") > 12):
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    done = path.read_bytes().count(b"\n")
    assert 12 < done < 151
    assert os.path.getsize(path) > 0
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    space = {"n_neighbors": list(range(1, 31))}
    plain = search(KNeighborsClassifier(), space, X, Y, measures="accuracy")
    assert said.split() == ["30", str(plain.value)]
    assert np.isfinite(plain.value)
