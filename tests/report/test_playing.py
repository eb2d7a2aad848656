"""The player shows the estimator's own numbers."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidData, NotConverged
from suffice.report import read_rows, scenes
from suffice.report.frames import kept_run
from suffice.report.row_names import row_names
from suffice.report.scenes import DIGITS, View

STATIC = Path(scenes.__file__).parent / "static"


@pytest.fixture(scope="module")
def X():
    return sf.datasets.load("crabs").matrix()


def recorded(model, X):
    with sf.recording() as trace:
        model.fit(X)
    return model, trace


def letters(labels):
    return "".join(DIGITS[label] for label in labels)


def test_kmeans_iteration_by_round(X):
    model, trace = recorded(sf.KMeans(3, n_init=4, random_state=0), X)
    film = sf.player(trace, X).films[0]
    assert film["kind"] == "centres"
    assert [r["objective"] for r in film["iterations"]] == model.history_.objective.tolist()
    assert film["frames"][-1]["labels"] == letters(model.predict(X))
    np.testing.assert_allclose(film["frames"][-1]["centres"], View.of(X).places(model.cluster_centers_), rtol=1e-3)


def test_a_mixture_iteration_by_round(X):
    model, trace = recorded(sf.GaussianMixture(3, random_state=0), X)
    film = sf.player(trace, X).films[0]
    assert film["kind"] == "mixture"
    assert [r["objective"] for r in film["iterations"]] == model.history_.objective.tolist()
    last = film["frames"][-1]
    assert last["labels"] == letters(model.predict(X))
    np.testing.assert_allclose([e["weight"] for e in last["ellipses"]], model.weights_)
    spread = View.of(X).spread(model.covariances_[0])
    np.testing.assert_allclose(last["ellipses"][0]["spread"], spread, rtol=1e-3)
    sure = [int(digit) for digit in last["sure"]]
    np.testing.assert_array_equal(sure, np.floor(model.predict_proba(X).max(axis=1) * 9.999))


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_every_covariance_has_its_ellipse(X, shape):
    model, trace = recorded(sf.GaussianMixture(2, covariance_type=shape, random_state=0), X[:, :2])
    last = sf.player(trace, X[:, :2]).films[0]["frames"][-1]
    covariance = {"full": lambda: model.covariances_[0], "tied": lambda: model.covariances_,
                  "diag": lambda: np.diag(model.covariances_[0]),
                  "spherical": lambda: model.covariances_[0] * np.eye(2)}[shape]()  # fmt: skip
    np.testing.assert_allclose(last["ellipses"][0]["spread"], covariance, rtol=1e-3, atol=1e-9)
    assert last["labels"] == letters(model.predict(X[:, :2]))


def test_kmeans_from_its_start_by_half_steps(X):
    model, trace = recorded(sf.KMeans(3, random_state=0), X)
    frames, history = sf.player(trace, X).films[0]["frames"], model.history_
    assert [frame["phase"] for frame in (frames[0], frames[-1])] == ["start", "end"]
    halves = frames[1:-1]
    assert [frame["value"] for frame in halves] == history.half_steps.ravel().tolist()
    assert np.all(np.diff(history.half_steps.ravel()) <= 1e-9 * history.objective[0])
    for first, second, after in zip(halves[::2], halves[1::2], [*halves[2::2], frames[-1]], strict=True):
        assert first["labels"] == second["labels"]  # the update moves centres only
        assert second["centres"] == after["centres"]  # and the assignment rows only
    start = trace.fits[0].starts[0]["cluster_centers_"]
    np.testing.assert_allclose(frames[0]["centres"], View.of(X).places(start), rtol=1e-3)


def test_em_from_its_start_by_half_steps(X):
    model, trace = recorded(sf.GaussianMixture(2, random_state=0), X[:, :2])
    frames, history = sf.player(trace, X[:, :2]).films[0]["frames"], model.history_
    assert frames[1]["phase"].startswith("E-step")
    assert frames[1]["ellipses"] == frames[0]["ellipses"] != frames[2]["ellipses"]
    assert np.all(np.diff(history.half_steps.ravel()) >= -1e-9)  # the free energy never falls
    np.testing.assert_allclose(history.half_steps[:, 0], history.objective)


def test_soft_and_median_clusters_have_their_own_colours(X):
    soft, trace = recorded(sf.SoftKMeans(2, beta=40.0, random_state=0), X)
    last = sf.player(trace, X).films[0]["frames"][-1]
    sure = np.floor(soft.predict_proba(X).max(axis=1) * 9.999)
    np.testing.assert_array_equal([int(digit) for digit in last["sure"]], sure)
    medians, trace = recorded(sf.KMedians(3, random_state=0), X)
    assert sf.player(trace, X).films[0]["frames"][-1]["labels"] == letters(medians.predict(X))


def test_every_stage_has_what_the_player_asks_for():
    """Scripts are only run by browsers, and a browser is not always there."""
    asked = set(re.findall(r"\bstage\.(\w+)", (STATIC / "player.js").read_text(encoding="utf-8")))
    assert {"draw", "iteration", "last", "values", "words"} <= asked
    for name, stages in (("plane.js", 2), ("tree.js", 1)):
        text = (STATIC / name).read_text(encoding="utf-8")
        for member in asked:
            assert len(re.findall(rf"^    {member}\b[:(]", text, re.MULTILINE)) >= stages, f"{name} has no {member}"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_scripts_show_every_frame(X, tmp_path):
    with sf.recording() as trace:
        kmeans = sf.KMeans(3, random_state=0).fit(X)
        for model in (
            sf.GaussianMixture(2, random_state=0),
            sf.AgglomerativeClustering(3),
            sf.PCA(2),
            sf.DPMeans(100.0),
        ):
            model.fit(X)
    shutil.copytree(STATIC, tmp_path / "js")
    (tmp_path / "js" / "package.json").write_text('{"type": "module"}')
    (tmp_path / "films.json").write_text(json.dumps(sf.player(trace, X).films))
    command = ["node", Path(__file__).with_name("player_in_node.mjs"), tmp_path / "js", tmp_path / "films.json"]
    lines = [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]
    said = [words for name, words, _ in lines if name == "KMeans"]
    assert said[0] == "the start"
    assert said[1].startswith(f"iteration 1 of {len(kmeans.history_)}, rows find their centres: objective ")
    assert {name for name, *_ in lines} == {"KMeans", "GaussianMixture", "AgglomerativeClustering", "PCA", "DPMeans"}


def test_a_tree(X):
    model, trace = recorded(sf.AgglomerativeClustering(3), X)
    film = sf.player(trace, X).films[0]
    assert film["kind"] == "tree"
    assert film["heights"] == model.distances_.tolist()
    assert film["children"] == model.children_.tolist()
    assert len(film["points"]) == len(X)


def test_missing_values_other_models_and_other_metrics(X):
    missing = X.copy()
    missing[::7, 2] = np.nan
    model, trace = recorded(sf.KMeans(2, random_state=0), missing)
    assert sf.player(trace, missing).films[0]["frames"][-1]["labels"] == letters(model.predict(missing))
    _, trace = recorded(sf.KMeans(2, metric="cosine", random_state=0), X)
    assert "labels" not in sf.player(trace, X).films[0]["frames"][0]
    _, trace = recorded(sf.PCA(2), X)
    assert sf.player(trace, X).films[0]["kind"] == "curve"


def test_without_rows_there_is_still_the_objective(X):
    _, trace = recorded(sf.KMeans(2, random_state=0), X)
    assert sf.player(trace).films[0]["kind"] == "curve"


def test_a_trace_from_a_file_plays_the_same(X, tmp_path):
    _, trace = recorded(sf.GaussianMixture(2, random_state=0), X)
    trace.save(tmp_path / "fit.jsonl")
    again = sf.Trace.load(tmp_path / "fit.jsonl")
    assert sf.player(again, X).films == sf.player(trace, X).films


def test_many_rows_and_iterations_are_thinned(rng):
    X = rng.normal(size=(2_000, 4))
    with pytest.warns(NotConverged):
        model, trace = recorded(sf.GaussianMixture(4, tol=0, max_iter=150, random_state=0), X)
    film = sf.player(trace, X).films[0]
    assert len(film["points"]) == 400
    assert film["total"] == 2_000
    assert len(film["frames"]) <= 80
    assert (film["frames"][0]["iteration"], film["frames"][-1]["iteration"]) == (0, len(film["iterations"]) - 1)
    assert len(film["iterations"]) == len(model.history_)


def test_the_kept_run_is_that_of_the_history(X):
    model, trace = recorded(sf.GaussianMixture(3, n_init=5, init_params="random_from_data", random_state=1), X)
    runs, best = kept_run(trace.fits[0])
    first, end = runs[best]
    assert [r.objective for r in trace.fits[0].iterations[first:end]] == model.history_.objective.tolist()


def test_the_page_stands_alone(X, tmp_path):
    _, trace = recorded(sf.KMeans(2, random_state=0), X)
    player = sf.player(trace, X, title="</script><b>")
    html = player.save(tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "http://www.w3.org/2000/svg" in html
    assert html.count("http") == 1
    assert "<b>" not in html
    data = html.split('<script type="application/json">')[1].split("</script>")[0]
    assert json.loads(data)["name"] == "KMeans"
    assert player._repr_html_().startswith('<iframe sandbox="allow-scripts" srcdoc=')


def test_what_cannot_be_played_is_refused():
    with pytest.raises(InvalidData, match="a trace is needed"):
        sf.player([1, 2])
    with sf.recording() as trace:
        pass
    with pytest.raises(InvalidData, match="the trace has no iterations"):
        sf.player(trace)


def test_rows_and_columns_have_their_names():
    arrests = sf.datasets.load("usarrests")
    frame = pd.DataFrame({name: arrests[name] for name in ("Murder", "Rape")})
    states = arrests["state"].tolist()
    with sf.recording() as trace:
        sf.KMeans(2, random_state=0).fit(frame)
        sf.AgglomerativeClustering(2).fit(frame)
    films = sf.player(trace, frame, row_names=states).films
    assert [film["names"] for film in films] == [states, states]
    assert films[0]["axes"] == ["Murder", "Rape"]
    assert "names" not in sf.player(trace, frame).films[0]
    with pytest.raises(InvalidData, match="row_names has 2 entries, and X has 50 rows"):
        sf.player(trace, frame, row_names=["a", "b"])


def test_the_column_that_names_rows_is_found():
    assert row_names(read_rows("usarrests"))[:2] == ["Alabama", "Alaska"]
    assert row_names(read_rows("iris")) is None
    assert row_names(read_rows(pd.DataFrame({"id": [3, 1, 2], "t": ["a", None, "b"]}))) is None
