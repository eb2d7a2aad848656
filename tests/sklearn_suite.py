"""scikit-learn's own tests, read from the installed package and run with our classes in place.

A test file names the file, our classes, and what is different with the reason::

    suite = Suite("mixture/tests/test_gaussian_mixture.py", OURS, DIFFERENT)
    globals().update(suite.collected())
"""

import ast
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sklearn


class NotOurs(str):
    """The reason why a test is left out that runs none of our code: it would pass."""


@dataclass(frozen=True)
class Suite:
    """A file of theirs below `sklearn/`, our names by theirs, and reasons by patterns of test names.

    A test with a reason has to fail; the first pattern that fits it counts.
    """

    file: str
    ours: dict
    different: dict

    @property
    def module(self):
        """Their module, once it is loaded."""
        return sys.modules[f"suffice_runs_{Path(self.file).stem}"]

    def tests(self):
        """Their tests, with our names set after their imports, before any decorator is evaluated."""
        path = Path(sklearn.__file__).parent / self.file
        if not path.exists():
            pytest.skip("the installed scikit-learn does not ship its tests", allow_module_level=True)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        last = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
        tree.body[last + 1 : last + 1] = ast.parse("globals().update(_ours)").body
        name = f"suffice_runs_{path.stem}"
        module = sys.modules[name] = ModuleType(name)
        module.__dict__["_ours"] = self.ours
        exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)
        found = {name: value for name, value in vars(module).items() if name.startswith("test_") and callable(value)}
        # Those of the array API ask for other array libraries, by a generator of arguments that pytest warns of.
        return {name: value for name, value in found.items() if "array_api" not in name}

    def collected(self):
        """Everything that a test file takes over: the tests, their fixtures, and the check of the list of reasons."""
        different = self.different

        @pytest.fixture
        def global_random_seed():
            return 42

        @pytest.fixture
        def global_dtype():
            return np.float64

        @pytest.fixture(autouse=True)
        def _leave_out(request):
            for pattern, reason in different.items():
                if fnmatchcase(request.node.name, pattern) or fnmatchcase(request.node.originalname, pattern):
                    if isinstance(reason, NotOurs):
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
        return {**tests, **dict(zip(named, own, strict=True))}
