"""Optional packages: what needs one says so, the core needs none, and `pyproject.toml` lists them all."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    name: needs for name, needs in PROJECT["optional-dependencies"].items() if name not in ("bench", "dev", "docs")
}
IMPORTED_AS = {"pillow": "PIL", "pyyaml": "yaml", "scikit-learn": "sklearn", "lazy-loader": "lazy_loader"}
COMES_WITH = {"traitlets": "anywidget"}  # imported as well, and brought by another


def module_of(requirement):
    """The module of a requirement such as "dask[array]>=2024.8"."""
    name = re.match(r"[\w-]+", requirement)[0]
    return IMPORTED_AS.get(name, name)


OPTIONAL = sorted({module_of(need) for needs in EXTRAS.values() for need in needs} - {"suffice"})
CORE = {module_of(need) for need in PROJECT["dependencies"]}


def imported_by(path):
    """The packages that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


def test_the_core_is_five_packages_and_two_that_one_of_them_brings():
    brought_by_scikit_learn = {"joblib", "threadpoolctl"}
    assert {"lazy_loader", "narwhals", "numpy", "scipy", "sklearn"} | brought_by_scikit_learn == CORE


def test_whatever_is_imported_is_of_the_core_or_of_an_extra():
    known = {*sys.stdlib_module_names, *CORE, *OPTIONAL, *COMES_WITH, "suffice"}
    found = {path.name: sorted(set(imported_by(path)) - known) for path in sorted((ROOT / "src").rglob("*.py"))}
    assert {name: packages for name, packages in found.items() if packages} == {}


def test_all_is_every_extra_but_the_frames_and_pytorch():
    (everything,) = EXTRAS["all"]
    assert set(re.findall(r"\w+", everything)) == set(EXTRAS) - {"all", "neural", "pandas", "polars"} | {"suffice"}


def test_the_readme_lists_every_extra():
    rows = re.findall(r"^\| (`\w+`[^|]*)\|", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    table = re.findall(r"`(\w+)`", " ".join(rows))
    assert set(EXTRAS) - set(table) == set()


def run(*arguments):
    """`try_uses.py`, in a process of its own."""
    command = [sys.executable, str(Path(__file__).parent / "try_uses.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", OPTIONAL)
def test_without(package):
    done = run("--without", package)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout, f"nothing in uses.py is about {package}"


def test_without_any():
    done = run("--core", "--without", *OPTIONAL, *COMES_WITH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("good") >= 4
