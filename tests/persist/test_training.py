"""The record of what a model learned from: kept beside it, checked when it is read, compared with other rows."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import InvalidModelFile, InvalidParameter
from suffice.persist import Training, load_training

TABLE = pa.table({"x": [0.0, 1.0, 10.0, None], "c": ["a", "b", "a", "b"], "d": ["u", "v", "u", "v"]})


def _record(**options: Any) -> Training:
    return Training.of(sf.describe(TABLE, top=1000, **options), ["x", "c", "d"], "d")


def test_the_record_comes_back(tmp_path: Path) -> None:
    path, record = tmp_path / "m.sff", _record()
    model = sf.KMeans(1).fit([[0.0], [1.0]])
    sf.save(model, path, record)
    assert load_training(path) == record
    assert sf.load(path).n_clusters == 1
    sf.save(model, path)
    assert load_training(path) is None


def _drift(**columns: Any) -> list[str]:
    return _record().drift(sf.describe(pa.table(columns), top=1000))


def test_what_is_like_the_fit_is_not_told() -> None:
    assert _drift(x=[-0.9, 10.9, 5.0, None], c=["a", "b", "a", "a"]) == []
    assert _drift(other=[1.0]) == []


def test_the_rows_of_the_fit_are_known_again() -> None:
    record, same = _record(), sf.describe(TABLE, top=1000)
    assert record.seems_same(same)
    assert not record.seems_same(sf.describe(pa.table({"x": [0.0] * same.rows, "c": ["a"] * same.rows}), top=1000))
    assert not record.seems_same(sf.describe(pa.table({"x": [1.0], "c": ["a"]}), top=1000))


def test_what_differs_is_told() -> None:
    assert _drift(x=[-1.5, 3.0]) == ["'x' holds values from -1.5 to 3, and the fit saw 0 to 10"]
    assert _drift(c=["a", "q"]) == ["'c' holds 'q' in 1 row, which the fit never saw"]
    (said,) = _drift(c=["a", None])
    assert said == "'c' is missing in 50.0% of the rows, and was in 0.0% of those of the fit"
    assert _drift(x=[1.0, None, 1.0, 1.0, 1.0]) == []  # fewer than in the fit
    assert len(_drift(x=[1.0, None, None])) == 1


@pytest.mark.parametrize(
    "damage",
    [
        None, [], {}, 7, "text",
        {"rows": -1}, {"rows": True}, {"columns": {}}, {"columns": [7]}, {"target": 3}, {"within": "wide"}, {"more": 1},
        {"columns": [{"name": 1}]}, {"level": None},
    ],
)  # fmt: skip
def test_a_damaged_record_is_refused(tmp_path: Path, damage: Any) -> None:
    sf.save(sf.KMeans(1).fit([[0.0], [1.0]]), tmp_path / "m.sff", _record())
    with zipfile.ZipFile(tmp_path / "m.sff") as file:
        members = {name: file.read(name) for name in file.namelist()}
    document = json.loads(members["model.json"])
    document["training"] = {**document["training"], **damage} if isinstance(damage, dict) and damage else damage
    members["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "bad.sff", "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    with pytest.raises(InvalidModelFile, match="training"):
        load_training(tmp_path / "bad.sff")


def test_steps_of_other_libraries_are_refused_by_name(tmp_path: Path) -> None:
    X = np.arange(8.0).reshape(4, 2)
    model = sf.make_pipeline(StandardScaler(), sf.KMeans(2)).fit(X)
    with pytest.raises(InvalidParameter, match="sklearn's StandardScaler, and a model file holds models of Suffice"):
        sf.save(model, tmp_path / "m.sff")
    assert list(tmp_path.iterdir()) == []
