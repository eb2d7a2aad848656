"""The player steps support vector machines and the kernel perceptron: decisions, support vectors, costs."""

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
    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    return X, np.where((X**2).sum(axis=1) < 0.45, "in", "out")


@pytest.fixture(scope="module")
def fitted(rows):
    with sf.recording() as trace:
        models = [model.fit(*rows) for model in (sf.SVC(C=10), sf.KernelPerceptron(gamma=4.0), sf.NuSVC(0.2))]
    return models, trace


@pytest.fixture(scope="module")
def films(rows, fitted):
    return sf.player(fitted[1], rows[0]).films


def nodes(film):
    across, up = film["nodes"]
    return np.column_stack([np.tile(across, len(up)), np.repeat(up, len(across))])


def test_the_last_frame_is_the_model(rows, fitted, films):
    for model, film in zip(fitted[0], films, strict=True):
        last = film["frames"][-1]
        assert film["kind"] == "decisions"
        assert film["labels"] == "".join(DIGITS[code] for code in np.searchsorted(model.classes_, rows[1]))
        decisions = model.decision_function(nodes(film))
        np.testing.assert_allclose(np.ravel(last["decisions"]), decisions, rtol=0.01, atol=1e-3 * np.ptp(decisions))
    machine, perceptron = fitted[0][:2]
    assert films[0]["frames"][-1]["rings"] == sorted(machine.support_.tolist())
    assert len(films[1]["frames"][-1]["rings"]) == len(perceptron.X_fit_)


def test_a_machine_meets_its_bound(fitted, films):
    film, model = films[0], fitted[0][0]
    assert film["levels"] == [-1, 0, 1]
    assert film["frames"][0]["said"].startswith("1 pair of variables moved: 2 support vectors, duality gap ")
    primal, dual = (np.array(curve["values"]) for curve in film["curves"])
    assert np.all(np.diff(dual) > -1e-9)
    assert np.all(primal >= dual)
    assert primal[-1] - dual[-1] == pytest.approx(model.history_.metric("gap")[-1])
    assert film["iterations"][-1]["objective"] == pytest.approx(-dual[-1])


def test_a_perceptron_is_seen_row_by_row(films):
    film = films[1]
    assert (film["levels"], film["turn"]) == ([0], "epoch")
    first, second = film["frames"][:2]
    assert len(first["rings"]) == 1
    assert len(second["rings"]) == 2
    assert first["sizes"][first["rings"][0]] == max(first["sizes"])
    assert "added: 2 support vectors" in second["said"]
    assert film["frames"][-1]["said"].startswith("0 mistakes")
    assert film["curves"][0]["values"][-1] == 0


@pytest.mark.parametrize(
    "model", [sf.SVC(C=10), sf.SVC(C=10, max_iter=30), sf.NuSVC(0.2), sf.KernelPerceptron(gamma=4.0, budget=8)]
)
@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
def test_who_is_watched_learns_the_same(rows, model):
    alone = model.fit(*rows)
    held = alone.dual_coef_.copy(), alone.intercept_.copy()
    with sf.recording(), sf.recording() as inner, sf.limits(seconds=100):
        watched = model.fit(*rows)
    np.testing.assert_array_equal(watched.dual_coef_, held[0])
    np.testing.assert_array_equal(watched.intercept_, held[1])
    assert len(inner.fits[0].snapshots) == len(watched.history_)
    assert len(sf.player(inner, rows[0]).films[0]["frames"]) > 5


def test_states_are_kept_for_recordings_alone(rows):
    with sf.limits(seconds=100):
        assert len(sf.SVC(C=10).fit(*rows).history_) == 1


def test_a_trace_from_a_file_shows_the_same(rows, fitted, films, tmp_path):
    fitted[1].save(tmp_path / "trace.jsonl")
    assert sf.player(Trace.load(tmp_path / "trace.jsonl"), rows[0]).films == films


def test_more_rows_than_are_solved_at_once(rng):
    X = rng.normal(size=(1700, 2)).astype(np.float32)
    with sf.recording() as trace:
        model = sf.SVC().fit(X, X[:, 0] * X[:, 1] > 0)
    (film,) = sf.player(trace, X).films
    assert (film["kind"], len(film["points"])) == ("decisions", 400)
    assert f"{len(model.support_)} support vectors, duality gap" in film["frames"][-1]["said"]
    assert len(film["frames"]) <= 48


@pytest.mark.parametrize("make", [sf.SVC, sf.KernelPerceptron])
@pytest.mark.parametrize(
    ("columns", "classes", "weight"), [(1, 2, None), (3, 2, None), (2, 3, None), (2, 2, [0.0] + [1.0] * 59)]
)
@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
def test_other_fits_say_what_can_be_shown(rng, make, columns, classes, weight):
    X = rng.normal(size=(60, columns))
    with sf.recording() as trace:
        make().fit(X, rng.integers(0, classes, 60), weight)
    player = sf.player(trace, X)
    if make is sf.KernelPerceptron and weight is not None:
        return  # its rows stay, with or without a weight
    assert player.films[0]["kind"] == "curve"
    assert "learns two classes from two dense columns" in player.to_html()


def test_rows_before_they_were_scaled_are_not_those_of_the_fit(rows):
    X, y = rows
    with sf.recording() as trace:
        sf.Pipeline([("scale", sf.StandardScaler()), ("svc", sf.SVC())]).fit(100 + X, y)
    assert {film["kind"] for film in sf.player(trace, 100 + X).films} == {"curve"}


def test_a_column_that_does_not_vary(rows):
    X, y = np.column_stack([rows[0][:, 0], np.ones(60)]), rows[1]
    with sf.recording() as trace:
        sf.SVC().fit(X, y)
    assert sf.player(trace, X).films[0]["kind"] == "decisions"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_scripts_draw_every_frame(films, tmp_path):
    shutil.copytree(STATIC, tmp_path / "js")
    (tmp_path / "js" / "package.json").write_text('{"type": "module"}')
    (tmp_path / "films.json").write_text(json.dumps(films))
    command = ["node", Path(__file__).with_name("player_in_node.mjs"), tmp_path / "js", tmp_path / "films.json"]
    lines = [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]
    assert len(lines) == sum(len(film["frames"]) for film in films)
    assert lines[0][1].startswith(f"iteration 1 of {len(films[0]['iterations'])}, 1 pair of variables moved")
