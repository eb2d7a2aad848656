"""scikit-learn's own tests of naive Bayes and the discriminants, run with our classes in place of theirs."""

import ast
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sklearn

import suffice as sf

FOLDER = Path(sklearn.__file__).parent / "tests"


def LinearDiscriminantAnalysis(solver=None, store_covariance=None, tol=None, **options):
    """Theirs has three solvers for one answer, and keeps the covariance only if told so."""
    return sf.LinearDiscriminant(**options)


def QuadraticDiscriminantAnalysis(solver=None, store_covariance=None, tol=None, **options):
    return sf.QuadraticDiscriminant(**options)


SUITES = {
    "test_naive_bayes.py": {
        "BernoulliNB": sf.BernoulliNB,
        "CategoricalNB": sf.CategoricalNB,
        "GaussianNB": sf.GaussianNB,
        "MultinomialNB": sf.MultinomialNB,
    },
    "test_discriminant_analysis.py": {
        "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis,
        "QuadraticDiscriminantAnalysis": QuadraticDiscriminantAnalysis,
    },
}

WORDS = "the error is the same kind (ValueError) with words of its own"
CLASSES = "classes may turn up at any time, and need not be named in the first call of partial_fit"
ALPHA = "force_alpha is no parameter: alpha is taken as it is, and 0 makes what was never seen impossible"
ESTIMATOR = "covariance_estimator is no parameter; test_discriminants.py compares both shrinkages with theirs"
SOLVER = "the solver is no parameter: there is one, which shrinks and transforms"
KEPT = "the covariance is always kept; test_discriminants.py compares it with theirs"
FLOOR = "a singular covariance is raised to a floor with a warning; test_discriminants.py has the cases"
# Every test that is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_gnb": WORDS,
    "test_gnb_neg_priors": WORDS,
    "test_gnb_wrong_nb_priors": WORDS,
    "test_gnb_prior_greater_one": WORDS,
    "test_gnb_check_update_with_no_data": "calls a private function of scikit-learn",
    "test_NB_partial_fit_no_first_classes?[!C]*": CLASSES,
    "test_NB_partial_fit_no_first_classes?CategoricalNB?": CLASSES,
    "test_discretenb_provide_prior?[!C]*": WORDS,
    "test_discretenb_provide_prior?CategoricalNB?": WORDS,
    "test_discretenb_provide_prior_with_partial_fit?CategoricalNB?": "the lengths of iris are no codes; theirs cuts "
    "their digits off",
    "test_categoricalnb_min_categories_errors*": WORDS,
    "test_alpha*": ALPHA,
    "test_check_alpha": ALPHA,
    "test_lda_predict": SOLVER,
    "test_lda_priors": WORDS + "; priors that do not sum to 1 are refused, not scaled",
    "test_lda_transform": SOLVER,
    "test_lda_store_covariance": KEPT,
    "test_lda_shrinkage*": ESTIMATOR,
    "test_lda_ledoitwolf": ESTIMATOR,
    "test_lda_dtype_match?float32*": "attributes are float64 also for float32 rows; answers are float32",
    "test_qda[[]*": FLOOR,
    "test_qda_covariance_estimator": ESTIMATOR,
    "test_qda_ledoitwolf": ESTIMATOR,
    "test_qda_store_covariance*": KEPT,
    "test_qda_regularization*": FLOOR,
    "test_raises_value_error_on_*": FLOOR,
    "test_get_feature_names_out": "the name of the class is another",
}


def _load(name):
    """Their module with our names set after its imports, before any decorator is evaluated."""
    path = FOLDER / name
    tree = ast.parse(path.read_text(encoding="utf-8"))
    last = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
    tree.body[last + 1 : last + 1] = ast.parse("globals().update(_ours)").body
    module = sys.modules[f"suffice_runs_{path.stem}"] = ModuleType(f"suffice_runs_{path.stem}")
    module.__dict__["_ours"] = SUITES[name]
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)
    tests = {name: value for name, value in vars(module).items() if name.startswith("test_") and callable(value)}
    tests.pop("test_gnb_array_api_compliance", None)  # needs other array libraries and private helpers
    return tests


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


if FOLDER.exists():
    for suite in SUITES:
        globals().update(_load(suite))
else:
    pytest.skip("the installed scikit-learn does not ship its tests", allow_module_level=True)


def test_nothing_is_listed_that_is_not_there(request):
    items = [item for item in request.session.items if item.fspath == request.node.fspath]
    names = {item.name for item in items} | {item.originalname for item in items}
    if len(items) > 100:  # the whole file was collected
        assert [pattern for pattern in DIFFERENT if not any(fnmatchcase(name, pattern) for name in names)] == []
