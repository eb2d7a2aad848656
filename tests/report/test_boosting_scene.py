"""The player shows boosting round by round: learners, weights of rows, regions, and the error below its bounds."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.engine.trace import Trace
from suffice.report import scenes
from suffice.report.scenes import DIGITS

pytestmark = pytest.mark.native
STATIC = Path(scenes.__file__).parent / "static"


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    return X, np.where((X**2).sum(axis=1) < 0.45, "in", "out")


@pytest.fixture(scope="module")
def fitted(rows):
    X, y = rows
    with sf.recording() as trace:
        model = sf.AdaBoostClassifier(n_estimators=8).fit(X, y)
    return model, trace


def cells(film, frame, name, X):
    """What the cells say in which rows lie."""
    across, up = film["cuts"]
    return [frame[name][np.searchsorted(up, x[1])][np.searchsorted(across, x[0])] for x in X]


def test_every_frame_is_the_model_after_a_round(rows, fitted):
    X, y = rows
    model, trace = fitted
    (film,) = sf.player(trace, X).films
    assert film["kind"] == "boosting"
    assert len(film["frames"]) == 2 * len(model.estimators_)
    codes = "".join(DIGITS[code] for code in np.searchsorted(model.classes_, y))
    assert film["labels"] == codes
    for t, said in enumerate(model.staged_predict(X)):
        seen, after = film["frames"][2 * t : 2 * t + 2]
        everyone = [DIGITS[code] for code in np.searchsorted(model.classes_, said)]
        assert cells(film, after, "region", X) == everyone
        own = [DIGITS[code] for code in np.searchsorted(model.classes_, model.estimators_[t].predict(X))]
        assert cells(film, seen, "learner", X) == own
        assert f"α = {model.estimator_weights_[t]:.3g}" in seen["said"]
        assert ("one class everywhere" in seen["said"]) == (len(set(own)) == 1)
    assert "region" not in film["frames"][0]  # nobody has voted yet
    assert len(set(film["frames"][0]["sizes"])) == 1
    heaviest = int(np.argmax(model.sample_weights_))
    assert film["frames"][-1]["sizes"][heaviest] == max(film["frames"][-1]["sizes"])
    curves = {curve["name"]: curve["values"] for curve in film["curves"]}
    assert curves["training error"] == model.history_.metric("training_error").tolist()
    assert np.all(np.array(curves["training error"]) <= curves["tight bound"])


def test_a_trace_from_a_file_shows_the_same(rows, fitted, tmp_path):
    X, _ = rows
    fitted[1].save(tmp_path / "trace.jsonl")
    assert sf.player(Trace.load(tmp_path / "trace.jsonl"), X).films == sf.player(fitted[1], X).films


def test_many_rows_and_other_learners(rng):
    X = rng.normal(size=(500, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=500), [-0.5, 0.5])
    with sf.recording() as trace:
        sf.AdaBoostClassifier(sf.GaussianNB(), n_estimators=3).fit(X, y)
    film = sf.player(trace, X).films[0]
    assert len(film["points"]) == len(film["labels"]) == len(film["frames"][0]["sizes"]) == 400
    assert [len(own) for own in film["cuts"]] == [47, 47]
    assert [curve["name"] for curve in film["curves"]] == ["training error"]  # the bounds are of two classes


@pytest.mark.parametrize("columns", [1, 3])
def test_other_tables_show_the_objective(rng, columns):
    X = rng.normal(size=(60, columns))
    with sf.recording() as trace:
        sf.AdaBoostClassifier(n_estimators=3).fit(X, X[:, 0] + 0.5 * rng.normal(size=60) > 0)
    assert "plane" not in trace.fits[0].snapshots[0]
    assert sf.player(trace, X).films[0]["kind"] == "curve"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_scripts_draw_every_frame(rows, fitted, tmp_path):
    shutil.copytree(STATIC, tmp_path / "js")
    (tmp_path / "js" / "package.json").write_text('{"type": "module"}')
    (tmp_path / "films.json").write_text(json.dumps(sf.player(fitted[1], rows[0]).films))
    command = ["node", Path(__file__).with_name("player_in_node.mjs"), tmp_path / "js", tmp_path / "films.json"]
    lines = [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]
    assert len(lines) == 16
    assert lines[0][1].startswith("round 1 of 8, a learner sees the weights")
