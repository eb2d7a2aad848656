"""scikit-learn's own tests of k-means, read from the installed package and run with our class in the place of theirs."""

import ast
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sklearn.cluster

import suffice as sf

SUITE = Path(sklearn.cluster.__file__).parent / "tests" / "test_k_means.py"
NAME = "suffice_runs_sklearn_k_means"
OURS = {"KMeans": sf.KMeans}
DIFFERENT = {
}


def _load():
    """Their module with our names set after its imports, before any decorator is evaluated."""
    tree = ast.parse(SUITE.read_text(encoding="utf-8"))
    last = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
    replace = ast.parse("globals().update(_ours)").body
    tree.body[last + 1 : last + 1] = replace
    module = sys.modules[NAME] = ModuleType(NAME)
    module.__dict__["_ours"] = OURS
    exec(compile(ast.fix_missing_locations(tree), str(SUITE), "exec"), module.__dict__)
    return {name: value for name, value in vars(module).items() if name.startswith("test_") and callable(value)}


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture
def global_dtype():
    return np.float64


if SUITE.exists():
    globals().update(_load())
else:
    pytest.skip("the installed scikit-learn does not ship its tests", allow_module_level=True)
