"""Model files of every version so far can be read, and their models answer as they did."""

import json
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from reference.models import make_model_files
from suffice import persist

FOLDER = Path(__file__).parent / "reference" / "models"
SAID = {version: json.loads((FOLDER / version / "answers.json").read_text()) for version in ("v1", "v2")}


@pytest.fixture(scope="module")
def rows():
    return make_model_files.tables()


@pytest.mark.parametrize(("version", "name"), [(version, name) for version, said in SAID.items() for name in said])
def test_an_earlier_file(version, name, rows):
    said = SAID[version][name]
    model = sf.load(FOLDER / version / f"{name}.sff")
    found = make_model_files.answers(model, rows[said["rows"]])
    assert said["answers"].keys() <= found.keys()  # later versions may answer more
    for question, answer in said["answers"].items():
        if question == "parameters":
            assert {name: found[question][name] for name in answer} == answer  # there may be more by now
        elif np.asarray(answer).dtype.kind == "f":
            np.testing.assert_allclose(found[question], answer, rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_array_equal(found[question], answer)


def test_the_files_of_the_present_version_are_kept():
    assert f"v{persist.VERSION}" in SAID


@pytest.mark.parametrize("name", SAID["v1"])
def test_an_earlier_file_can_be_saved_again(name, tmp_path):
    sf.save(sf.load(FOLDER / "v1" / f"{name}.sff"), tmp_path / "again.sff")
    assert type(sf.load(tmp_path / "again.sff")) is type(sf.load(FOLDER / "v1" / f"{name}.sff"))
