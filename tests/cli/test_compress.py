"""`suffice compress`: what it writes and prints, and that all bad input ends in one line."""

import json
import os

import numpy as np
import pytest
from click.testing import CliRunner

from suffice.cli.main import cli, run

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def photo(tmp_path, rng):
    path = tmp_path / "photo.png"
    ramp = np.add.outer(np.arange(60), np.arange(60))[:, :, None] + rng.integers(0, 100, (60, 60, 3))
    Image.fromarray(ramp.astype(np.uint8)).save(path)
    return path


def test_writes_the_picture_and_prints_the_figures(photo, tmp_path):
    out = tmp_path / "out.png"
    result = CliRunner().invoke(cli, ["compress", str(photo), "-k", "16", "--block", "3", "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert "60 × 60 pixels, 3 channels of 8 bits" in result.output
    assert "16 for blocks of 3 × 3" in result.output
    assert "bits per pixel  0.444, " in result.output
    assert f"written to      {out}" in result.output
    assert np.asarray(Image.open(out)).shape == (60, 60, 3)


def test_json_and_seed(photo, tmp_path):
    arguments = ["compress", str(photo), "-k", "4", "--block", "2x3", "--seed", "7", "--json"]
    first, second = (CliRunner().invoke(cli, arguments).output for _ in range(2))
    assert first == second
    figures = json.loads(first)
    assert figures["codes"] == 4
    assert figures["block"] == [2, 3]
    assert figures["bits_per_pixel"] == pytest.approx(2 / 6)
    assert figures["total_bits"] == 30 * 20 * 2 + 4 * 18 * 8
    assert figures["output"] is None
    assert sorted(os.listdir(tmp_path)) == ["photo.png"]


def test_a_lossless_picture_has_no_psnr(tmp_path):
    Image.new("L", (8, 8), 3).save(tmp_path / "plain.png")
    result = CliRunner().invoke(cli, ["compress", str(tmp_path / "plain.png"), "--json"])
    assert json.loads(result.output)["psnr"] is None
    assert "nothing was lost" in CliRunner().invoke(cli, ["compress", str(tmp_path / "plain.png")]).output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{photo}", "-o", "{photo}"], "not overwritten"),
        (["{photo}", "-o", "{tmp}/link.png"], "not overwritten"),
        (["{photo}", "-o", "{tmp}"], "folder"),
        (["{photo}", "-o", "{tmp}/none/out.png"], "no folder"),
        (["{photo}", "-o", "{tmp}/out.xyz"], "cannot be written"),
        (["{photo}", "-k", "0"], "-k"),
        (["{photo}", "--block", "0"], "block"),
        (["{photo}", "--block", "3x"], "block"),
        (["{photo}", "--seed", "-1"], "--seed"),
        (["{tmp}/none.png"], "no file"),
        (["{tmp}/text.png"], "not a picture"),
        ([], "PICTURE"),
    ],
)
def test_bad_input_ends_in_one_line(arguments, said, photo, tmp_path, capsys):
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "link.png").symlink_to(photo)
    before = photo.read_bytes()
    assert run(["compress", *(argument.format(photo=photo, tmp=tmp_path) for argument in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("suffice: error: ")
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert photo.read_bytes() == before


def test_without_pillow(photo, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    assert run(["compress", str(photo)]) == 2
    assert capsys.readouterr().err.strip().endswith("pip install 'suffice[images]'")
