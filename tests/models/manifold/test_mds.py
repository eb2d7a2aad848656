"""Scaling by stress: R's figures, scikit-learn's, invariances, ties, gaps, weights, new rows, bad input."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.stats import kendalltau
from sklearn import manifold as theirs

import suffice as sf
from suffice.backend import scaling
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, NotConverged
from suffice.models.manifold.pairs import Pairs
from suffice.models.manifold.stress import RankStress, Stress

pytestmark = pytest.mark.native

CITIES = sf.datasets.load("us_city_distances").matrix()
KINDS = ("metric", "nonmetric", "sammon")


def given(kind="metric", k=2, **more):
    return sf.MDS(k, kind=kind, metric="precomputed", **more)


@pytest.fixture(scope="module")
def swiss():
    """The distances of R's examples of sammon and isoMDS: `dist(as.matrix(swiss[, -1]))`."""
    with (Path(__file__).parents[2] / "reference" / "swiss.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    return squareform(pdist(np.array([row[-5:] for row in rows], dtype=float)))


def test_what_r_prints_for_the_swiss_provinces(swiss):
    """isoMDS: initial value 2.979731, final value 2.338839; sammon: 0.00824, then 0.00383 (Venables and Ripley)."""
    pairs = Pairs.of(swiss, np.ones(47), None, "test")
    start = sf.ClassicalMDS(2, metric="precomputed").fit_transform(swiss)
    assert round(100 * RankStress(pairs).at(start).stress, 6) == 2.979731
    sammon = Stress(pairs.by_dissimilarity(np.arange(47), "test"), relative=True)
    plain = scaling.guttman(start / pairs.unit, sammon.pairs.delta, sammon.pairs.weight, sammon.pairs.mass)
    assert round(plain.stress / sammon.whole, 5) == 0.00824
    tight = {"eps": 1e-10, "max_iter": 5000}
    assert 100 * given("nonmetric", **tight).fit(swiss).stress_ < 2.338839
    assert given("sammon", **tight).fit(swiss).stress_ < 0.00383


@pytest.mark.parametrize("kind", KINDS)
def test_the_stress_is_that_of_the_map_and_falls(swiss, kind):
    model = given(kind, eps=1e-9, max_iter=2000).fit(swiss)
    d, delta = pdist(model.embedding_), squareform(swiss, checks=False)
    target = model._map.aimed_at(delta)
    expected = {
        "metric": np.sum((delta - d) ** 2),
        "sammon": np.sum((delta - d) ** 2 / delta) / delta.sum(),
        "nonmetric": np.sqrt(np.sum((target - d) ** 2) / np.sum(d**2)),
    }[kind]
    near = 1e-3 if kind == "nonmetric" else 1e-6  # two pairs tie
    assert_allclose(model.stress_, expected, rtol=near)
    assert_allclose(model.history_.objective[-1], model.stress_)
    assert_allclose(model.stress_1_, np.sqrt(np.sum((target - d) ** 2) / np.sum(d**2)), rtol=near)
    assert np.all(np.diff(model.history_.objective) <= 0)
    assert model.n_iter_ == len(model.history_) > 3


@pytest.mark.parametrize("metric", [True, False])
def test_as_low_as_scikit_learns(metric):
    rng = np.random.default_rng(1)
    X, start = rng.normal(size=(80, 6)), rng.normal(size=(80, 2))
    options = {"metric_mds": metric, "max_iter": 2000, "normalized_stress": True}
    ours = sf.MDS(2, eps=1e-9, init=start, **options).fit(X)
    other = theirs.MDS(2, eps=1e-9, init="random", n_init=1, **options)
    other.fit(X, init=start)
    assert ours.stress_ <= other.stress_ * 1.01
    assert ours.n_iter_ < other.n_iter_


def test_a_map_of_points_is_found_again():
    X = np.random.default_rng(2).normal(size=(30, 2)) * [3, 1]
    for kind in ("metric", "sammon"):
        model = sf.MDS(2, kind=kind, init="random", n_init=8, eps=0, max_iter=300, random_state=0)
        with pytest.warns(NotConverged, match="raise max_iter"):
            model.fit(X)
        assert_allclose(pdist(model.embedding_), pdist(X), rtol=1e-4)


def test_only_the_order_counts_if_nonmetric():
    X = np.random.default_rng(3).normal(size=(40, 4))
    D = cdist(X, X)
    maps = [
        given("nonmetric", init="random", random_state=5).fit_transform(own) for own in (D, D**3, np.expm1(D), 1e9 * D)
    ]
    for other in maps[1:]:
        assert_allclose(other, maps[0], atol=1e-9)
    assert_allclose(np.mean(pdist(maps[0]) ** 2), 1)


def test_ties():
    """Ratings with ties: equal dissimilarities get equal disparities, or not."""
    rng = np.random.default_rng(4)
    D = squareform(rng.integers(1, 4, 66).astype(float))
    found = {ties: given("nonmetric", ties=ties, eps=1e-9, max_iter=3000).fit(D) for ties in ("primary", "secondary")}
    assert found["primary"].stress_ < found["secondary"].stress_
    rise = found["secondary"]._map.rise
    assert rise[0].tolist() == [1, 2, 3]
    distance = pdist(found["secondary"].embedding_)
    means = [distance[squareform(D) == level].mean() for level in (1, 2, 3)]
    assert np.all(np.diff(rise[1]) >= 0)
    assert kendalltau(means, rise[1]).statistic > 0.9


def test_a_bad_start_does_not_collapse():
    """The raw stress of rising functions would be 0 for points that are all equal."""
    model = given("nonmetric", init=np.full((10, 2), 1e-30) + 1e-31 * np.arange(20).reshape(10, 2)).fit(CITIES)
    assert pdist(model.embedding_).min() > 0.01


def test_missing_dissimilarities():
    D = CITIES.copy()
    rng = np.random.default_rng(6)
    for i, j in rng.permutation(np.argwhere(np.triu(D, 1)))[:15]:
        D[i, j] = D[j, i] = np.nan
    D[2, 5] = np.nan  # known in the other direction
    for kind, size in (("metric", 15), ("sammon", 15), ("nonmetric", 400)):
        model = given(kind, eps=1e-9, max_iter=5000).fit(D)
        found = pdist(model.embedding_)
        found *= squareform(CITIES) @ found / (found @ found)
        assert np.abs(found - squareform(CITIES)).max() < size * 2, kind
    new = np.full((1, 10), np.nan)
    new[0, [0, 1, 8]] = CITIES[2, [0, 1, 8]]
    place = given(eps=1e-9).fit(CITIES).transform(new)
    assert np.linalg.norm(place - given(eps=1e-9).fit(CITIES).embedding_[2]) < 10
    with pytest.raises(InvalidData, match="row 1 has no dissimilarity to any object"):
        given().fit(CITIES).transform(np.vstack([CITIES[:1], np.full((1, 10), np.nan)]))


def test_objects_in_groups_without_a_dissimilarity_between_them():
    D = CITIES.copy()
    D[:4, 4:] = D[4:, :4] = np.nan
    with pytest.raises(InvalidData, match=r"fall into 2 groups between which no dissimilarity is known.*0 and 4"):
        given().fit(D)


def test_weights_of_pairs(swiss):
    """Those of Sammon's stress; pairs of weight 0 are missing; of equal weights nothing changes."""
    tight = {"eps": 1e-13, "max_iter": 20000}
    weight = np.divide(1, swiss, out=np.zeros_like(swiss), where=swiss > 0)
    weighted = given(pair_weights=weight, **tight).fit(swiss)
    sammon = given("sammon", **tight).fit(swiss)
    assert_allclose(weighted.embedding_, sammon.embedding_, atol=1e-3)
    assert_allclose(weighted.stress_ / squareform(swiss).sum(), sammon.stress_, rtol=1e-6)
    gaps = CITIES.copy()
    gaps[0, 1:4] = gaps[1:4, 0] = np.nan
    holes = given(pair_weights=np.where(np.isnan(gaps), 0.0, 3.0), **tight).fit(CITIES)
    missing = given(**tight).fit(gaps)
    assert_allclose(pdist(holes.embedding_), pdist(missing.embedding_), rtol=1e-3)
    assert_allclose(given(pair_weights=np.full((10, 10), 2.0)).fit(CITIES).stress_, 2 * given().fit(CITIES).stress_)


@pytest.mark.parametrize("kind", KINDS)
def test_new_rows_have_the_least_stress_of_their_own(kind):
    rng = np.random.default_rng(7)
    X, new = rng.normal(size=(60, 3)) * [4, 2, 0.3], rng.normal(size=(20, 3)) * [4, 2, 0.3]
    model = sf.MDS(2, kind=kind, eps=1e-9, max_iter=2000).fit(X)
    D = cdist(new, X)
    for row, place in zip(D, model.transform(new), strict=True):
        target, weight = model._map.aimed_at(row), 1 / row if kind == "sammon" else np.ones(60)

        def own(z, target=target, weight=weight):
            return weight @ (target - np.linalg.norm(z - model.embedding_, axis=1)) ** 2

        assert own(place) <= minimize(own, model.embedding_[np.argmin(row)]).fun * (1 + 1e-6)


@pytest.mark.parametrize("kind", [*KINDS, "classical"])
def test_rows_of_the_fit_are_where_they_are(kind):
    X = np.random.default_rng(8).normal(size=(50, 4))
    X[30:] = X[:20]  # copies
    model = sf.MDS(2, kind=kind, metric="manhattan").fit(X)
    assert_allclose(model.transform(X), model.embedding_, atol=1e-9)
    assert_allclose(model.embedding_[30:], model.embedding_[:20])


@pytest.mark.parametrize("kind", KINDS)
def test_landmarks(kind):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(600, 5)) * [6, 4, 0.3, 0.3, 0.3]
    model = sf.MDS(2, kind=kind, landmarks=80, random_state=0).fit(X)
    assert_allclose(model.transform(X), model.embedding_)
    some = rng.permutation(600)[:200]
    assert np.corrcoef(pdist(model.embedding_[some]), pdist(X[some]))[0, 1] > 0.99
    with pytest.raises(MemoryNeeded, match="landmarks=500"):
        sf.MDS(2, kind=kind, memory=1 << 20).fit(X)


def test_several_starts():
    model = given("metric", 1, init="random", n_init=8, random_state=0).fit(CITIES)
    assert len(model.history_.finals) == 8
    assert_allclose(model.stress_, min(model.history_.finals))
    again = given("metric", 1, init="random", n_init=8, random_state=0).fit(CITIES)
    assert again.embedding_.tobytes() == model.embedding_.tobytes()
    assert given("metric", 1, n_init=4, random_state=0).fit(CITIES).stress_ <= given("metric", 1).fit(CITIES).stress_


def test_equal_rows_in_sammons_stress():
    X = np.random.default_rng(10).normal(size=(20, 3))
    X = np.vstack([X, X[:5]])
    assert sf.MDS(2, kind="sammon").fit(X).stress_ < 0.2
    D = CITIES.copy()
    D[1, 2] = D[2, 1] = 0
    with pytest.raises(InvalidData, match="rows 1 and 2, which differ, is 0, and Sammon's stress divides by it"):
        given("sammon").fit(D)
    assert given("metric").fit(D).stress_ > 0


@pytest.mark.parametrize("kind", [*KINDS, "classical"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(kind, n):
    X = np.random.default_rng(n).normal(size=(n, 4))
    Z = sf.MDS(3, kind=kind).fit_transform(X)
    assert Z.shape == (n, 3)
    if kind != "nonmetric":
        assert_allclose(pdist(Z), pdist(X), rtol=1e-4)


def test_equal_rows_alone():
    for kind in (*KINDS, "classical"):
        model = sf.MDS(2, kind=kind).fit(np.ones((5, 3)))
        assert_allclose(model.embedding_, 0)
        assert model.stress_ == 0
        assert_allclose(model.transform(np.ones((2, 3))), 0)


def test_scikit_learns_name_of_nonmetric():
    assert sf.MDS(metric_mds=False).fit(CITIES).history_.objective[-1] < 1
    with pytest.raises(InvalidParameter, match="metric_mds=False is kind='nonmetric'; got kind='sammon'"):
        sf.MDS(metric_mds=False, kind="sammon").fit(CITIES)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (given(pair_weights=np.ones((3, 3))), r"pair_weights must have one row .* shape \(10, 10\)"),
        (given(pair_weights=-np.ones((10, 10))), "pair_weights must be symmetric, none below 0"),
        (given(pair_weights=np.ones((10, 10)), landmarks=5), "pair_weights must be None with landmarks"),
        (given(init=np.ones((3, 2))), r"init must have one row an object.* shape \(10, 2\)"),
        (given(init="best"), "init must be 'classical_mds', or 'random'"),
    ],
)
def test_parameters_that_do_not_fit(model, message):
    with pytest.raises(InvalidParameter, match=message):
        model.fit(CITIES)


def test_all_pairs_of_weight_0():
    with pytest.raises(InvalidData, match="all pair_weights are 0"):
        given(pair_weights=np.zeros((10, 10))).fit(CITIES)
