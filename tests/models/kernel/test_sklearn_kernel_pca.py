"""scikit-learn's own tests of kernel principal components, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

_OWN = "messages are our own"
DIFFERENT = {
    "test_kernel_pca": "a function is one of two tables, and gives a matrix",
    "test_kernel_pca_invalid_parameters": _OWN,
    "test_kernel_pca_sparse*": "rows are dense; a sparse table is refused in one sentence",
    "test_remove_zero_eig": "one component is left where all eigenvalues are 0, as a table has columns",
    "test_kernel_pca_precomputed_non_symmetric*": "a matrix that is not symmetric is refused",
    "test_precomputed_kernel_not_psd*": _OWN,
    "test_kernel_pca_raise_not_fitted_error": _OWN,
}
OURS = {"KernelPCA": sf.KernelPCA}
SUITE = Suite("decomposition/tests/test_kernel_pca.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
