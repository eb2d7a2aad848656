"""scikit-learn's own tests of linear support vector machines, run with our classes in place of theirs."""

import sklearn.linear_model
import sklearn.svm

from sklearn_suite import Suite, with_ours

# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_linearsvc_parameters?*-l1-hinge?": "the error is the same kind (ValueError) with words of its own",
    "test_linearsvc_parameters?True-l1-squared_hinge?": "dual is taken without effect: it says how the work is done",
    "test_linearsvc_parameters?False-l2-hinge?": "dual is taken without effect: it says how the work is done",
    "test_dense_liblinear_intercept_handling": "no penalty touches the intercept, so there is no intercept_scaling",
    "test_bad_input?lil_*": "sparse rows are taken after a dense fit, with the same answers",
    "test_linear_svm_convergence_warnings": "the warning is a ConvergenceWarning with words of its own",
}
OURS = {"linear_model": with_ours(sklearn.linear_model), "svm": with_ours(sklearn.svm)}
SUITE = Suite("svm/tests/test_svm.py", OURS, DIFFERENT, ("LinearSVC", "LinearSVR"), warns=True)
globals().update(SUITE.collected())
