"""Pictures of tables: their numbers against NumPy and SciPy, and every kind of table."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.plots import (
    AssociationDisplay,
    BoxDisplay,
    FrequencyDisplay,
    HistogramDisplay,
    MissingnessDisplay,
    PairsDisplay,
    ParallelDisplay,
    tables,
)
from suffice.plots.histogram import bin_edges

IRIS = sf.datasets.load("iris")
MIXED = {"a": [1.0, None, 3.0], "b": [True, False, True], "c": ["x", None, "z"], "d": [1, 2, 3]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_of_any_library(make):
    table = tables.read(make(MIXED), None, "it")
    assert table.names == ("a", "b", "d")  # text is left out
    assert_array_equal(table.values, [[1, 1, 1], [np.nan, 0, 2], [3, 1, 3]])
    shown = MissingnessDisplay.from_table(make(MIXED))
    assert_array_equal(shown.table()["missing"], [1, 0, 1, 0])
    taken = tables.take(make(MIXED), [2])
    assert type(taken) is type(make(MIXED))
    assert tables.read(tables.like(make({"x": [1.0], "y": [2.0]}), np.ones((3, 2))), None, "it").names == ("x", "y")


def test_mappings_lists_and_one_column():
    assert tables.read({"a": [1, 2], "b": [3, 4]}, None, "it").names == ("a", "b")
    assert tables.read([[1, 2], [3, 4]], None, "it").names == ("x0", "x1")
    assert tables.read([1, 2, 3], None, "it").values.shape == (3, 1)
    assert_array_equal(MissingnessDisplay.from_table({"a": [None, "x"], "b": [1, 2]}).share, [0.5, 0])
    assert_array_equal(MissingnessDisplay.from_table(np.array([[None, 1], ["x", np.nan]], object)).share, [0.5, 0.5])


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((0, 3)), "no rows"),
        (np.zeros((3, 0)), "no columns"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        ([["a", "b"]], "no numbers"),
        ({"a": [1, 2], "b": [1]}, "different numbers of rows"),
        (sparse.eye(3), r"sparse.*toarray"),
        (pd.DataFrame({"a": ["x"]}), "no columns of numbers"),
    ],
    ids=["no rows", "no columns", "a cube", "text", "ragged", "sparse", "a frame of text"],
)
def test_what_is_no_table_is_refused(X, words):
    with pytest.raises(InvalidData, match=f"BoxDisplay.*{words}"):
        BoxDisplay.from_table(X)


@pytest.mark.parametrize("cls", [BoxDisplay, HistogramDisplay, PairsDisplay, ParallelDisplay])
def test_names_and_groups_must_fit(cls):
    with pytest.raises(InvalidData, match=rf"{cls.__name__}: there are 1 names but 2 columns"):
        cls.from_table(np.zeros((3, 2)), ["a"])
    with pytest.raises(InvalidData, match=rf"{cls.__name__}: there are 3 rows but groups of shape \(2,\)"):
        cls.from_table(np.zeros((3, 2)), groups=["a", "b"])


def test_groups():
    assert tables.groups([2.0, 1.0, np.nan], 3, "it").names == ("1", "2", "missing")
    assert tables.groups(["b", None, "a"], 3, "it").names == ("a", "b", "missing")
    assert tables.groups(np.array(["b", 1], object), 2, "it").names == ("1", "b")
    few = tables.groups(np.r_[np.arange(50), 7, 7, 3], 53, "it", most=3)
    assert few.names == ("3", "7", "others (48)")
    assert_array_equal(few.codes[-3:], [1, 1, 0])


def test_some_rows_of_many():
    rows = tables.some(20_000)
    assert len(np.unique(rows)) == 5000
    assert_array_equal(rows, tables.some(20_000))
    shown = PairsDisplay.from_table(np.random.default_rng(0).normal(size=(6000, 2)))
    assert shown.note == "5,000 of 6,000 rows"
    assert shown.ax_[1][0].collections[0].get_rasterized()
    assert len(shown.ax_[1][0].collections[0].get_offsets()) == 5000


def test_boxes_are_those_of_matplotlib():
    from matplotlib.cbook import boxplot_stats

    X = np.random.default_rng(0).standard_cauchy((80, 3))
    shown = BoxDisplay.from_table(X)
    for box, theirs in zip(shown.boxes, boxplot_stats(X), strict=True):
        ours = (box.low, box.q1, box.median, box.q3, box.high, box.mean)
        assert_allclose(ours, [theirs[key] for key in ("whislo", "q1", "med", "q3", "whishi", "mean")])
        assert_allclose(box.outliers, np.sort(theirs["fliers"]))


def test_boxes_of_groups():
    shown = BoxDisplay.from_table(IRIS.matrix(), IRIS.features, groups=IRIS["species"])
    medians = IRIS.to_frame().groupby("species")[list(IRIS.features)].median().to_numpy().T
    assert_allclose(shown.table()["median"], medians.ravel())
    assert [ax.get_title("left") for ax in shown.ax_] == list(IRIS.features)
    empty = BoxDisplay.from_table(np.full((3, 1), np.nan))
    assert empty.ax_.texts[0].get_text() == "no values"


def test_histograms_count_every_value():
    X = IRIS.matrix()
    shown = HistogramDisplay.from_table(X, bins=7)
    for j, each in enumerate(shown.histograms):
        assert_array_equal(each.counts, np.histogram(X[:, j], 7)[0])
    grouped = HistogramDisplay.from_table(X, groups=IRIS["species"]).table()
    assert grouped["count"].sum() == 150 * 4
    with pytest.raises(InvalidData, match="bins=0 must be from 1"):
        HistogramDisplay.from_table(X, bins=0)


@given(arrays(np.float64, st.integers(0, 30), elements=st.floats(-1e300, 1e300)))
def test_bins_hold_all_values(values):
    edges = bin_edges(values)
    assert (np.diff(edges) > 0).all()
    assert np.histogram(values, edges)[0].sum() == len(values)


def test_whole_numbers_get_bins_of_whole_width():
    counts = np.random.default_rng(0).poisson(4.0, 500).astype(float)
    edges = bin_edges(counts)
    assert_array_equal(edges, np.arange(counts.max() + 2) - 0.5)  # one bin a number
    many = bin_edges(np.arange(1.0, 101.0))
    assert set(np.diff(many)) == {np.diff(many)[0]}
    assert set(np.histogram(np.arange(1.0, 101.0), many)[0]) == {int(np.diff(many)[0])}  # as many in each


def test_frequencies_leave_out_what_is_missing():
    shown = FrequencyDisplay.from_column(["b", None, "a", "b", "", "c"], "word", most=2)
    assert shown.table()["value"].tolist() == ["b", ""]
    assert_array_equal(shown.counts, [2, 1])
    assert_allclose(shown.table()["share"], [0.4, 0.2])
    assert shown.ax_.get_title("right") == "2 of 4 values"
    with pytest.raises(InvalidParameter, match="most=0 must be at least 1"):
        FrequencyDisplay.from_column(["a"], most=0)


def test_associations_are_drawn_where_they_are_known():
    strength = np.array([[1.0, 0.25, np.nan], [0.25, 1.0, 0.5], [np.nan, 0.5, 1.0]])
    shown = AssociationDisplay(("a", "b", "c"), strength).plot()
    assert [cell[:2] for cell in shown.cells()] == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert sorted(text.get_text() for text in shown.ax_.texts) == [".25", ".25", ".50", ".50"]


def test_nothing_is_drawn_where_ax_is_false(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    shown = HistogramDisplay.from_table(IRIS.matrix(), IRIS.features, ax=False)
    assert not hasattr(shown, "figure_")
    assert shown.table()["count"].sum() == 4 * 150


def test_correlations_are_those_of_pairwise_complete_rows():
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[::7, 1], X[::5, 2], X[:, 3] = np.nan, np.nan, 1.0
    shown = PairsDisplay.from_table(X)
    assert_allclose(shown.correlation[:3, :3], pd.DataFrame(X[:, :3]).corr(), atol=1e-12)
    assert np.isnan(shown.correlation[3]).all()
    assert shown.ax_[0][3].texts[0].get_text() == "–"


def test_parallel_lines_break_at_gaps():
    shown = ParallelDisplay.from_table([[0.0, np.nan, 5.0], [10.0, 1.0, 5.0]], ["a", "b", "c"])
    assert_array_equal(shown.heights(), [[0, np.nan, 0.5], [1, 0.5, 0.5]])
    assert {text.get_text() for text in shown.ax_.texts} >= {"0", "10", "= 1", "= 5"}
    many = ParallelDisplay.from_table(np.zeros((3000, 2)))
    assert many.ax_.get_title("right") == "1,000 of 3,000 rows"


def test_missingness_of_blocks():
    X = np.ones((1000, 3))
    X[:500, 1] = np.nan
    shown = MissingnessDisplay.from_table(X)
    assert shown.blocks.shape == (200, 3)
    assert_array_equal(shown.share, [0, 0.5, 0])
    assert_allclose(shown.blocks.mean(axis=0), shown.share)
    wide = MissingnessDisplay.from_table(np.where(np.arange(60) >= 50, np.nan, np.ones((2, 60))), most=5)
    assert "5 of 60 columns" in wide.ax_.get_title("left")
    assert wide.table()["name"].tolist() == [f"x{j}" for j in range(50, 55)]
