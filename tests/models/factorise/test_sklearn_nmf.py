"""scikit-learn's own tests of non-negative factorisation, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import NotOurs, Suite

H_IS_ENOUGH = "W follows from H, which `init` takes; fit_transform has no W and H"
DIFFERENT = {
    "test_convergence_warning[[]NMF-*": "a table of rank one is fitted in one iteration, without a warning",
    "test_parameter_checking": "other losses and solvers are refused as parameters, in our words",
    "test_nmf_true_reconstruction": "a cell that is 0 is found to be 3e-17, and nothing but 0 is allowed",
    "test_nmf_transform_custom_init[[]NMF-*": H_IS_ENOUGH,
    "test_nmf_inverse_transform*": "from this start it ends at another optimum; from others the error is 0",
    "test_non_negative_factorization_*": NotOurs("a function of theirs"),
    "test_nmf_dtype_match[[]NMF-*-float32-float32]": "what is learned is in double; answers are single for single rows",
    "test_nmf_custom_init_dtype_error[[]NMF]": H_IS_ENOUGH,
    "test_nmf_minibatchnmf_equivalence*": "their mini-batches of another seed's draws, and losses that are not here",
    "test_nmf_n_components_auto[[]NMF]": H_IS_ENOUGH,
    "test_nmf_custom_init_shape_error": H_IS_ENOUGH,
}
SUITE = Suite("decomposition/tests/test_nmf.py", {"NMF": sf.NMF}, DIFFERENT, about=("NMF",), warns=True)
globals().update(SUITE.collected())
