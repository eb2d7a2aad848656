"""What the pages name in code font exists: files, modules, classes, and every other word."""

import importlib
import inspect
import re
import runpy
from functools import cache
from pathlib import Path

import pytest
from sklearn.utils.discovery import all_estimators, all_functions

import suffice

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SOURCES = (
    "src/suffice/**/*.py",
    "src/suffice/*.pyi",
    "native/**/*.?pp",
    "benchmarks/**/*.py",
    "Makefile",
    "pyproject.toml",
)
FOLDERS = ("", "docs", "src/suffice", "src/suffice/**")  # what a path may be relative to
BLOCK = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
PATH = re.compile(r"[\w.*/-]+/|[\w.*/-]*\w\.(?:py|pyi|cpp|hpp|md|toml|json|sh|txt|yml)")
# Names of other libraries, files that are made or that a reader has, and ends of names.
ELSEWHERE = {
    "IterativeImputer",
    "OPENBLAS_NUM_THREADS",
    "PYTHONPATH",
    "dist/",
    "model.json",
    "read_parquet",
    "sf_errors",
    "pytest",
    "pytestmark",
    "sales",
    "_macro",
    "_micro",
}


def spans(page):
    """The inline code of a page, outside its blocks; a span may go over the end of a line."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]


def drawings(page):
    """A page's blocks of plain text, which draw trees and layers."""
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind in ("", "text")]


@cache
def known_words():
    """Every word of the sources, the names of the tests, and the public names of scikit-learn."""
    text = "".join(path.read_text(encoding="utf-8") for glob in SOURCES for path in ROOT.glob(glob))
    theirs = {name for name, _ in all_functions()}
    for name, cls in all_estimators():
        theirs.update((name, *dir(cls), *inspect.signature(cls).parameters))
    tests = {path.stem for path in ROOT.glob("tests/**/*")}
    return set(re.findall(r"\w+", text)) | tests | theirs | ELSEWHERE


def exists(path):
    pattern = re.sub("NAME|FAMILY", "*", path).strip("/")
    return any(any(ROOT.glob(f"{folder}/{pattern}".strip("/"))) for folder in FOLDERS)


def resolves(path):
    """Whether `a.b.c` of the package is a module, or something in one."""
    thing = suffice
    for name in path.split("."):
        try:
            thing = getattr(thing, name)
        except AttributeError:
            try:
                thing = importlib.import_module(f"{thing.__name__}.{name}")
            except (ImportError, AttributeError):
                return False
    return True


def is_known(span):
    if name := re.match(r"(?:suffice|sf)\.(?!NAME)([\w.]*\w)", span):
        return resolves(name[1])
    if (name := re.match(r"([A-Z]\w+)\.[a-z_]\w*", span)) and hasattr(suffice, name[1]):
        return resolves(name[0])
    pieces = re.sub(r"\"[^\"]*\"|'[^']*'", "", span).split()
    return all(
        exists(piece) if PATH.fullmatch(piece) else has_known_words(piece) for piece in pieces if piece not in ELSEWHERE
    )


def has_known_words(text):
    words = re.findall(r"[A-Za-z_]\w{2,}", text.replace("__", " "))  # `step__parameter` is two words
    return all(word in known_words() or exists(word) for word in words)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_what_a_page_names_exists(page):
    assert [span for span in spans(page) if not is_known(span)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_files_that_a_page_draws_exist(page):
    words = [word for drawing in drawings(page) for word in drawing.replace(";", " ").replace(",", " ").split()]
    assert [word for word in words if PATH.fullmatch(word) and not any(ROOT.glob(f"**/{word.strip('/')}"))] == []


def test_the_house_is_drawn_whole():
    drawn = {word.strip("/") for text in drawings(ROOT / "CONTRIBUTING.md") for word in text.split()}
    rooms = [path.name for path in (ROOT / "src" / "suffice").iterdir() if not path.name.startswith("_")]
    assert [name for name in rooms if name.partition(".")[2] in ("", "py") and name not in drawn] == []


@pytest.mark.parametrize(("heading", "walk"), [("`KMeans.fit`", "kmeans"), ("`GaussianMixture.fit`", "mixture")])
def test_the_walks_are_those_of_a_fit(heading, walk):
    example = runpy.run_path(str(ROOT / "docs" / "examples" / "walk.py"))
    section = re.search(rf"^### .*{heading}\n(.*?)^##", ARCHITECTURE.read_text(encoding="utf-8"), re.M | re.S)[1]
    told = [(file, name) for name, file in re.findall(r"^1\. `(.*?)` \(`(.*?)`\)", section, re.M)]
    visited = [step[1:] for step in example[walk]()]
    assert len(told) > 10
    assert [step for step in told if step not in visited] == []
    assert told == sorted(told, key=visited.index)
