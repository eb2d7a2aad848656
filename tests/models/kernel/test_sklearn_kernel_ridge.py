"""scikit-learn's own tests of kernel ridge regression, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

DIFFERENT = {
    "test_kernel_ridge_sparse*": "rows are dense; a sparse table is refused in one sentence",
    "test_kernel_ridge_precomputed": LeftOut("it goes through their names of kernels, of which ours are others"),
}
SUITE = Suite("tests/test_kernel_ridge.py", {"KernelRidge": sf.KernelRidge}, DIFFERENT, ("KernelRidge",), warns=True)
globals().update(SUITE.collected())
