"""Choosing the number of clusters: each criterion against its definition or scikit-learn."""

import numpy as np
import pytest
import sklearn.cluster as sk
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

import suffice as sf
from suffice.engine import limits, recording
from suffice.errors import InvalidData, InvalidParameter, SufficeWarning, TimeLimit
from suffice.selection import CRITERIA, Scores, criteria, criterion, select_k

SMALL = {"references": 3, "folds": 3, "random_state": 0}


@pytest.fixture
def blobs(rng):
    """Four groups of 25 rows."""
    centres = np.array([(0, 0), (6, 0), (0, 6), (6, 6)])
    return np.concatenate([rng.normal(c, 0.5, (25, 2)) for c in centres])


def test_all_criteria_but_held_out_find_four_groups(blobs):
    found = select_k(sf.KMeans(n_init=5), blobs, range(1, 9), **SMALL)
    assert found.best == {"elbow": 4, "penalty": 4, "silhouette": 4, "gap": 4}
    assert found.recommended == 4
    table = found.table
    assert list(table) == [
        "k", "cost", "elbow", "penalty", "silhouette", "silhouette_spread", "gap", "gap_spread", "held_out",
        "held_out_spread",
    ]  # fmt: skip
    assert {len(column) for column in table.values()} == {8}
    lines = str(found).splitlines()
    assert lines[0].split() == ["k", "cost", *found.scores]
    assert lines[-1] == "recommended: k = 4"
    assert lines[-2] == "held_out is shown, but chooses no k"
    assert lines[-4].split() == ["best", "4", "4", "4", "4"]


def test_costs_are_those_of_the_model(blobs):
    found = select_k(sk.KMeans(n_init=2, random_state=3), blobs, [2, 5, 3], ["elbow"])
    assert found.ks == (2, 3, 5)
    expected = [sk.KMeans(k, n_init=2, random_state=3).fit(blobs).inertia_ for k in (2, 3, 5)]
    assert_allclose(found.costs, expected)


def test_elbow_is_the_distance_to_the_chord():
    trial = criteria.Trial(None, (1, 2, 3, 5), np.array([100.0, 40, 30, 20]), 2)
    found = CRITERIA["elbow"].score(trial)
    points = np.array([(0, 1), (0.25, 0.25), (0.5, 0.125), (1, 0)])
    assert_allclose(found.values, (1 - points.sum(axis=1)) / np.sqrt(2), atol=1e-12)
    assert found.best == 2
    flat = criteria.Trial(None, (1, 2, 3), np.zeros(3), 2)
    assert CRITERIA["elbow"].score(flat).best == 1


def test_penalty_adds_lambda_for_each_cluster(blobs):
    found = select_k(sf.KMeans(), blobs, range(1, 6), ["penalty"], penalty=10, random_state=0)
    assert_allclose(found.table["penalty"], found.costs + 10 * np.arange(1, 6))
    assert select_k(sf.KMeans(), blobs, range(1, 6), "penalty", penalty=1e9, random_state=0).recommended == 1
    assert select_k(sf.KMeans(), blobs, [2, 4], "penalty", random_state=0).recommended == 4


def test_silhouette_is_that_of_scikit_learn(blobs):
    found = select_k(sk.KMeans(n_init=1, random_state=0), blobs, range(1, 7), ["silhouette"])
    assert np.isnan(found.table["silhouette"][0])
    for k in range(2, 7):
        labels = sk.KMeans(k, n_init=1, random_state=0).fit_predict(blobs)
        assert found.table["silhouette"][k - 1] == pytest.approx(metrics.silhouette_score(blobs, labels))


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_are_sampled(rng, weighted, monkeypatch):
    monkeypatch.setattr(criteria, "MOST_ROWS", 300)
    monkeypatch.setattr(criteria, "REFERENCE_ROWS", 200)
    X = np.concatenate([rng.normal(c, 1, (800, 2)) for c in (0, 12)])
    weight = rng.integers(0, 3, 1600) if weighted else None
    found = select_k(sf.KMeans(n_init=3), X, range(1, 5), ["silhouette", "gap"], sample_weight=weight, **SMALL)
    assert found.best == {"silhouette": 2, "gap": 2}
    whole = metrics.silhouette_score(X, X[:, 0] > 6)
    assert found.table["silhouette"][1] == pytest.approx(whole, abs=0.05)


def test_gap_follows_its_definition(blobs):
    model = sk.KMeans(n_init=1, random_state=0)
    found = select_k(model, blobs, [1, 2, 3], ["gap"], references=4, random_state=5)
    seed = int(np.random.default_rng(5).integers(2**31))
    rng = np.random.default_rng([seed, *b"gap"])
    logs = []
    for _ in range(4):
        rows = criteria._shapeless(blobs, None, 100, rng)
        logs.append([np.log(sk.KMeans(k, n_init=1, random_state=0).fit(rows).inertia_) for k in (1, 2, 3)])
    assert_allclose(found.table["gap"], np.mean(logs, axis=0) - np.log(found.costs))
    assert_allclose(found.table["gap_spread"], np.std(logs, axis=0) * np.sqrt(1.25))


def test_shapeless_rows_fill_the_box_along_the_axes(rng):
    middle = np.array([10, 20])
    line = np.outer(np.linspace(-1, 1, 50), (3, 4)) + middle
    drawn = criteria._shapeless(line, None, 500, rng) - middle
    assert_allclose(drawn[:, 0] * 4, drawn[:, 1] * 3, atol=1e-9)
    assert 4.9 < np.linalg.norm(drawn, axis=1).max() <= 5 + 1e-9


def test_no_structure_is_one_cluster(rng):
    found = select_k(sf.KMeans(n_init=3), rng.uniform(size=(200, 2)), range(1, 5), ["gap"], random_state=0)
    assert found.best["gap"] == 1


def test_held_out_rows_cost_more_and_folds_are_fixed(blobs):
    runs = [select_k(sk.KMeans(n_init=1, random_state=0), blobs, range(1, 8), ["held_out"]) for _ in range(2)]
    assert_array_equal(runs[0].table["held_out"], runs[1].table["held_out"])
    assert np.all(runs[0].table["held_out"] * 100 > runs[0].costs)


def test_held_out_cost_falls_with_k_and_does_not_vote(blobs):
    seen = select_k(sf.KMeans(n_init=5), blobs, range(1, 9), ["silhouette", "held_out"], random_state=0)
    assert np.argmin(seen.table["held_out"]) + 1 > 4
    assert seen.best == {"silhouette": 4}
    assert seen.recommended == 4
    assert [curve.best for curve in seen.plot(ax=False).curves] == [None, 4, None]
    alone = select_k(sf.KMeans(n_init=5), blobs, [2, 3], ["held_out"], random_state=0)
    assert str(alone).splitlines()[-1] == "held_out is shown, but chooses no k"
    with pytest.raises(InvalidParameter, match="held_out chose no k; ask for another criterion"):
        alone.recommended  # noqa: B018


def test_weights_are_repeated_rows_for_the_costs(blobs, rng):
    weight = rng.integers(0, 3, 100)
    init = {"init": "k-means++", "n_init": 10}
    names = ["elbow", "penalty", "silhouette"]
    weighted = select_k(sf.KMeans(**init), blobs, range(1, 6), names, sample_weight=weight, random_state=0)
    repeated = select_k(sf.KMeans(**init), blobs.repeat(weight, axis=0), range(1, 6), names, random_state=0)
    for name in ("cost", *names):
        assert_allclose(weighted.table[name][:4], repeated.table[name][:4], rtol=1e-6, err_msg=name)


def test_the_same_seed_gives_the_same_selection(blobs):
    first, second = (select_k(sf.KMeans(), blobs, range(1, 6), **SMALL) for _ in range(2))
    alone = select_k(sf.KMeans(), blobs, range(1, 6), ["gap"], **SMALL)
    assert str(first) == str(second)
    assert_array_equal(alone.table["gap"], first.table["gap"])


def test_frames_and_files(blobs, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(blobs, columns=["a", "b"])
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format="%.17g")
    names = ["elbow", "penalty"]
    from_frame = select_k(sf.KMeans(n_init=5), frame, range(1, 8), names, random_state=0)
    source = sf.scan(tmp_path / "rows.csv")
    from_file = select_k(sf.KMeans(n_init=5), source, range(1, 8), names, random_state=0)
    assert from_file.best == from_frame.best == {"elbow": 4, "penalty": 4}
    with pytest.raises(InvalidData, match=r"silhouette needs the rows in memory.*elbow, penalty"):
        select_k(sf.KMeans(), source, range(1, 8), ["elbow", "silhouette"])


def test_few_and_equal_rows():
    rows = np.repeat([[0.0, 0], [5, 5], [9, 1]], 4, axis=0)
    with pytest.warns(SufficeWarning, match="fewer distinct rows"):
        found = select_k(sf.KMeans(n_init=3), rows, range(1, 6), **SMALL)
    assert found.best["gap"] == found.best["silhouette"] == 3
    one = select_k(sf.KMeans(), [[1.0, 2.0]], [1], ["penalty", "silhouette", "gap", "held_out"])
    assert one.recommended == 1


def test_observers_see_a_selection_with_its_fits(blobs):
    with recording() as trace:
        select_k(sf.KMeans(), blobs, [1, 2, 3], ["elbow"])
    assert [fit.name for fit in trace.fits] == ["select_k", "KMeans", "KMeans", "KMeans"]
    assert trace.fits[0].status == "converged"
    assert [done.metrics["k"] for done in trace.fits[0].iterations] == [1, 2, 3]
    with limits(seconds=1e-9), pytest.raises(TimeLimit):
        select_k(sf.KMeans(), blobs, [1, 2, 3], ["elbow"])


def test_a_new_criterion_is_one_function(blobs):
    @criterion("last", needs_rows=False)
    def last(trial):
        return Scores(np.zeros(len(trial.ks)), trial.ks[-1])

    try:
        assert select_k(sf.KMeans(), blobs, [1, 2], ["last"]).recommended == 2
    finally:
        del CRITERIA["last"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": []}, "k must be integers"),
        ({"k": [0, 1]}, "k must be integers, at least 1"),
        ({"k": [1.5]}, "k must be integers"),
        ({"k": [1, 101]}, "at most the number of rows, 100; got 101"),
        ({"k": [1, 2]}, "at least 3 values of k"),
        ({"criteria": ["gaps"]}, "Did you mean 'gap'"),
        ({"criteria": []}, "at least 1"),
        ({"penalty": -1}, "penalty must be a number"),
        ({"references": 0}, "references must be an integer, at least 1"),
        ({"folds": 1}, "folds must be an integer, at least 2"),
        ({"model": sf.PCA()}, "n_clusters"),
        ({"model": sk.AgglomerativeClustering()}, "neither inertia_ nor score"),
        ({"model": sk.AgglomerativeClustering(), "sample_weight": np.ones(100)}, "takes no sample_weight"),
    ],
)
def test_bad_arguments_are_one_sentence(blobs, change, words):
    arguments = {"model": sf.KMeans(), "X": blobs, "k": range(1, 5), "criteria": ["elbow"], **change}
    with pytest.raises(InvalidParameter, match=words):
        select_k(**arguments)


def test_bad_rows_are_one_sentence(blobs):
    blobs[3, 1] = np.nan
    with pytest.raises(InvalidData, match="select_k: column 1, row 3 holds NaN"):
        select_k(sf.KMeans(), blobs)


def test_no_more_clusters_than_rows_are_tried():
    X = np.random.default_rng(0).normal(size=(6, 2))
    assert select_k(sf.KMeans(n_init=1), X, criteria=["elbow", "silhouette"], random_state=0).ks == (1, 2, 3, 4, 5, 6)
    assert select_k(sf.KMeans(n_init=1), X.repeat(4, axis=0) + np.arange(24)[:, None], criteria=["elbow"]).ks[-1] == 14
