"""The player shows the estimator's own numbers."""

import json

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData, NotConverged
from suffice.report.frames import DIGITS, View, kept_run


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
    first, end = kept_run(trace.fits[0])
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
