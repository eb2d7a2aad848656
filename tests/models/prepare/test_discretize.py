"""Columns cut into bins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import KBinsDiscretizer

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.models.prepare.cuts import by_entropy
from suffice.statistics.sorted_values import SortedValues

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=200), RNG.exponential(size=200), RNG.integers(0, 40, 200)]).round(2)
WEIGHT = RNG.integers(0, 4, 200).astype(float)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("encode", ["ordinal", "onehot-dense"])
def test_equals_scikit_learn(strategy: str, weight: np.ndarray | None, encode: str) -> None:
    options = {"n_bins": [4, 7, 3], "encode": encode, "strategy": strategy, "subsample": None}
    ours = sf.KBinsDiscretizer(**options).fit(X, sample_weight=weight)
    theirs = KBinsDiscretizer(**options).fit(X, sample_weight=weight)
    for edges, expected in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(edges, expected, rtol=1e-12)
    bins = theirs.transform(X)
    np.testing.assert_array_equal(ours.transform(X), bins)
    np.testing.assert_allclose(ours.inverse_transform(bins), theirs.inverse_transform(bins), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.n_bins_.tolist() == theirs.n_bins_.tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_many_distinct_values_in_memory_and_in_pieces(weighted: bool, tmp_path: Path) -> None:
    """Exact in memory; from a file no more bins than asked for, and nearly the same ones."""
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.normal(size=150_000), np.arange(150_000.0) % 7, rng.exponential(size=150_000)])
    weight = rng.integers(0, 3, len(rows)).astype(float) if weighted else None
    ours = sf.KBinsDiscretizer(5, encode="ordinal").fit(rows, sample_weight=weight)
    theirs = KBinsDiscretizer(5, encode="ordinal", subsample=None).fit(rows, sample_weight=weight)
    for edges, expected in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(edges, expected, rtol=1e-12)
    pd.DataFrame(rows, columns=list("abc")).assign(w=1.0 if weight is None else weight).to_parquet(
        tmp_path / "t.parquet"
    )
    pieces = sf.KBinsDiscretizer(5, encode="ordinal").fit(sf.scan(tmp_path / "t.parquet", weight="w"))
    assert pieces.n_bins_.tolist() == ours.n_bins_.tolist()
    for edges, expected in zip(pieces.bin_edges_, ours.bin_edges_, strict=True):
        np.testing.assert_allclose(edges, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("bins", [3, 60], ids=["compared", "searched"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_cells_find_their_bins_in_any_layout(bins: int, dtype: type, order: str) -> None:
    """Also cells that lie on an edge, between an edge and its neighbour in single precision, beyond, or nowhere."""
    rows = np.asarray(np.random.default_rng(2).normal(size=(30_001, 3)).round(2), dtype=dtype, order=order)
    model = sf.KBinsDiscretizer(bins, encode="ordinal").fit(rows)
    given = np.array(rows, order=order)
    given[:60, 0] = np.resize(model.bin_edges_[0].astype(dtype), 60)
    given[60:63] = [[-99, 99, np.nan], [99, -99, 0], [np.nan, np.nan, np.nan]]
    found = model.transform(given)
    assert found.dtype == dtype
    for j, edges in enumerate(model.bin_edges_):
        cells = given[:, j].astype(float)
        expected = np.where(np.isnan(cells), np.nan, np.searchsorted(edges[1:-1], cells, side="right"))
        np.testing.assert_array_equal(found[:, j], expected)
        middles = np.append(edges[:-1] / 2 + edges[1:] / 2, np.nan).astype(dtype)
        places = np.nan_to_num(expected, nan=len(middles) - 1).astype(int)
        np.testing.assert_array_equal(model.inverse_transform(found)[:, j], middles[places])
    with sf.threads(2):
        np.testing.assert_array_equal(model.transform(np.tile(given, (10, 1))), np.tile(found, (10, 1)))


def test_numbers_beyond_the_bins_are_those_of_the_outer_ones() -> None:
    model = sf.KBinsDiscretizer([2, 3], encode="ordinal", strategy="uniform").fit([[0.0, 0.0], [4.0, 3.0]])
    back = model.inverse_transform([[-5.0, 9.0], [1.0, 2.0], [7.0, np.nan]])
    np.testing.assert_array_equal(back, [[1.0, 2.5], [3.0, 2.5], [3.0, np.nan]])


def test_one_hot_is_scikit_learns_default_as_a_dense_array() -> None:
    np.testing.assert_array_equal(
        sf.KBinsDiscretizer().fit_transform(X), KBinsDiscretizer(subsample=None).fit_transform(X).toarray()
    )


def test_entropy_by_hand() -> None:
    """Six of a, then six of b with one a among them, by the formulas of Fayyad and Irani."""
    x, y = np.arange(12.0)[:, None], np.array(list("aaaaaabbabbb"))

    def entropy(*counts: int) -> float:
        p = np.array([c for c in counts if c]) / sum(counts)
        return float(-(p * np.log2(p)).sum())

    costs = {c: (c * entropy(c, 0) + (12 - c) * entropy(7 - c, 5)) / 12 for c in range(1, 7)}
    assert min(costs, key=costs.__getitem__) == 6
    gain = entropy(7, 5) - costs[6]
    needed = (np.log2(11) + np.log2(3**2 - 2) - 2 * entropy(7, 5) + 1 * entropy(6) + 2 * entropy(1, 5)) / 12
    assert gain == pytest.approx(0.65486, abs=1e-5)
    assert needed == pytest.approx(0.46726, abs=1e-5)
    model = sf.KBinsDiscretizer(strategy="entropy", encode="ordinal").fit(x, y)
    np.testing.assert_array_equal(model.bin_edges_[0], [0.0, 5.5, 11.0])  # the right half is not worth a cut
    np.testing.assert_array_equal(model.transform([[5.0], [5.5], [99.0], [np.nan]]).ravel(), [0, 1, 1, np.nan])


def test_entropy_of_iris() -> None:
    """The petals tell the species, noise does not."""
    iris = sf.datasets.load("iris")
    noise = np.random.default_rng(1).normal(size=150)
    model = sf.KBinsDiscretizer(strategy="entropy").fit(np.column_stack([iris.matrix(), noise]), iris["species"])
    np.testing.assert_allclose(model.bin_edges_[0][1:-1], [5.55, 6.15])
    np.testing.assert_allclose(model.bin_edges_[2][1:-1], [2.45, 4.75])
    np.testing.assert_allclose(model.bin_edges_[3][1:-1], [0.8, 1.75])
    assert model.n_bins_[4] == 1


def test_entropy_between_neighbours_in_floating_point() -> None:
    low, high = 1.0, np.nextafter(1.0, 2.0)
    cuts = by_entropy((SortedValues.of(np.full(20, low)), SortedValues.of(np.full(20, high))))
    assert cuts.tolist() == [high]


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "entropy"])
def test_weights_pieces_and_missing_values(strategy: str, tmp_path: Path) -> None:
    y = np.where(X[:, 0] + 0.3 * RNG.normal(size=200) > 0, "yes", "no")
    holes = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    model = sf.KBinsDiscretizer(4, strategy=strategy, encode="ordinal").fit(holes, y, sample_weight=WEIGHT)
    again = sf.KBinsDiscretizer(4, strategy=strategy, encode="ordinal").fit(
        *(np.repeat(rows, WEIGHT.astype(int), axis=0) for rows in (holes, y))
    )
    frame = pd.DataFrame(holes, columns=list("abc")).assign(y=y, w=WEIGHT)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=37)
    scanned = sf.scan(tmp_path / "t.parquet", target="y", weight="w")
    from_file = sf.KBinsDiscretizer(4, strategy=strategy, encode="ordinal").fit(scanned)
    for other in (again, from_file):
        for mine, theirs in zip(model.bin_edges_, other.bin_edges_, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    bins = model.transform(holes)
    np.testing.assert_array_equal(np.isnan(bins), np.isnan(holes))
    np.testing.assert_array_equal(from_file.transform(scanned), bins)
    back = model.inverse_transform(bins)
    np.testing.assert_array_equal(model.transform(back), bins)


def test_missing_values_in_one_hot_columns() -> None:
    model = sf.KBinsDiscretizer(2).fit([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0]])
    shown = model.transform([[1.0, np.nan]])
    np.testing.assert_array_equal(shown, [[1, 0, np.nan, np.nan]])
    np.testing.assert_array_equal(model.inverse_transform(shown), [[1.5, np.nan]])


def test_a_model_file(tmp_path: Path) -> None:
    model = sf.KBinsDiscretizer(3).fit(X)
    sf.save(model, tmp_path / "bins.suffice")
    np.testing.assert_array_equal(sf.load(tmp_path / "bins.suffice").transform(X), model.transform(X))


def test_in_a_pipeline_with_categories() -> None:
    iris = sf.datasets.load("iris")
    model = sf.make_pipeline(sf.KBinsDiscretizer(strategy="entropy", encode="ordinal"), sf.CategoricalNB())
    assert model.fit(iris.matrix(), iris["species"]).score(iris.matrix(), iris["species"]) > 0.94


def test_constant_columns_have_one_bin() -> None:
    for strategy in ("uniform", "quantile"):
        model = sf.KBinsDiscretizer(3, strategy=strategy, encode="ordinal").fit([[2.0], [2.0]])
        assert model.n_bins_.tolist() == [1]
        assert model.inverse_transform(model.transform([[7.0]])).tolist() == [[2.0]]


def test_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_bins must be a whole number from 2 to 100,000, or 3 of them"):
        sf.KBinsDiscretizer([2, 3]).fit(X)
    with pytest.raises(InvalidParameter, match="n_bins must be an integer, at least 2, at most 100000"):
        sf.KBinsDiscretizer(1 << 40).fit(X)
    with pytest.raises(InvalidData, match="column 1 has only missing values"):
        sf.KBinsDiscretizer().fit([[1.0, np.nan], [2.0, np.nan]])
    with pytest.raises(ValueError, match="requires y"):
        sf.KBinsDiscretizer(strategy="entropy").fit(X)
