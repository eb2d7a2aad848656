"""scikit-learn's own tests of logistic regression, run with our class in place of theirs."""

import numpy as np

import suffice as sf
from sklearn_suite import LeftOut, NotOurs, Suite


def LogisticRegression(tol=1e-4, **options):
    """Theirs stops by the gradient, ours by what an iteration promises to gain, which goes with its square."""
    return sf.LogisticRegression(tol=tol**2, **options)


THEIRS = NotOurs("is about a class of scikit-learn that Suffice does not have")
WORDS = "the error or warning is of the same kind with words of its own"
PENALTY = "penalty is refused, which scikit-learn gives up: C=np.inf is none, l1_ratio=1 is L1"
CALLBACKS = "callbacks are no part of estimators: sf.progress and sf.recording show every fit"
DIGITS = "asks for slopes to 1e-8, where L-BFGS ends once rounding hides what is gained; see below for 1e-7"
SOLVED = "scikit-learn's solver cannot do it, and ours does: their names are taken as auto"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_multinomial_cv_iris*": THEIRS,
    "test_logistic_cv*": THEIRS,
    "test_*LogisticRegressionCV*": THEIRS,
    "test_*[[]*cv?": THEIRS,
    "test_scores_attribute_layout*": THEIRS,
    "test_multinomial_logistic_regression_string_inputs": THEIRS,
    "test_check_solver_option*": SOLVED,
    "test_liblinear_multiclass_raises*": SOLVED,
    "test_liblinear_with_large_values": SOLVED,
    "test_liblinear_dual_random_state": "nothing is drawn, so that no seed makes a difference",
    "test_large_sparse_matrix?*-liblinear?": SOLVED,
    "test_large_sparse_matrix?*-sag?": SOLVED,
    "test_large_sparse_matrix?*-saga?": SOLVED,
    "test_elasticnet_l1_ratio_err_helpful*": PENALTY,
    "test_elastic_net_l1_l2_equivalence*": PENALTY,
    "test_l1_ratio_non_elasticnet": PENALTY,
    "test_penalty_none*": PENALTY,
    "test_penalty_deprecated*": PENALTY,
    "test_lr_penalty_l1ratio_incompatible*": PENALTY,
    "test_l1_ratio_None_deprecated": "l1_ratio=None, which scikit-learn gives up, is refused",
    "test_sparsify*": "coefficients are dense",
    "test_inconsistent_input": WORDS,
    "test_max_iter*-max_iter0?": WORDS,
    "test_max_iter*": "the names of solvers are taken as auto, which needs fewer iterations",
    "test_logreg_predict_proba_multinomial": "a private method of theirs",
    "test_n_iter?*": "n_iter_ is a number, not an array of one",
    "test_newton_cholesky_fallback_to_lbfgs": "n_iter_ is a number, not an array of one",
    "test_dtype_match?*-liblinear?": THEIRS,
    "test_dtype_match*": "coefficients are float64 also for float32 rows; answers are float32",
    "test_c_inf_no_warning*": "classes that a plane separates are warned about: no coefficients are finite",
    "test_zero_max_iter*": "a fit has an iteration at least",
    "test_logisticregression_warns_with_n_jobs": "n_jobs is taken without effect",
    "test_logistic_regression_callback*": CALLBACKS,
    "test_logistic_glmnet[[]lbfgs?": LeftOut(DIGITS),
}
OURS = {"LogisticRegression": LogisticRegression}
SUITE = Suite("linear_model/tests/test_logistic.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())


def test_lbfgs_against_glmnet():
    """The values of glmnet in scikit-learn's test, to as many digits as the objective shows."""
    X = np.array([[-4, -3, -2, -1, 0, 1, 2, 3, 4], [0, 0, 1, 0, 1, 1, 1, 0, 0]]).T
    two, three = np.repeat([0, 1], [3, 6]), np.repeat([0, 1, 2], 3)
    model = sf.LogisticRegression(C=1 / 9, solver="lbfgs")
    np.testing.assert_allclose(model.fit(X, two).coef_, [[0.44464569182, 0.01457563448]], rtol=1e-5, atol=1e-7)
    glmnet = [[-0.38023389305, -0.01226499932], [-8.164030176e-05, 4.734548012e-02], [0.3803155334, -0.0350804808]]
    np.testing.assert_allclose(model.set_params(tol=1e-16).fit(X, three).coef_, glmnet, rtol=1e-5, atol=1e-7)
