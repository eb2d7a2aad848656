"""Damaged model files: whatever is in them, loading and asking give an answer or one of our errors.

The suite makes a short run with a fixed seed. For a long one
``PYTHONPATH=tests python -m fuzz.test_model_files 50000 7`` makes so many files with that seed, of every class too, and
says what it found; or SUFFICE_FUZZ is the number of files for the suite.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fuzz import damage
from fuzz.forms import FORMS, Form, every_class
from suffice.contracts.model_files import Ask, check_harmless, check_hostile_arrays, unpacked
from suffice.persist import save

FILES = int(os.environ.get("SUFFICE_FUZZ", "600"))
SLOWEST = 30.0  # seconds that one file may take
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")  # few iterations make small files


@pytest.mark.parametrize("name", FORMS)
def test_arrays_of_every_form(name):
    check_hostile_arrays(*FORMS[name](), every=3)


def test_damaged_files(tmp_path):
    assert fuzz(FILES, 1, tmp_path) == []


def fuzz(files: int, seed: int, folder: Path, forms: Mapping[str, Callable[[], Form]] = FORMS) -> list[str]:
    """Damage so many files, one after the other; what was found wrong."""
    made = {name: _saved(make(), folder / f"{name}.sff") for name, make in forms.items()}
    found, path = [], folder / "damaged.sff"
    for number in range(files):
        rng = random.Random(f"{seed}-{number}")  # so that each can be made again
        name, kind = rng.choice(list(made)), rng.choice(damage.KINDS)
        members, cls, ask = made[name]
        kind(rng, members, path)
        begun, what = time.perf_counter(), f"file {seed}-{number}, {name}, {kind.__name__}"
        try:
            check_harmless(path, cls, ask, what)
        except AssertionError as error:
            found.append(str(error))
        if time.perf_counter() - begun > SLOWEST:
            found.append(f"{what}: took {time.perf_counter() - begun:.0f} s")
    return found


def _saved(form: tuple[object, Ask], path: Path) -> tuple[dict[str, bytes], type, Ask]:
    value, ask = form
    save(value, path)
    return unpacked(path), type(value), ask


if __name__ == "__main__":
    import faulthandler

    faulthandler.enable()
    with tempfile.TemporaryDirectory() as folder:
        wrong = fuzz(int(sys.argv[1]), int(sys.argv[2]), Path(folder), FORMS | every_class())
    sys.stdout.write("".join(f"{line}\n" for line in wrong) + f"{len(wrong)} found\n")
    sys.exit(bool(wrong))
