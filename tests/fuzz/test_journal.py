"""Damaged journals: either the right scores come out, or an error that names the file; never other scores.

SUFFICE_FUZZ_ROUNDS=20000 pytest tests/fuzz/test_journal.py is a long run.
"""

import os
import shutil

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import suffice as sf
from suffice.errors import InvalidData

ROUNDS = int(os.environ.get("SUFFICE_FUZZ_ROUNDS", "300"))
MODELS = {"naive": sf.GaussianNB(), "linear": sf.LinearDiscriminantAnalysis()}


def flip_bits(content, rng):
    for at in rng.integers(0, len(content), rng.integers(1, 4)):
        content[at] ^= 1 << rng.integers(8)


def set_bytes(content, rng):
    at = rng.integers(len(content))
    content[at : at + rng.integers(1, 9)] = rng.bytes(rng.integers(1, 9))


def delete_bytes(content, rng):
    at = rng.integers(len(content))
    del content[at : at + rng.integers(1, rng.choice([2, 20, 500]))]


def insert_bytes(content, rng):
    at = rng.integers(len(content) + 1)
    pieces = [rng.bytes(3), b"\n", b"0", b"{}\n", b'"', b"\x00" * 64]
    content[at:at] = pieces[rng.integers(len(pieces))]


def repeat_bytes(content, rng):
    at, to = np.sort(rng.integers(0, len(content) + 1, 2))
    content[to:to] = content[at:to]


def cut(content, rng):
    del content[rng.integers(len(content)) :]


def edit_lines(edit):
    def damage(content, rng):
        lines = content.splitlines(keepends=True)
        edit(lines, rng)
        content[:] = b"".join(lines)

    return damage


def swap(lines, rng):
    i, j = rng.integers(0, len(lines), 2)
    lines[i], lines[j] = lines[j], lines[i]


def repeat(lines, rng):
    lines.insert(rng.integers(len(lines) + 1), lines[rng.integers(len(lines))])


def remove(lines, rng):
    del lines[rng.integers(len(lines))]


def change_a_digit(content, rng):
    digits = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
    if digits:
        content[rng.choice(digits)] = 48 + rng.integers(10)


DAMAGES = [
    flip_bits, set_bytes, delete_bytes, insert_bytes, repeat_bytes, cut, change_a_digit,
    edit_lines(swap), edit_lines(repeat), edit_lines(remove),
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A journal of two models, its folder, the run that goes on with it, and what it gives."""
    folder = tmp_path_factory.mktemp("whole")
    table = np.random.default_rng(3).normal(size=(24, 2))
    classes = np.where(table[:, 0] + 0.5 * table[:, 1] > 0, "yes", "no")

    def run(path, **options):
        return sf.compare(MODELS, table, classes, splits=3, measures="log_loss", dummy=False, journal=path, **options)

    found = run(folder / "j")
    return folder, run, {name: one.probability for name, one in found.evaluations.items()}


def test_a_damaged_journal_never_gives_other_scores(whole, tmp_path):
    folder, run, expected = whole
    content, path, refused = (folder / "j").read_bytes(), tmp_path / "j", 0
    for seed in range(ROUNDS):
        rng = np.random.default_rng([0, seed])
        damaged = bytearray(content)
        for _ in range(rng.integers(1, 3)):
            if damaged:
                DAMAGES[rng.integers(len(DAMAGES))](damaged, rng)
        path.write_bytes(damaged)
        try:
            found = run(path, keep_models=False)
        except InvalidData as error:
            said = str(error)
            assert str(path) in said, seed
            assert path.read_bytes() == damaged, seed
            refused += 1
            continue
        for name, one in found.evaluations.items():
            assert_array_equal(one.probability, expected[name], err_msg=f"seed {seed}")
        assert len(path.read_bytes().splitlines()) == 1 + 2 * 3, seed
    assert refused > ROUNDS // 2


def test_a_damaged_model_file_is_never_used(whole, tmp_path):
    folder, run, expected = whole
    shutil.copytree(folder, tmp_path / "copy")
    path = tmp_path / "copy" / "j"
    files = sorted((tmp_path / "copy" / "j.models").iterdir())
    contents = [file.read_bytes() for file in files]
    for seed in range(ROUNDS // 5):
        rng = np.random.default_rng([1, seed])
        at = rng.integers(len(files))
        damaged = bytearray(contents[at])
        DAMAGES[rng.integers(6)](damaged, rng)
        if rng.random() < 0.2:
            damaged = contents[rng.integers(len(files))]
        files[at].write_bytes(damaged)
        if damaged == contents[at]:
            run(path)
        else:
            with pytest.raises(InvalidData, match="is not the model that the journal"):
                run(path)
        files[at].write_bytes(contents[at])
    assert_array_equal(run(path).evaluations["naive"].probability, expected["naive"])
