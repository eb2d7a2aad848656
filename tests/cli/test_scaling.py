"""`cluster` and `reduce`: columns of other units, missing cells, and columns that are kept."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.cli.main import run


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_other_units_are_scaled_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "o.csv"
    arrests = sf.datasets.load("usarrests").matrix()
    for option, X in (([], sf.StandardScaler().fit(arrests).transform(arrests)), (["--no-scale"], arrests)):
        assert run(["reduce", "usarrests", *option, "-o", str(out)]) == 0
        said = capsys.readouterr().err
        assert ("columns are scaled, as standard deviations differ 19 times" in said) is (not option)
        pca0 = np.array([float(row["pca0"]) for row in _read(out)])
        np.testing.assert_allclose(np.abs(pca0), np.abs(sf.PCA(2).fit(X).transform(X)[:, 0]), rtol=1e-8, atol=1e-10)


def test_like_units_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cluster", "iris", "--keep", "species", "-o", str(tmp_path / "o.csv")]) == 0
    assert "scaled" not in capsys.readouterr().err
    assert list(_read(tmp_path / "o.csv")[0]) == ["species", "cluster"]


@pytest.mark.parametrize(
    "command", [["reduce"], ["cluster", "-k", "2"], ["cluster", "-k", "2", "--model", "AgglomerativeClustering"]]
)
def test_missing_cells_are_taken(command: list[str], tmp_path: Path) -> None:
    lines = [f"{i},{'' if i == 4 else i % 5},{1000 * i}" for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c", *lines]), encoding="utf-8")
    assert run([*command, str(tmp_path / "t.csv"), "-o", str(tmp_path / "o.csv")]) == 0
    assert len(_read(tmp_path / "o.csv")) == 30
