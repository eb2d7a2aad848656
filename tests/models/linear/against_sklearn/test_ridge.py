"""scikit-learn's own tests of ridge regression, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import NotOurs, Suite

THEIRS = NotOurs("is about a class of scikit-learn that Suffice does not have")
WORDS = "the error is the same kind (ValueError) with words of its own"
SOLVED = "scikit-learn's solver cannot do it, and ours does: their names are taken as auto"
FLOATS = "coefficients are float64 also for float32 rows; answers are float32"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_*cv*": THEIRS,
    "test_*CV*": THEIRS,
    "test_ridge_gcv*": THEIRS,
    "test_*lassifier*": THEIRS,
    "test_dense_sparse*": THEIRS,
    "test_ridge_regression[[]*": "solver_ is no attribute: rows and columns decide what is done",
    "test_ridge_positive_error_test*": SOLVED,
    "test_ridge_fit_intercept_sparse_error*": SOLVED,
    "test_ridge_fit_intercept_sparse_sag*": SOLVED + ", without a warning",
    "test_lbfgs_solver_error": SOLVED,
    "test_dtype_match*": FLOATS,
    "test_ridge_shapes_type": "intercept_ is a float of one target, not an array of no dimension",
    "test_ridge_individual_penalties": WORDS,
    "test_raises_value_error_if_sample_weights_greater_than_1d": WORDS,
    "test_n_iter": "n_iter_ is no attribute: there are no iterations",
}
OURS = {"LinearRegression": sf.LinearRegression, "Ridge": sf.Ridge}
SUITE = Suite("linear_model/tests/test_ridge.py", OURS, DIFFERENT, ("Ridge",), warns=True)
globals().update(SUITE.collected())
