"""Every --json of every command is JSON that strict readers take, also where figures are not known."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from suffice.cli._json import as_json
from suffice.cli.main import cli, run


def _strict(text: str) -> object:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def _commands() -> list[str]:
    with click.Context(cli) as ctx:
        found = {name: cli.get_command(ctx, name) for name in cli.list_commands(ctx)}
        groups = {name: one.get_command(ctx, "KMeans") for name, one in found.items() if isinstance(one, click.Group)}
    return sorted(
        name
        for name, one in {**found, **groups}.items()
        if one is not None and any("--json" in option.opts for option in one.params)
    )


# One call at least of each command, on tables whose figures are partly unknown.
CALLS: dict[str, list[list[str]]] = {
    "compare": [["crabs", "--target", "sp", "--models", "GaussianNB", "--folds", "2"],
                ["{table}", "--target", "y", "--models", "LinearRegression", "--folds", "2", "--train"]],
    "compress": [["{picture}", "-k", "2"], ["{flat}", "-k", "1"]],
    "datasets": [[], ["crabs"]],
    "describe": [["{table}"], ["crabs"]],
    "fit": [["LinearRegression", "{table}", "--target", "y", "--columns", "a,b"], ["KMeans", "crabs"],
            ["PCA", "{table}", "--columns", "a"]],
    "models": [[], ["KMeans"], ["Lasso"]],
    "search": [["Ridge", "{table}", "--target", "y", "--try", "alpha=0.1,1", "--folds", "2"]],
    "report": [["{table}", "--target", "y", "--seconds", "0.2", "-o", "{tmp}/r.html"]],
}  # fmt: skip


def test_every_command_with_json_is_called() -> None:
    assert sorted(CALLS) == _commands()


@pytest.mark.parametrize(("name", "arguments"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_json_is_strict(name: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from suffice.models.pictures.images import save_image

    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.3f},1,,{i % 7},{i}" for i in range(24)]
    (tmp_path / "table.csv").write_text("\n".join(["a,constant,empty,b,y", *lines]), encoding="utf-8")
    save_image(rng.integers(256, size=(4, 4, 3), dtype=np.uint8), tmp_path / "picture.png")
    save_image(np.zeros((4, 4, 3), np.uint8), tmp_path / "flat.png")
    named = {"tmp": tmp_path, "table": tmp_path / "table.csv"}
    named |= {"picture": tmp_path / "picture.png", "flat": tmp_path / "flat.png"}
    assert run([name, *(argument.format(**named) for argument in arguments), "--json"]) == 0
    _strict(capsys.readouterr().out)


def test_what_json_does_not_know_is_null() -> None:
    values = {"a": np.nan, "b": np.array([1.0, np.inf]), "c": np.float32(2), "d": (np.bool_(True), None), 1: "é"}
    assert _strict(as_json(values)) == {"a": None, "b": [1.0, None], "c": 2.0, "d": [True, None], "1": "é"}


def test_results_that_are_written_as_json_are_strict(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n,y\n3,\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["datasets", "crabs", "-o", str(tmp_path / "p.json")])
    assert result.exit_code == 0
    _strict((tmp_path / "p.json").read_text(encoding="utf-8"))
