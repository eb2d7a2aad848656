"""scikit-learn's own tests of Gaussian process classification, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

_TEXT = "rows are tables of numbers; kernels of text are in suffice.kernels"
DIFFERENT = {
    "test_predict_consistent_structured": _TEXT,
    "test_latent_mean_and_variance_works_on_structured_kernels": _TEXT,
    "test_lml_without_cloning_kernel?kernel[!1]?": "kernels are values: nothing is changed in their place",
    "test_random_starts": "the likelihood is a Python float, and their constant of single precision rounds it",
    "test_warning_bounds": "messages are our own",
    "test_gpc_fit_error?params0*": "a kernel is anything by their protocol; what it gives is looked at",
    "test_gpc_latent_mean_and_variance_complain_on_more_than_2_classes": "every class has a function, with a variance",
}
OURS = {"GaussianProcessClassifier": sf.GaussianProcessClassifier}
SUITE = Suite("gaussian_process/tests/test_gpc.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
