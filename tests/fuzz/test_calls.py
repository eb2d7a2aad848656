"""Random calls of everything public give an answer or one of our errors: a short run; `make fuzz` makes a long one."""

import os
import sys
from pathlib import Path

import pytest

from fuzz import calls, run, values

NUMBERS = int(os.environ.get("SUFFICE_FUZZ_CALLS", "2000"))


def test_random_calls():
    found = [fault for number in range(NUMBERS) for fault in calls.run(number)]
    assert run.kinds(found) == []


def test_a_number_makes_the_same_calls_again():
    first, second = ([call.words for call in calls.calls(number)] for number in (41, 41))
    assert first == second


def test_what_is_no_error_of_ours_is_found():
    def fail():
        return {}["missing"]

    assert "KeyError at ?: 'missing' <- fail()" in calls.foreign(calls.Call("fail()", fail))
    assert calls.foreign(calls.Call("KMeans(0).fit(…)", lambda: calls.sf.KMeans(0).fit([[1.0]]))) is None


@pytest.mark.unsanitized
def test_a_crash_and_a_hang_are_told_with_their_number(monkeypatch, tmp_path):
    """A process that is killed at one number goes on after it; one that does not come back is ended."""
    (tmp_path / "fuzz").mkdir()
    (tmp_path / "fuzz" / "__init__.py").touch()
    (tmp_path / "fuzz" / "calls.py").write_text(
        "import os, time\n"
        "def run(number):\n"
        "    if number == 3: os.kill(os.getpid(), 9)\n"
        "    if number == 5: time.sleep(60)\n"
        "    return ['seed 6: KeyError at here: 1'] if number == 6 else []\n"
    )
    (tmp_path / "fuzz" / "run.py").write_text(Path(run.__file__).read_text(encoding="utf-8"))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(run, "SLOWEST", 1.0)
    told = []
    found = run.fuzz(range(10), 2, told.append)
    assert sorted(found) == [
        "seed 3: Crash by SIGKILL", "seed 5: Hang for more than 1 s", "seed 6: KeyError at here: 1",
    ]  # fmt: skip
    assert len(told) == 3
    assert len(run.kinds([*found, *found])) == 3


def test_what_is_spoilt_is_often_good():
    rng = values.np.random.default_rng(0)
    X = rng.normal(size=(5, 3))
    same = sum(values.spoilt(rng, X) is X for _ in range(200))
    assert 40 < same < 160
