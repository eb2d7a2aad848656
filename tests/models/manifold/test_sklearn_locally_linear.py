"""scikit-learn's own tests of locally linear embedding, run with our class in place of theirs."""

import sklearn.manifold as manifold

from sklearn_suite import Suite, with_ours

DIFFERENT = {}
SUITE = Suite(
    "manifold/tests/test_locally_linear.py", {"manifold": with_ours(manifold)}, DIFFERENT,
    about=("LocallyLinearEmbedding",), warns=True,
)  # fmt: skip
globals().update(SUITE.collected())
