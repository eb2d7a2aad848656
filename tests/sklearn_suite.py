"""scikit-learn's own tests, read from the installed package and run with our classes in place.

A test file names the file, our classes, and what is different with the reason::

    suite = Suite("mixture/tests/test_gaussian_mixture.py", OURS, DIFFERENT)
    globals().update(suite.collected())
"""

import ast
import sys
import warnings
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import sklearn

import suffice as sf


class LeftOut(str):
    """The reason why a test is not run: chance decides it, or it says what another says and takes long."""


class NotOurs(LeftOut):
    """The reason why a test is not run that runs none of our code: it would pass."""


def with_ours(module):
    """A module of theirs, with our class in place of each that we have."""
    return SimpleNamespace(**{name: getattr(sf, name, getattr(module, name)) for name in module.__all__})


@dataclass(frozen=True)
class Suite:
    """A file of theirs below `sklearn/`, our names by theirs, and reasons by patterns of test names.

    A test with a reason has to fail; the first pattern that fits it counts. With `about`, names of classes, only tests
    are collected that come to one of them. Warnings are errors unless it says `warns`.
    """

    file: str
    ours: dict
    different: dict
    about: tuple = ()
    warns: bool = False

    @property
    def module(self):
        """Their module, once it is loaded."""
        return sys.modules[f"suffice_runs_{Path(self.file).stem}"]

    def tests(self):
        """Their tests, with our names set after their imports, before any decorator is evaluated."""
        path = Path(sklearn.__file__).parent / self.file
        if not path.exists():
            pytest.skip("the installed scikit-learn does not ship its tests", allow_module_level=True)
        tree = _Expected().visit(ast.parse(path.read_text(encoding="utf-8")))
        chosen = _coming_to(self.about, tree) if self.about else None
        last = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
        tree.body[last + 1 : last + 1] = ast.parse("globals().update(_ours)").body
        name = f"suffice_runs_{path.stem}"
        module = sys.modules[name] = ModuleType(name)
        module.__dict__["_ours"] = self.ours
        exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)
        found = {name: value for name, value in vars(module).items() if name.startswith("test_") and callable(value)}
        for value in found.values():
            value.__dict__["pytestmark"] = [_listed(mark) for mark in getattr(value, "pytestmark", ())]
        # Those of the array API ask for other array libraries.
        return {name: found[name] for name in found if "array_api" not in name and (chosen is None or name in chosen)}

    def fixtures(self):
        """Their fixtures."""
        kind = type(pytest.fixture(lambda: None))
        return {name: value for name, value in vars(self.module).items() if isinstance(value, kind)}

    def collected(self):
        """Everything that a test file takes over: the tests, their fixtures, and the check of the list of reasons."""
        different, warns = self.different, self.warns

        @pytest.fixture
        def global_random_seed():
            return 42

        @pytest.fixture
        def global_dtype():
            return np.float64

        @pytest.fixture(autouse=True)
        def _leave_out(request):
            if warns:
                warnings.simplefilter("default")
            for pattern, reason in different.items():
                if fnmatchcase(request.node.name, pattern) or fnmatchcase(request.node.originalname, pattern):
                    if isinstance(reason, LeftOut):
                        pytest.skip(reason)
                    request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
                    return

        tests = self.tests()

        def test_nothing_is_listed_that_is_not_there(request):
            items = [item for item in request.session.items if item.fspath == request.node.fspath]
            names = {item.name for item in items} | {item.originalname for item in items}
            if set(tests) <= names:  # the whole file was collected
                assert [p for p in different if not any(fnmatchcase(name, p) for name in names)] == []

        own = (global_random_seed, global_dtype, _leave_out, test_nothing_is_listed_that_is_not_there)
        named = ("global_random_seed", "global_dtype", "_leave_out", "test_nothing_is_listed_that_is_not_there")
        return {**self.fixtures(), **tests, **dict(zip(named, own, strict=True))}


class _Expected(ast.NodeTransformer):
    """Takes away their marks of cases that their own classes fail: what ours fail stands in the list of reasons."""

    def visit_Call(self, node):
        self.generic_visit(node)
        node.keywords = [own for own in node.keywords if own.arg != "marks" or "xfail" not in ast.dump(own.value)]
        return node


def _listed(mark):
    """The mark with a list of arguments where theirs is a generator, of which pytest warns."""
    if mark.name != "parametrize":
        return mark
    names, values = mark.args
    return pytest.mark.parametrize(names, list(values), **mark.kwargs).mark


def _coming_to(about, tree):
    """The tests that name one of some classes, or something of their file that comes to one."""
    named = {}
    for node in tree.body:
        own = [node.name] if hasattr(node, "name") else [t.id for t in getattr(node, "targets", ()) if hasattr(t, "id")]
        inside = {getattr(part, key) for part in ast.walk(node) for key in ("id", "attr", "arg") if hasattr(part, key)}
        named |= dict.fromkeys(own, inside)
    found, more = set(), set(about)
    while more:
        found |= more
        more = {name for name, inside in named.items() if inside & found} - found
    return found
