"""Soft, mini-batch, bisecting and DP-means: their limits, their updates, their objectives."""

import numpy as np
import pytest
import sklearn.cluster as sk
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_wine

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, NotConverged


@pytest.fixture(scope="module")
def faithful():
    return sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())


@pytest.fixture(scope="module")
def groups():
    rng = np.random.default_rng(3)
    return np.vstack([rng.normal(at, 0.3, (80, 2)) for at in ([0, 0], [5, 0], [0, 5], [6, 6])])


def test_soft_k_means_becomes_k_means_as_beta_falls(groups):
    start = groups[[0, 80, 160, 240]]
    hard = sf.KMeans(4, init=start, tol=0).fit(groups)
    soft = sf.SoftKMeans(4, beta=1e-3, init=start, tol=0).fit(groups)
    assert_allclose(soft.cluster_centers_, hard.cluster_centers_, rtol=1e-10)
    assert_allclose(soft.history_.objective[-1], hard.inertia_, rtol=1e-6)


def test_soft_shares_and_means_satisfy_their_equations(faithful):
    model = sf.SoftKMeans(2, beta=0.5, tol=0, max_iter=2000, random_state=0).fit(faithful)
    share = model.predict_proba(faithful)
    assert_allclose(share.sum(axis=1), 1)
    squared = model.transform(faithful) ** 2
    ratio = np.exp(-(squared[:, 0] - squared[:, 1]) / 0.5)
    assert_allclose(share[:, 0] / share[:, 1], ratio, rtol=1e-8)
    assert_allclose(model.cluster_centers_, share.T @ faithful / share.sum(axis=0)[:, None], rtol=1e-6)


def test_soft_free_energy_falls_at_every_half_step(faithful):
    history = sf.SoftKMeans(5, beta=0.3, random_state=1).fit(faithful).history_
    steps = np.column_stack([history.metric("assigned"), history.objective]).ravel()
    assert np.all(np.diff(steps) <= 1e-9 * np.abs(steps[1:]))


def test_one_point_update_of_the_notes():
    """μ ← μ + α (x − μ) with α = 1 / count, and with given steps."""
    start = np.array([[0.0], [10.0]])
    model = sf.MiniBatchKMeans(2, init=start).partial_fit([[0.0], [10.0]])
    centre, count = 0.0, 1
    for x in (1.0, 3.0, -2.0, 4.5):
        model.partial_fit([[x]])
        count += 1
        centre += (x - centre) / count
        assert model.cluster_centers_[0, 0] == pytest.approx(centre, rel=1e-12)
    assert model.counts_.tolist() == [5.0, 1.0]


@pytest.mark.parametrize(
    ("step", "rate"), [(1.0, lambda t: 1 / t), (0.7, lambda t: t**-0.7), (lambda t: 0.1, lambda t: 0.1)]
)
def test_robbins_monro_steps(step, rate):
    model = sf.MiniBatchKMeans(1, init=np.array([[2.0]]), step=step)
    centre = 2.0
    for t, x in enumerate((1.0, 3.0, -2.0, 4.5), start=1):
        model.partial_fit([[x]])
        centre += rate(t) * (x - centre)
        assert model.cluster_centers_[0, 0] == pytest.approx(centre, rel=1e-12)


def test_mini_batches_come_close_to_k_means(groups):
    whole, batches = sf.KMeans(4, random_state=0).fit(groups), sf.MiniBatchKMeans(4, batch_size=64, random_state=0)
    assert batches.fit(groups).inertia_ <= 1.05 * whole.inertia_
    assert len(batches.labels_) == len(groups)
    assert batches.predict(groups).tolist() == batches.labels_.tolist()


def test_mini_batches_from_a_file(groups, tmp_path):
    import pandas as pd

    rows = np.random.default_rng(0).permutation(groups)
    pd.DataFrame(rows, columns=["a", "b"]).to_parquet(tmp_path / "rows.parquet")
    model = sf.MiniBatchKMeans(4, batch_size=50, random_state=0).fit(sf.scan(tmp_path / "rows.parquet"))
    assert (
        -model.score(pd.DataFrame(groups, columns=["a", "b"]))
        <= 1.1 * sf.KMeans(4, random_state=0).fit(groups).inertia_
    )


def test_mini_batch_refusals(groups):
    with pytest.raises(InvalidData, match="n_samples=2 should be >= n_clusters=4"):
        sf.MiniBatchKMeans(4).partial_fit(groups[:2])
    with pytest.raises(InvalidParameter, match=r"step must be a number, at most 1, above 0\.5, or 'count'"):
        sf.MiniBatchKMeans(2, step=0.4).fit(groups)
    with pytest.raises(InvalidData, match="depends on all rows, which partial_fit cannot know"):
        sf.MiniBatchKMeans(2, metric="mahalanobis").partial_fit(groups)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_row_at_a_time_goes_on_while_the_cost_falls(seed):
    """The optimum is 611,606; a few rows without a lower mean cost say nothing."""
    model = sf.MiniBatchKMeans(3, batch_size=1, random_state=seed).fit(sf.datasets.load("xclara").matrix())
    assert model.inertia_ < 612_500


def test_dp_means_limits(faithful):
    one = sf.DPMeans(lam=np.inf).fit(faithful)
    assert one.n_clusters_ == 1
    assert_allclose(one.cluster_centers_[0], faithful.mean(axis=0), atol=1e-12)
    distinct = np.unique(faithful, axis=0)
    assert sf.DPMeans(lam=1e-12).fit(faithful).n_clusters_ == len(distinct)


@pytest.mark.parametrize("lam", [0.5, 2.0, 9.0, 100.0])
def test_dp_means_objective_falls_and_every_row_is_near(groups, lam):
    model = sf.DPMeans(lam=lam).fit(groups)
    assert np.all(np.diff(model.history_.objective) <= 1e-9)
    assert model.history_.objective[-1] == pytest.approx(model.inertia_ + lam * model.n_clusters_)
    assert (model.transform(groups).min(axis=1) ** 2).max() <= lam * (1 + 1e-9) or model.history_.status == "max_iter"


def test_dp_means_finds_the_groups(groups):
    model = sf.DPMeans(lam=100.0).fit(groups)
    assert model.n_clusters_ == 4
    assert sf.align(model.labels_, np.repeat([0, 1, 2, 3], 80)).accuracy == 1.0


@pytest.mark.parametrize(("name", "lam", "best"), [("xclara", 1e5, 911_606), ("xclara", 5000.0, 236_123)])
def test_dp_means_is_near_the_best_k_means_of_any_number(name, lam, best):
    """`best` is the lowest J + λK of k-means with twenty starts for each K up to 80."""
    model = sf.DPMeans(lam).fit(sf.datasets.load(name).matrix())
    assert model.inertia_ + lam * model.n_clusters_ < 1.01 * best


@pytest.mark.parametrize(
    ("lam", "best", "within"), [(39.8, 159.176, 1.0001), (4.0, 51.328, 1.0001), (1.0, 25.234, 1.06)]
)
def test_dp_means_of_the_geyser_is_near_the_best(faithful, lam, best, within):
    X = sf.StandardScaler().fit_transform(faithful)
    model = sf.DPMeans(lam).fit(X)
    assert model.inertia_ + lam * model.n_clusters_ < within * best
    doubled = sf.DPMeans(2 * lam).fit(X, sample_weight=np.full(len(X), 2.0))
    assert_allclose(np.sort(doubled.cluster_centers_, axis=0), np.sort(model.cluster_centers_, axis=0), atol=1e-9)


def test_dp_means_keeps_to_the_bound(groups):
    assert sf.DPMeans(lam=1e-6, max_clusters=7).fit(groups).n_clusters_ <= 7


@pytest.mark.parametrize("lam", [30.0, 50.0, 120.0])
def test_equally_wide_columns_do_not_leave_the_order_of_rows_a_say(lam):
    X = sf.StandardScaler().fit_transform(load_wine().data[:, :6])
    model = sf.DPMeans(lam).fit(X)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        other = sf.DPMeans(lam).fit(X[order])
        assert other.history_.objective[-1] == pytest.approx(model.history_.objective[-1], rel=1e-9)
        assert_array_equal(sf.align(other.labels_, model.labels_[order]).accuracy, 1.0)


def test_clusters_are_parted_across_their_longest_axis():
    X = load_digits().data[:800]
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    lam = 0.05 * np.sum(X**2)
    found = sf.DPMeans(lam).fit(X).history_.objective[-1]
    best = min(sk.KMeans(k, n_init=3, random_state=0).fit(X).inertia_ + lam * k for k in range(1, 6))
    assert found < 1.001 * best


@pytest.mark.parametrize("share", [0.2, 0.1, 0.05, 0.02])
def test_dp_means_of_a_ring_and_of_whole_numbers_is_near_the_best(share):
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 300)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.05, (300, 2))
    for X in (ring, rng.integers(0, 5, (100, 2)).astype(float)):
        lam = share * np.sum((X - X.mean(axis=0)) ** 2)
        found = sf.DPMeans(lam).fit(X).history_.objective[-1]
        best = min(sk.KMeans(k, n_init=5, random_state=0).fit(X).inertia_ + lam * k for k in range(1, 12))
        assert found < 1.02 * best


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_bisecting_tree(groups, strategy):
    model = sf.BisectingKMeans(4, bisecting_strategy=strategy, n_init=3, random_state=0).fit(groups)
    tree = model.tree_
    assert tree.children.shape == (7, 2)
    for node, (left, right) in enumerate(tree.children):
        if left >= 0:
            assert tree.weight[node] == pytest.approx(tree.weight[left] + tree.weight[right])
            assert tree.inertia[node] >= tree.inertia[left] + tree.inertia[right]
    assert model.predict(groups).tolist() == model.labels_.tolist()
    assert np.all(np.diff(model.history_.objective) <= 0)
    assert model.inertia_ <= 1.01 * sk.BisectingKMeans(4, n_init=3, random_state=0).fit(groups).inertia_


def test_bisecting_stops_where_rows_are_equal():
    with pytest.warns(NotConverged, match="only 2 of 4 clusters"):
        model = sf.BisectingKMeans(4, random_state=0).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
    assert model.inertia_ == 0


def test_bisecting_one_cluster(groups):
    model = sf.BisectingKMeans(1).fit(groups)
    assert model.inertia_ == pytest.approx(((groups - groups.mean(axis=0)) ** 2).sum())


def test_a_bisected_tree_is_a_hierarchy(groups):
    tree = sf.BisectingKMeans(4, random_state=0).fit(groups).tree_
    hierarchy = tree.hierarchy()
    assert hierarchy.n_leaves == 4
    assert hierarchy.heights[-1] == tree.inertia[0]


@pytest.mark.parametrize(("n_clusters", "n_children", "widths"), [(9, 3, [3, 3, 3, 3]), (8, 4, [4, 4, 2]), (5, 9, [5])])
def test_splits_into_several(groups, n_clusters, n_children, widths, tmp_path):
    model = sf.BisectingKMeans(n_clusters, n_children=n_children, n_init=3, random_state=0).fit(groups)
    tree = model.tree_
    tree.check_loaded()
    assert sorted((len(below[below >= 0]) for below in tree.children if below[0] >= 0), reverse=True) == widths
    for node, below in enumerate(tree.children):
        if below[0] >= 0:
            below = below[below >= 0]
            assert tree.weight[node] == pytest.approx(tree.weight[below].sum())
            assert tree.inertia[node] >= tree.inertia[below].sum()
    assert np.all(np.diff(model.history_.objective) <= 0)
    assert model.predict(groups).tolist() == model.labels_.tolist()
    for k in range(n_clusters):
        np.testing.assert_allclose(model.cluster_centers_[k], groups[model.labels_ == k].mean(axis=0))
    hierarchy = tree.hierarchy()
    assert (hierarchy.n_leaves, hierarchy.heights[-1]) == (n_clusters, tree.inertia[0])
    sf.save(model, tmp_path / "tree.suffice")
    assert sf.load(tmp_path / "tree.suffice").predict(groups).tolist() == model.labels_.tolist()


def test_one_split_into_all_is_k_means(groups):
    model = sf.BisectingKMeans(4, n_children=4, n_init=5, tol=0, random_state=0).fit(groups)
    assert model.inertia_ == pytest.approx(sk.KMeans(4, n_init=20, random_state=0).fit(groups).inertia_)
    np.testing.assert_array_equal(model.predict(groups), sf.KMeans(4, init=model.cluster_centers_).fit(groups).labels_)


def test_a_split_into_more_parts_than_distinct_rows():
    X = np.repeat([[0.0], [1.0], [5.0]], 6, axis=0)
    weight = np.tile([1.0, 2.0], 9)
    with pytest.warns(NotConverged, match="only 3 of 6 clusters"):
        model = sf.BisectingKMeans(6, n_children=5, random_state=0).fit(X, sample_weight=weight)
    assert model.inertia_ == pytest.approx(0, abs=1e-20)
    assert len(set(model.labels_)) == 3
    model.tree_.check_loaded()


def test_partial_fit_refuses_an_init_of_another_shape():
    X = np.zeros((10, 3))
    for init in (np.zeros((2, 7)), np.zeros((5, 3)), np.full((2, 3), np.nan), lambda X, k, random_state: X[:, :1]):
        with pytest.raises(InvalidParameter, match=r"MiniBatchKMeans: init must .*got "):
            sf.MiniBatchKMeans(2, init=init).partial_fit(X)


@pytest.mark.parametrize("metric", ["mahalanobis", "cosine", "euclidean"])
@pytest.mark.parametrize("model", [sf.KMeans, sf.SoftKMeans])
def test_given_centres_are_in_the_units_of_the_data(model, metric, groups):
    X = np.column_stack([groups + 20, groups.sum(axis=1)])  # of rank 2
    first = model(4, metric=metric, tol=1e-12, max_iter=500, random_state=0).fit(X)
    again = model(4, metric=metric, tol=1e-12, max_iter=500, init=first.cluster_centers_).fit(X)
    assert_allclose(again.cluster_centers_, first.cluster_centers_, rtol=1e-4)
    assert_allclose(again.history_.objective[0], first.history_.objective[-1], rtol=1e-9)


def test_partial_fit_keeps_the_weights_of_files_and_dask(tmp_path):
    import dask.dataframe as dd
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(w=rng.integers(0, 4, 60).astype(float))
    frame[:20].to_parquet(tmp_path / "1.parquet")
    frame[20:].to_csv(tmp_path / "2.csv", index=False, float_format="%.17g")
    dask = dd.from_pandas(frame, npartitions=3)
    X, w = frame[["a", "b"]].to_numpy(), frame["w"].to_numpy()
    weighted = sf.MiniBatchKMeans(3, random_state=0).partial_fit(X[:20], sample_weight=w[:20])
    files = sf.MiniBatchKMeans(3, random_state=0).partial_fit(sf.scan(tmp_path / "1.parquet", weight="w"))
    weighted.partial_fit(X[20:], sample_weight=w[20:])
    files.partial_fit(sf.scan(tmp_path / "2.csv", weight="w"))
    assert_allclose(files.cluster_centers_, weighted.cluster_centers_, rtol=1e-12)
    assert_allclose(files.counts_, weighted.counts_, rtol=1e-12)
    assert files.counts_.sum() == w.sum()
    assert_allclose(files.inertia_, weighted.inertia_, rtol=1e-12)
    one = sf.MiniBatchKMeans(3, random_state=0).partial_fit(X, sample_weight=w)
    parts = sf.MiniBatchKMeans(3, random_state=0).partial_fit(dask[["a", "b"]], sample_weight=dask["w"])
    assert_allclose(parts.cluster_centers_, one.cluster_centers_, rtol=1e-12)
    assert parts.labels_.tolist() == one.labels_.tolist()


def test_batches_of_files_do_not_depend_on_how_they_are_cut(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"]).assign(w=rng.integers(1, 4, 300).astype(float))
    found = []
    for size in (300, 70, 11):
        frame.to_parquet(tmp_path / f"{size}.parquet", row_group_size=size)
        model = sf.MiniBatchKMeans(3, batch_size=64, max_iter=4, random_state=0)
        found.append(model.fit(sf.scan(tmp_path / f"{size}.parquet", weight="w")))
    for other in found[1:]:
        assert_allclose(other.cluster_centers_, found[0].cluster_centers_, rtol=1e-9)
        assert_allclose(other.inertia_, found[0].inertia_, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "mahalanobis", "cosine", "correlation"])
def test_batches_begin_at_given_centres_in_the_units_of_the_data(rng, metric):
    X = (rng.normal(size=(600, 3)) + 9 * np.eye(3)[np.arange(600) % 3] + 20) * [1.0, 30.0, 900.0]
    best = sf.KMeans(3, metric=metric, n_init=5, random_state=0).fit(X)
    model = sf.MiniBatchKMeans(3, metric=metric, init=best.cluster_centers_, random_state=0).fit(X)
    assert model.inertia_ <= 1.02 * best.inertia_


@pytest.mark.parametrize("size", [10**9, 10**400])
def test_batches_have_at_most_as_many_rows_as_there_are(rng, size):
    X, weight = rng.normal(size=(100, 2)), rng.integers(0, 4, 100)
    batches = [sf.MiniBatchKMeans(3, batch_size=n, random_state=0).fit(X) for n in (size, 100)]
    assert_array_equal(batches[0].cluster_centers_, batches[1].cluster_centers_)
    heavy = sf.MiniBatchKMeans(3, batch_size=size, random_state=0).fit(X, sample_weight=weight)
    repeated = sf.MiniBatchKMeans(3, batch_size=size, random_state=0).fit(np.repeat(X, weight, axis=0))
    assert_allclose(heavy.cluster_centers_, repeated.cluster_centers_)


@pytest.mark.parametrize("rate", ["a", None, np.nan, 1e300, -0.5, np.ones(7)])
def test_steps_that_make_no_sense(groups, rate):
    with pytest.raises(InvalidParameter, match="step must give a number from 0 to 1 for the update 1"):
        sf.MiniBatchKMeans(2, step=lambda t: rate).fit(groups)


@pytest.mark.parametrize("parameters", [{"tol": 10**400}, {"n_init": 0}, {"random_state": -1}])
def test_numbers_with_too_many_digits(groups, parameters):
    with pytest.raises(InvalidParameter, match=f"KMeans: {next(iter(parameters))} must be"):
        sf.KMeans(2, **parameters).fit(groups)
