"""scikit-learn's own tests of the truncated SVD, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

DIFFERENT = {"test_too_many_components[[]arpack-55]": "the exact decomposition gives as many components as columns"}
SUITE = Suite("decomposition/tests/test_truncated_svd.py", {"TruncatedSVD": sf.TruncatedSVD}, DIFFERENT)
globals().update(SUITE.collected())
