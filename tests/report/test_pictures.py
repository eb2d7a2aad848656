"""Displays as SVG: what the contract on their numbers does not see."""

from xml.etree import ElementTree

import numpy as np
import pytest

from nasty_displays import MADE, nasty_table
from suffice.plots import BoxDisplay, ClusterDisplay, DendrogramDisplay, HistogramDisplay, MissingnessDisplay
from suffice.plots.dendrogram import End, Link
from suffice.report.pictures import picture
from suffice.report.svg import Axes, Picture, clipped


@pytest.fixture(scope="module")
def nasty():
    return nasty_table()


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_whatever_the_table_is_like_the_picture_is_whole(make, nasty):
    made = picture(make(nasty, False))
    root = ElementTree.fromstring(str(made))
    assert root.attrib["aria-label"] == clipped(made.alt, 400) != ""
    assert "nan" not in "".join(made.parts)
    assert len(str(made)) < 400_000
    assert all(len(key.split()) == 1 for key, _ in made.legend)


def test_markup_in_names_stays_text():
    shown = HistogramDisplay.from_table(np.eye(3), ["<script>", "a&b", '"'], groups=["<b>", "x", "x"], ax=False)
    made = picture(shown)
    ElementTree.fromstring(str(made))
    assert "<script" not in str(made)
    assert [name for _, name in made.legend] == ["<b>", "x"]


def test_a_line_breaks_where_a_number_is_missing():
    made = Picture(10, 10, "a line")
    Axes(made, (0, 3), (0, 3), (0, 0, 3, 3)).line([(0, 0), (1, 1), (2, np.nan), (3, 3)], "line")
    assert made.parts == ['<path class="line" d="M0 3L1 2"/>', '<path class="line" d="M3 0"/>']


def test_a_tree_to_the_right_is_a_tree_upwards_turned():
    links, ends = [Link((0, 1), (0, 0), 2.0)], [End("a"), End("b")]
    scales = []
    for orientation in ("top", "left"):
        root = ElementTree.fromstring(str(picture(DendrogramDisplay(links, ends, None, orientation))))
        scales.append([float(x) for x in root.find("g").attrib["data-scale"].split()][:4])
    assert scales[0][2:] == scales[1][:2] == [0.0, 2.1]


def test_cells_of_centres_end_at_the_frame():
    shown = ClusterDisplay(np.array([[0.0, 0.0], [4.0, 1.0]]), np.array([0, 1]), np.array([[0.0, 0.0], [4.0, 1.0]]))
    cells = [part for part in picture(shown).parts if "cell" in part]
    places = [float(x) for part in cells for x in part.split('d="M')[1].rstrip('z"/>').replace("L", " ").split()]
    assert len(cells) == 2
    assert 0 <= min(places) <= max(places) <= 420


def test_shades_of_blocks_are_one_shape_each():
    X = np.ones((1000, 40))
    X[::2, :] = np.nan
    made = picture(MissingnessDisplay.from_table(X, ax=False))
    assert sum("area c1" in part for part in made.parts) <= 8


def test_a_column_without_values_says_so():
    assert "no values" in str(picture(BoxDisplay.from_table(np.full((3, 1), np.nan), ax=False)))
