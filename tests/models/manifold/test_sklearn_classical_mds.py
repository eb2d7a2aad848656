"""scikit-learn's own tests of classical scaling, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

DIFFERENT = {
    "test_classical_mds_wrong_inputs": "our words: must be symmetric; needs a square matrix",
    "test_classical_mds_metric_params": "p is part of a distance, Minkowski(p=2)",
}
SUITE = Suite(
    "manifold/tests/test_classical_mds.py", {"ClassicalMDS": sf.ClassicalMDS}, DIFFERENT, about=("ClassicalMDS",),
    warns=True,
)  # fmt: skip
globals().update(SUITE.collected())
