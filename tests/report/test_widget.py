"""The player as a widget: the page's own figures and scripts."""

import pytest

import suffice as sf

pytest.importorskip("anywidget")


@pytest.fixture
def widget():
    X = sf.datasets.load("faithful").matrix()
    with sf.recording() as trace:
        sf.KMeans(2, random_state=0).fit(X)
    return sf.player(trace, X).widget()


def test_the_figures_are_those_of_the_page(widget):
    assert widget.films.count('<figure class="player"') == 1
    assert '"kind":"centres"' in widget.films


def test_the_script_is_one_module_that_renders(widget):
    script = str(widget._esm)
    assert "export default" in script
    assert "import {" not in script
    assert "mountAll(document)" not in script


def test_styles_stay_inside(widget):
    assert ":root" not in widget.style
    assert ":host" in widget.style
