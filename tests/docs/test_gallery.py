"""The gallery: every script runs, asserts its numbers, and leaves a figure or a table; formulas become MathML."""

import ast
import importlib.util
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

DOCS = Path(__file__).parents[2] / "docs"
MOST_LINES = 40


def extension(name):
    """A module of docs/extensions, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / "extensions" / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gallery, formulas = extension("gallery"), extension("mathml")
SCRIPTS = gallery.scripts()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_shows_what_it_says(script, tmp_path):
    shown = script.run()
    if isinstance(shown, str):
        assert shown.strip()
    else:
        shown.savefig(tmp_path / "picture.png", dpi=50)
        assert any(ax.has_data() or ax.tables or ax.images for ax in shown.axes)
    pyplot.close("all")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_is_small_and_asserts_its_numbers(script):
    assert sum(bool(line.strip()) for line in script.code.splitlines()) <= MOST_LINES
    assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(script.code)))
    assert all(row[0] in gallery.PAGES for row in script.rows)


def test_a_script_without_a_row_is_refused(tmp_path):
    path = tmp_path / "nothing.py"
    path.write_text('"""A title\n\nA text.\n"""\nfigure = None\n', encoding="utf-8")
    with pytest.raises(ValueError, match="a last line such as"):
        gallery.Script.read(path)


def test_the_index_shows_every_script_once():
    page = gallery.index(SCRIPTS)
    assert all(page.count(f"]({script.name}.md)") == 1 for script in SCRIPTS)


def test_every_formula_of_the_pages_is_well_formed():
    found = 0
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("**/*.md")]
    for page in [*pages, *(script.text for script in SCRIPTS)]:  # the pages of scripts may not be written yet
        text = re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.DOTALL)
        for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$]+?)\$", text, flags=re.DOTALL):
            ElementTree.fromstring(formulas.mathml(block or inline, bool(block)))
            found += 1
    assert found > 300


def test_formulas_become_mathml():
    def inside(source):
        return re.fullmatch(r"<math [^>]*>(.*)</math>", formulas.mathml(source))[1]

    assert inside(r"\frac12") == "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
    assert inside("x_i^2") == "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"
    assert inside(r"\lVert x\rVert") == '<mrow><mo stretchy="false">‖</mo><mi>x</mi><mo stretchy="false">‖</mo></mrow>'
    assert inside(r"\text{a b}") == "<mtext>a b</mtext>"
    assert inside(r"\sum_{i}").startswith("<munder>")
    assert inside(r"\log x") == '<mrow><mi>log</mi><mspace width="0.17em"></mspace><mi>x</mi></mrow>'
    assert "mspace" not in inside(r"\log(x)")
    assert inside(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}").count("<mtd>") == 4


@pytest.mark.parametrize("source", [r"\unheard x", "x_", "{x", "x}", r"\begin{array} x \end{array}", r"\left( x"])
def test_a_formula_that_is_not_known_is_refused(source):
    with pytest.raises(formulas.Unknown, match="formula"):
        formulas.mathml(source)
