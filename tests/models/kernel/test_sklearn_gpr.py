"""scikit-learn's own tests of Gaussian process regression, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

_PRIOR = "a model that was not fitted says so, as every estimator here; theirs gives the prior"
DIFFERENT = {
    "test_gpr_interpolation_structured*": "rows are tables of numbers; kernels of text are in suffice.kernels",
    "test_lml_without_cloning_kernel?kernel[!1]?": "kernels are values: nothing is changed in their place",
    "test_prior*": _PRIOR,
    "test_no_fit_default_predict": _PRIOR,
    "test_sample_y_shape_with_prior*": _PRIOR,
    "test_predict_shape_with_prior*": _PRIOR,
    "test_n_targets_error": _PRIOR,
    "test_no_optimizer?None-None?": "the default kernel is learned; theirs is fixed",
    "test_random_starts": "the likelihood is a Python float, and their constant of single precision rounds it",
    "test_gpr_correct_error_message": "messages are our own",
    "test_warning_bounds": "messages are our own",
    "test_constant_target*": "it reads private attributes",
    "test_gpr_fit_error*": "messages are our own",
    "test_gpr_lml_error": "a gradient at the theta of the fit needs no theta",
    "test_gpr_predict_error": "messages are our own",
}
OURS = {"GaussianProcessRegressor": sf.GaussianProcessRegressor}
SUITE = Suite("gaussian_process/tests/test_gpr.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
