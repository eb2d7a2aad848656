"""What every display promises: a table of its numbers, a place to draw, and nothing that is cut off."""

import itertools
import sys

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import suffice as sf
from suffice.errors import MissingExtra
from suffice.plots import (
    BiplotDisplay,
    BoxDisplay,
    CalibrationDisplay,
    ClusterDisplay,
    ConfusionDisplay,
    ConvergenceDisplay,
    DecisionRegionsDisplay,
    Display,
    HistogramDisplay,
    IntervalsDisplay,
    LoadingsDisplay,
    MissingnessDisplay,
    PairsDisplay,
    ParallelDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    ScreeDisplay,
    SilhouetteDisplay,
)

X20, K20 = make_blobs(400, 2, centers=20, random_state=0)
Y20 = np.array([f"class number {k} with a long name" for k in range(20)])[K20]


def of_a_table(cls):
    return lambda nasty, ax: cls.from_table(nasty.X, nasty.names, groups=nasty.classes, ax=ax)


def filled(nasty):
    return np.nan_to_num(nasty.X, posinf=0.0)


def pca(nasty):
    return sf.PCA(3, scaling="covariance").fit(filled(nasty))


def intervals(nasty, ax):
    k = np.arange(20) / 20
    return IntervalsDisplay(np.unique(nasty.classes), k, k - 0.1, k + 0.1, "balanced_accuracy").plot(ax)


def bayes():
    return sf.GaussianNB().fit(X20, Y20)


MADE = {
    "box": of_a_table(BoxDisplay),
    "box of all": lambda nasty, ax: BoxDisplay.from_table(nasty.X, nasty.names, standardise=True, ax=ax),
    "histogram": of_a_table(HistogramDisplay),
    "histogram of all": lambda nasty, ax: HistogramDisplay.from_table(nasty.X, nasty.names, ax=ax),
    "pairs": of_a_table(PairsDisplay),
    "parallel": of_a_table(ParallelDisplay),
    "missingness": lambda nasty, ax: MissingnessDisplay.from_table(nasty.X, nasty.names, ax=ax),
    "scree": lambda nasty, ax: ScreeDisplay.from_estimator(pca(nasty), ax=ax),
    "biplot": lambda nasty, ax: BiplotDisplay.from_estimator(
        pca(nasty), filled(nasty), names=nasty.names, groups=nasty.classes, alpha=0.5, ax=ax
    ),
    "loadings": lambda nasty, ax: LoadingsDisplay.from_estimator(pca(nasty), names=nasty.names, ax=ax),
    "clusters": lambda nasty, ax: ClusterDisplay.from_estimator(
        sf.KMeans(20, random_state=0).fit(X20), X20, names=nasty.names[:2], ax=ax
    ),
    "clusters of gaps": lambda nasty, ax: ClusterDisplay.from_predictions(nasty.X[:, [0, 1, 5]], K20[:200] - 1, ax=ax),
    "silhouette": lambda nasty, ax: SilhouetteDisplay.from_predictions(X20, Y20, ax=ax),
    "convergence": lambda nasty, ax: ConvergenceDisplay.from_estimator(
        {name: sf.KMeans(3, random_state=0).fit(X20) for name in nasty.names}, ax=ax
    ),
    "regions": lambda nasty, ax: DecisionRegionsDisplay.from_estimator(
        bayes(), X20, Y20, names=nasty.names[:2], resolution=40, ax=ax
    ),
    "confusion": lambda nasty, ax: ConfusionDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "roc": lambda nasty, ax: RocDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "precision and recall": lambda nasty, ax: PrecisionRecallDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "calibration": lambda nasty, ax: CalibrationDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "intervals": intervals,
}


@pytest.fixture(params=MADE.values(), ids=MADE)
def make(request):
    return request.param


def axes_of(shown):
    return [ax for ax in shown.figure_.axes if ax.axison]


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
