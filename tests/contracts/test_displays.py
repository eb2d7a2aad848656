"""Every display, from bundled tables: one table of numbers, drawn alike by matplotlib and as SVG."""

import subprocess
import sys

import pytest

from suffice.contracts import display_laws as laws

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
DISPLAYS = laws.displays()


@pytest.fixture(scope="module")
def made():
    """The display of each class, made once."""
    return {cls: laws.example_of(cls) for cls in DISPLAYS}


@pytest.mark.parametrize("cls", DISPLAYS, ids=lambda cls: cls.__name__)
def test_the_table(made, cls):
    laws.check_table(made[cls])


@pytest.mark.parametrize("cls", DISPLAYS, ids=lambda cls: cls.__name__)
def test_the_svg_draws_the_numbers_of_the_display(made, cls):
    laws.check_svg(made[cls])


@pytest.mark.parametrize("cls", DISPLAYS, ids=lambda cls: cls.__name__)
def test_matplotlib_draws_the_numbers_of_the_display(made, cls):
    import copy

    import matplotlib.pyplot as plt

    laws.check_plot(copy.copy(made[cls]))
    plt.close("all")


def test_all_displays_are_found():
    assert len(DISPLAYS) >= 24
    assert {cls.__name__ for cls in DISPLAYS} >= {"RocDisplay", "HistogramDisplay", "DendrogramDisplay"}
    assert set(DISPLAYS) == set(laws.EXAMPLES) == set(laws.NUMBERS)


def test_no_picture_of_the_report_needs_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from suffice.contracts import display_laws as laws\n"
        "for cls in laws.displays(): laws.check_svg(laws.example_of(cls))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=240)


def test_a_display_without_a_renderer_says_so():
    from suffice.plots import ScreeDisplay
    from suffice.report.pictures import picture

    class Mine(ScreeDisplay):
        """A subclass is drawn as its base."""

    assert str(picture(Mine([0.6, 0.4]))).startswith("<svg")
    with pytest.raises(TypeError, match="give it a renderer with"):
        picture(3)
