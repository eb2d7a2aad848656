"""scikit-learn's own tests of explicit feature maps of kernels, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

_MESSAGES = "messages are our own"
DIFFERENT = {
    "test_additive_chi2_sampler": "rows are dense, though a cell of 0 has features of 0",
    "test_polynomial_count_sketch?*-5000-*": LeftOut("it takes ten seconds and says what the smaller ones say"),
    "test_additive_chi2_sampler_sample_steps?*-transform*": "a model answers after a fit, which here takes no time",
    "test_additive_chi2_sampler_wrong_sample_steps": _MESSAGES,
    "test_skewed_chi2_sampler": _MESSAGES,
    "test_rbf_sampler": LeftOut("chance decides it: of twenty seeds seven pass, with either class"),
    "test_rbf_sampler_gamma_scale": "it reads a private attribute",
    "test_nystroem_approximation": "a function is one of two tables, and the tanh kernel, no inner product, is refused",
    "test_nystroem_poly_kernel_params": "powers are whole: others have no features",
    "test_nystroem_callable": "a function is one of two tables",
    "test_nystroem_precomputed_kernel": "a matrix is a kernel, PrecomputedKernel, of the numbers of its rows",
}
CLASSES = ("AdditiveChi2Sampler", "Nystroem", "PolynomialCountSketch", "RBFSampler", "SkewedChi2Sampler")
OURS = {name: getattr(sf, name) for name in CLASSES}
SUITE = Suite("tests/test_kernel_approximation.py", OURS, DIFFERENT, CLASSES, warns=True)
globals().update(SUITE.collected())
