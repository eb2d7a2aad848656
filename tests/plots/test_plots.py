"""Displays: the numbers that they draw, not the pixels."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import MissingExtra
from suffice.models.pictures.compression import rate_distortion
from suffice.plots import style
from suffice.plots.criteria import CriteriaDisplay, Curve
from suffice.plots.rate_distortion import RateCurve, RateDistortionDisplay
from suffice.selection import select_k


def drawn(ax, line=0):
    return ax.lines[line].get_xydata()


def test_criteria_are_one_panel_each():
    curves = (
        Curve("cost", (9.0, 4.0, 3.0, 2.5)),
        Curve("gap", (0.1, 0.5, 0.4, np.inf), (0.1, 0.1, 0.1, 0.1), best=2),
        Curve("silhouette", (np.nan, 0.5, 0.4, 0.3), best=2),
        Curve("penalty", (2e6, 1e6, 2e6, 3e6), best=2),
    )
    shown = CriteriaDisplay((1, 2, 3, 4), curves).plot()
    assert [ax.get_title("left") for ax in shown.ax_] == ["cost", "gap: k = 2", "silhouette: k = 2", "penalty: k = 2"]
    assert [ax.get_xlabel() for ax in shown.ax_] == ["", "", "k", "k"]
    assert len(shown.figure_.axes) == 4
    assert_allclose(shown.table()["cost"], (9.0, 4.0, 3.0, 2.5))
    assert_allclose(drawn(shown.ax_[0]), [(1, 9), (2, 4), (3, 3), (4, 2.5)])
    assert len(shown.ax_[1].collections) == 1
    assert_allclose(drawn(shown.ax_[1], 2), [(2, 0.5)])
    shown.figure_.canvas.draw()
    assert "1M" in [text.get_text() for text in shown.ax_[3].get_yticklabels()]


def test_a_given_axes_frames_the_panels():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    shown = CriteriaDisplay((1, 2), [Curve("cost", (2.0, 1.0))] * 5).plot(ax)
    assert shown.figure_ is figure
    assert len(shown.ax_) == len(ax.child_axes) == 5
    assert not ax.axison


def test_rate_distortion_has_one_line_a_block():
    curves = (
        RateCurve("1 × 1", (1.0, 2.0, 8.0), (20.0, 26.0, np.inf), (2, 4, 256)),
        RateCurve("2 × 2", (1.0,), (19.0,), (2,)),
    )
    shown = RateDistortionDisplay(curves).plot()
    assert_allclose(drawn(shown.ax_, 0), [(1, 20), (2, 26)])
    assert_allclose(drawn(shown.ax_, 1), [(8, 1)])  # at the top: nothing lost
    assert shown.ax_.get_title("left") == "▲ nothing lost"
    assert [text.get_text() for text in shown.ax_.texts] == ["1 × 1", "2 × 2"]
    assert shown.ax_.get_ylabel() == "PSNR in dB"
    assert shown.table()["name"].tolist() == ["1 × 1"] * 3 + ["2 × 2"]
    shown.figure_.canvas.draw()


def test_results_plot_themselves(rng):
    import matplotlib.pyplot as plt

    X = rng.normal(size=(40, 2))
    found = select_k(sf.KMeans(), X, range(1, 5), ["elbow", "silhouette"], random_state=0)
    panels = found.plot().ax_
    assert_allclose(drawn(panels[0])[:, 1], found.costs)
    assert_allclose(drawn(panels[2])[1:, 1], found.table["silhouette"][1:])
    _, ax = plt.subplots()
    table = rate_distortion(rng.integers(0, 256, (12, 12), dtype=np.uint8), (2, 4), (1, 2), random_state=0)
    shown = table.plot(ax)
    assert shown.ax_ is ax
    assert_allclose(drawn(ax)[:, 0], [row.bits_with_codebook for row in table[:2]])
    only_lossless = rate_distortion(np.zeros((4, 4), np.uint8), (2,), (1,)).plot()
    only_lossless.figure_.canvas.draw()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match=r"suffice\[plot\]"):
        style.pyplot()
