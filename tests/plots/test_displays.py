"""What every display promises: a table of its numbers, a place to draw, and nothing that is cut off."""

import itertools
import sys

import numpy as np
import pytest

import suffice as sf
from nasty_displays import MADE, nasty_table
from suffice.errors import InvalidData, MissingExtra
from suffice.plots import Display, EmbeddingDisplay, RocDisplay


@pytest.fixture(scope="module")
def nasty():
    return nasty_table()


@pytest.fixture(params=MADE.values(), ids=MADE)
def make(request):
    return request.param


def axes_of(shown):
    return [ax for ax in shown.figure_.axes if ax.axison or hasattr(ax, "get_zlim")]  # of three dimensions it is False


def test_the_picture_and_its_numbers(make, nasty):
    shown = make(nasty, None)
    columns = shown.table()
    assert isinstance(shown, Display)
    assert len({len(column) for column in columns.values()}) == 1
    assert all(isinstance(column, np.ndarray) for column in columns.values())
    assert repr(shown).startswith(f"{type(shown).__name__}(")
    shown.figure_.canvas.draw()
    assert_nothing_is_cut_off(shown.figure_)
    assert_ticks_do_not_overlap(axes_of(shown))
    words = [text for ax in axes_of(shown) for text in (*ax.texts, ax.xaxis.label, ax.yaxis.label)]
    assert min(text.get_fontsize() for text in words) >= 6  # points, readable in print


def assert_nothing_is_cut_off(figure):
    inside, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert inside.x0 > -0.02
    assert inside.y0 > -0.02
    assert inside.x1 < width + 0.02
    assert inside.y1 < height + 0.02


def assert_ticks_do_not_overlap(axes):
    for labels in (each for ax in axes for each in (ax.get_xticklabels(), ax.get_yticklabels())):
        boxes = [each.get_window_extent() for each in labels if each.get_text() and each.get_visible()]
        assert not any(covers(a, b) for a, b in itertools.pairwise(boxes)), [each.get_text() for each in labels]


def covers(a, b):
    """Whether two boxes share more than a pixel either way."""
    across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return across > 1 and up > 1


def test_a_given_axes_is_used(make, nasty):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(9, 7))
    shown = make(nasty, ax)
    assert shown.figure_ is figure
    assert tuple(figure.get_size_inches()) == (9, 7)
    assert figure.axes[0] is ax
    assert shown.plot() is shown  # and again, on a figure of its own
    assert shown.figure_ is not figure


def test_without_matplotlib_a_sentence_says_what_to_install(make, nasty, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"suffice\[plot\]"):
        make(nasty, None)


def test_plots_are_a_public_name():
    assert sf.plots.RocDisplay is RocDisplay


def test_names_and_legends_in_a_part_of_a_figure():
    """A part of a figure has no size of its own and cannot be laid out alone."""
    from matplotlib import pyplot as plt

    figure = plt.figure()
    ax = figure.subfigures(1, 2)[0].subplots()
    Z = np.array([[0.0, 0.0], [3.0, 1.0], [3.0, 1.0]])
    shown = EmbeddingDisplay.from_places(Z, groups=["a", "b", "b"], labels=["x", "y", "z"], ax=ax)
    assert [text.get_visible() for text in shown.ax_.texts] == [True, True, False]  # the third would cover the second
    assert list(shown.table()["name"]) == ["x", "y", "z"]
    with pytest.raises(InvalidData, match="labels has 2 names"):
        EmbeddingDisplay.from_places(Z, labels=["x", "y"])
    plt.close(figure)
