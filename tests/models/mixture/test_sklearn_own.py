"""scikit-learn's own tests of Gaussian mixtures, read from the installed package and run with our class in place."""

import ast
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sklearn.datasets
import sklearn.mixture

import suffice as sf

SUITE = Path(sklearn.mixture.__file__).parent / "tests" / "test_gaussian_mixture.py"
NAME = "suffice_runs_sklearn_gaussian_mixture"
OURS = {"GaussianMixture": sf.GaussianMixture}

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")  # theirs ignore theirs

# Every test that is not run, by its name or a pattern of it, and why.
WORDS = "the error is the same kind (ValueError) with words of its own"
PRIVATE = "calls a private function or attribute of scikit-learn"
ROUNDS = "max_iter=0 is refused: a fit has at least one round"
DIFFERENT = {
    "test_check_weights": WORDS,
    "test_check_means": WORDS,
    "test_check_precisions": WORDS,
    "test_gaussian_mixture_fit_convergence_warning": "the warning is a NotConverged with words of its own",
    "test_gaussian_mixture_n_parameters": PRIVATE + "; bic and aic are compared in test_gaussian_mixture.py",
    "test_gaussian_mixture_aic_bic": PRIVATE + "; bic and aic are compared in test_gaussian_mixture.py",
    "test_gaussian_mixture_precisions_init_diag": "gives precisions in the order in which scikit-learn's k-means finds "
    "the components",
    "test_gaussian_mixture_precisions_init?*": PRIVATE + ", _set_parameters",
    "test_gaussian_mixture_all_init_does_not_estimate*": PRIVATE + ", which it counts the calls of",
    "test_gaussian_mixture_verbose": "verbose is no parameter: sf.progress and sf.recording show every fit",
    "test_regularisation": "a collapsed component is mended with a warning where scikit-learn gives up",
    "test_init_means_not_duplicated*": ROUNDS,
    "test_max_iter_zero": ROUNDS,
}


def _load():
    """Their module with our names set after its imports, before any decorator is evaluated."""
    tree = ast.parse(SUITE.read_text(encoding="utf-8"))
    last = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
    tree.body[last + 1 : last + 1] = ast.parse("globals().update(_ours)").body
    module = sys.modules[NAME] = ModuleType(NAME)
    module.__dict__["_ours"] = OURS
    exec(compile(ast.fix_missing_locations(tree), str(SUITE), "exec"), module.__dict__)
    found = {name: value for name, value in vars(module).items() if name.startswith("test_") and callable(value)}
    # Those of the array API ask for other array libraries, by a generator of arguments that pytest warns of.
    return {name: value for name, value in found.items() if "array_api" not in name}


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture
def global_dtype():
    return np.float64


@pytest.fixture(autouse=True)
def _leave_out(request):
    """Skip what is listed as different, with the reason."""
    for pattern, reason in DIFFERENT.items():
        if fnmatchcase(request.node.name, pattern) or fnmatchcase(request.node.originalname, pattern):
            pytest.skip(reason)


if SUITE.exists():
    globals().update(_load())
else:
    pytest.skip("the installed scikit-learn does not ship its tests", allow_module_level=True)


@pytest.mark.parametrize("init", ["random", "random_from_data", "k-means++", "kmeans"])
def test_starts_have_different_means(init):
    """What their test_init_means_not_duplicated asks, after one round."""
    rows, _ = sklearn.datasets.make_blobs(n_samples=50, n_features=2, centers=5, random_state=0)
    means = sf.GaussianMixture(5, init_params=init, max_iter=1, random_state=0).fit(rows).means_
    assert len(np.unique(means, axis=0)) == 5


def test_nothing_is_listed_that_is_not_there(request):
    items = [item for item in request.session.items if item.fspath == request.node.fspath]
    names = {item.name for item in items} | {item.originalname for item in items}
    if len(items) > 50:  # the whole file was collected
        assert [pattern for pattern in DIFFERENT if not any(fnmatchcase(name, pattern) for name in names)] == []
