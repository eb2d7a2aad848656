"""scikit-learn's own tests of isolation forests, run with our class."""

import suffice as sf
from sklearn_suite import Suite

ABSENT = "bootstrap and warm_start are parameters of theirs alone"
WARNS = "max_samples above the number of rows takes all of them, without a warning"
PRIVATE = "it looks at private attributes of theirs"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_iforest": ABSENT,
    "test_iforest_sparse?c*": ABSENT,
    "test_iforest_warm_start": ABSENT,
    "test_iforest_error": WARNS,
    "test_max_samples_attribute": WARNS,
    "test_recalculate_max_depth": "the trees are in trees_, and are no estimators",
    "test_max_samples_consistency": PRIVATE,
    "test_iforest_chunks_works*": "it counts calls of a private function of theirs",
}
OURS = {"IsolationForest": sf.IsolationForest}
SUITE = Suite("ensemble/tests/test_iforest.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
