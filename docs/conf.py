"""Sphinx configuration. Nothing here needs the network."""

import ast
import importlib
import inspect
import re
import sys
import tomllib
from pathlib import Path

import suffice

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "examples"))  # the doctests of the pages import the examples
sys.path.insert(0, str(ROOT / "extensions"))

project = "Suffice"
author = "The Suffice developers"
copyright = "The Suffice developers"
version = release = suffice.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.doctest", "mathml", "gallery"]
html_math_renderer = "mathml"
html_static_path = ["_static"]
exclude_patterns = ["_build", "examples"]
html_theme = "furo"
html_title = f"Suffice {release}"
pygments_style = "friendly"
pygments_dark_style = "monokai"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

default_role = "code"  # docstrings write `name`
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False  # what a parameter may be is said in words, and words are no references
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100

# Pages mark their examples as doctest; those of docstrings are run by pytest, each in its own module.
doctest_test_doctest_blocks = ""
doctest_global_setup = """
import os, tempfile
before, folder = os.getcwd(), tempfile.TemporaryDirectory()
os.chdir(folder.name)
"""
doctest_global_cleanup = "os.chdir(before); folder.cleanup()"


# What follows from the code is generated, so that a new export appears by itself. In a page, `<!-- public names -->`
# (every name that __init__.pyi exports), `<!-- module NAME -->` and the names of TABLES below are replaced.


def public_names():
    """The names that `suffice` exports, in the order of its stub."""
    stub = ast.parse(Path(suffice.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return [alias.asname or alias.name for node in imports for alias in node.names]


def entry(path, thing):
    """The directive that documents one object."""
    if inspect.isclass(thing):
        members = own_members(thing)
        return f"autoclass:: {path}" + (f"\n   :members: {', '.join(members)}" if members else "")
    return f"autofunction:: {path}"


def own_members(cls):
    """The public methods and properties that Suffice, not a base from elsewhere, gives a class."""
    found = {}
    for base in cls.__mro__:
        if base.__module__.startswith("suffice"):
            found.update({name: value for name, value in vars(base).items() if name not in found})
    kinds = (classmethod, staticmethod, property)
    wanted = (name for name, value in found.items() if inspect.isfunction(value) or isinstance(value, kinds))
    return sorted(name for name in wanted if not name.startswith("_") and name != "example")


def sections(module, names, seen):
    """A heading and the documentation of every class and function that is not on the page yet."""
    parts = []
    for name in names:
        thing = getattr(module, name)
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and thing not in seen:
            seen.append(thing)
            parts.append(f"### `{name}`\n\n```{{eval-rst}}\n.. {entry(f'{module.__name__}.{name}', thing)}\n```\n")
    return "\n".join(parts)


def exported(module):
    """What a module lists as public, or else what it defines without an underscore."""
    own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
    return getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]


def models_by_kind():
    """A list of the estimators of each kind."""
    from suffice.models.registry import KINDS, estimators

    return "\n".join(
        f"- **{kind}**: {', '.join(f'[`{name}`](#{name.lower()})' for name in estimators(kind))}" for kind in KINDS
    )


def what_models_accept():
    """A table of the estimators: their target, and what they accept beside dense columns of numbers."""
    from suffice.models.registry import estimators

    rows = ["| model | target | missing values | sparse | categorical | incremental |", "|---" * 6 + "|"]
    for name, cls in sorted(estimators().items(), key=lambda each: each[0].lower()):
        needs = cls()._needs()
        answers = ("yes" if each else "" for each in (needs.missing, needs.sparse, needs.categories))
        changes = ", ".join(word for word, method in CHANGES.items() if hasattr(cls, method))
        rows.append(f"| `{name}` | {needs.target.replace('none', '')} | {' | '.join(answers)} | {changes} |")
    return "\n".join(rows)


CHANGES = {"add": "partial_fit", "remove": "remove"}


def counterparts():
    """A table of the classes that have scikit-learn's name, and of what becomes of its parameters."""
    from suffice import params
    from suffice.models.registry import estimators

    rows = ["| class | parameters |", "|---|---|"]
    for name, cls in estimators().items():
        twin = vars(cls).get("counterpart")
        if twin is not None:
            more = [each for each in params.declared(cls) if each not in twin.parameters(name)]
            told = {"also here": more, "without effect": twin.ignored, "refused": twin.absent}
            lines = (f"{what}: {', '.join(f'`{each}`' for each in names)}" for what, names in told.items() if names)
            rows.append(f"| `{name}`<br>of `{twin.module}` | {'<br>'.join(lines)} |")
    return "\n".join(rows)


def layers():
    """A table of the layers that import-linter checks, each module with the first sentence of its docstring."""
    settings = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rows = ["| | module | what it is |", "|---|---|---|"]
    drawn = next(contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers")
    for number, layer in enumerate(drawn, 1):
        for name in re.split(r" [|:] ", layer):
            sentence = first_sentence(importlib.import_module(name))
            rows.append(f"| {number} | `{name.removeprefix('suffice.')}` | {sentence} |")
    return "\n".join(rows)


def first_sentence(thing):
    return re.split(r"[.](?: |$)", " ".join(inspect.getdoc(thing).split("\n\n")[0].split()))[0]


TABLES = {
    "counterparts": counterparts,
    "layers": layers,
    "models by kind": models_by_kind,
    "what models accept": what_models_accept,
}


def fill_reference(app, docname, source):
    """Put what is generated in the place of its markers."""
    lines, seen = [], []
    for line in source[0].splitlines():
        marker = re.fullmatch(r"<!-- (.*) -->", line)
        if marker and marker[1] == "public names":
            line = sections(suffice, public_names(), seen)
        elif marker and marker[1] in TABLES:
            line = TABLES[marker[1]]()
        elif marker and marker[1].startswith("module "):
            module = importlib.import_module(marker[1].split()[1])
            line = sections(module, exported(module), seen)
        lines.append(line)
    source[0] = "\n".join(lines)


def escape_bars(app, what, name, thing, options, lines):
    """|w| is a size in docstrings, and a substitution for docutils: escaped outside of code."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`[^`]*`)", line)
            lines[i] = "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in parts)


def setup(app):
    app.connect("source-read", fill_reference)
    app.connect("autodoc-process-docstring", escape_bars)
