"""The documentation runs: the README, the examples, and the docstrings of every public name."""

import ast
import importlib.util
import inspect
import itertools
import multiprocessing
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import suffice
from run_page import run_page
from suffice import contracts
from suffice.errors import IllConditioned
from suffice.estimator import Estimator
from suffice.kernels import WINDOWS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"


def public_names():
    stub = ast.parse(Path(suffice.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return [alias.asname or alias.name for node in imports for alias in node.names]


def example(name):
    spec = importlib.util.spec_from_file_location(f"suffice_example_{name}", EXAMPLES / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # pickle looks classes up there
    spec.loader.exec_module(module)
    return module


def test_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) >= 4
    names = {"__name__": "readme"}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    shown = capsys.readouterr().out
    assert shown.startswith("0.96\nHistory(1 iteration, ")
    assert "PCA: column 2, row 3 holds NaN" in shown
    assert "['keep' 'release']" in shown
    assert "intercept" in shown
    assert suffice.Trace.load(tmp_path / "fit.jsonl").fits[0].name == "PCA"


def test_links_of_the_readme_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8"))
        assert links
        assert [link for link in links if not (ROOT / link).exists()] == []


PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def other_process():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_as_it_stands(page, other_process):
    """Its examples give what they show, one after the other, and import what they use."""
    assert "```{testsetup}" not in page.read_text(encoding="utf-8")
    report = other_process.submit(run_page, page).result()
    assert not report, report


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_titles_are_words(page):
    assert re.match(r"# [A-Z][a-z]", page.read_text(encoding="utf-8"))


CENTROIDS = [pytest.param(check, id=name) for name, check in contracts.estimator_checks(example("centroids").Centroids)]


@pytest.mark.parametrize("check", CENTROIDS)
def test_the_example_of_an_estimator_keeps_every_promise(check):
    check()


def test_the_example_of_a_statistic_adds_up():
    contracts.check_statistic(example("extremes").Extremes)


def test_the_example_of_a_distribution_keeps_the_laws():
    contracts.check_distribution(example("geometric").Geometric)


def test_nist_digits(nist):
    """At least the digits that the page on linear models speaks of, with room for other machines."""
    problems = {name: nist[name] for name in ("Norris", "Filip", "Longley", "Wampler1")}
    with pytest.warns(IllConditioned, match="rank"):
        found = {name: coefficients for name, _, *_, coefficients, _ in example("nist_digits").rows(problems)}
    least = {"Norris": 11, "Filip": 6, "Longley": 10, "Wampler1": 7}
    assert all(found[name] >= least[name] for name in least), found


@pytest.mark.parametrize("name", public_names())
def test_public_names_are_documented(name):
    thing = getattr(suffice, name)
    text = inspect.getdoc(thing) or ""
    first = re.split(r"[.:,](?:\s|$)", text, maxsplit=1)[0]  # a formula may follow a colon or a comma
    assert len(first.split()) >= 2, f"{name} has no docstring that begins with words"
    assert not re.search(r"[=∑Σ∏√²ᵀ‖∝]", first), f"the docstring of {name} begins with a formula: {first!r}"
    if inspect.isclass(thing) and issubclass(thing, Estimator):
        assert "\nExamples\n--------\n" in text, f"the docstring of {name} has no Examples section"
        assert "\nParameters\n----------\n" in text


def table_after(page, heading):
    """The cells of the first table after a heading, row by row; code words only in the first and the named columns."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").split(f"\n{heading}\n", 1)[1]
    lines = itertools.takewhile(lambda line: line.startswith("|"), itertools.dropwhile(
        lambda line: not line.startswith("|"), text.splitlines()))  # fmt: skip
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines][2:]


def words(cell):
    return tuple(re.findall(r"`([^`(]+)[^`]*`", cell))


def test_the_table_of_families_is_that_of_the_registry():
    listed = table_after("distributions.md", "## The families")
    found = [cls for cls in contracts.distributions() if not cls.__module__.endswith("geometric")]
    assert sorted(name for row in listed for name in words(row[0])) == sorted(cls.__name__ for cls in found)
    assert sorted(name for row in listed for name in words(row[1])) == sorted(n for cls in found for n in cls.names)


def test_the_table_of_distances_is_that_of_the_registry():
    said = {words(row[0])[0]: row[2:] for row in table_after("distances.md", "## What there is")}
    found = {cls.__name__: cls for cls in contracts.distances()}
    assert said.keys() == found.keys()
    for name, (named, metric, sparse, missing) in said.items():
        member, yes = found[name].examples()[0], {"yes": True, "no": False}
        assert words(named) == found[name].names, name
        assert yes.get(metric, member.is_metric) == member.is_metric, name
        assert (yes[sparse], yes[missing]) == (member.sparse, member.missing), name


def test_the_tables_of_kernels_and_windows_are_those_of_the_registry():
    kernels = {words(row[0])[-1]: words(row[2]) for row in table_after("kernels.md", "## What there is")}
    assert kernels == {cls.__name__: cls.names for cls in contracts.kernels()}
    windows = {words(row[0])[0]: (words(row[2]), row[3]) for row in table_after("kernels.md", "## Windows")}
    found = {WINDOWS.classes[name] for name in WINDOWS}
    assert windows == {cls.__name__: (cls.names, "yes" if cls.ends else "no") for cls in found}


def test_every_decision_is_numbered_once():
    numbers = [path.name[:4] for path in sorted((ROOT / "docs" / "decisions").glob("0*.md"))]
    assert numbers == [f"{k:04d}" for k in range(1, len(numbers) + 1)]
