"""scikit-learn's own tests of multidimensional scaling, run with our classes in place of theirs."""

import sklearn.manifold as manifold

from sklearn_suite import LeftOut, Suite, with_ours

EXACT = "the places fit exactly, so that the stress is rounding, which is not theirs"
DIFFERENT = {
    "test_normalized_stress_auto*": LeftOut("it watches a private function of theirs"),
    "test_returned_stress*": EXACT,
    "test_future_warning_init_and_metric": "nothing of that is to change; metric='precomputed' says what X holds",
    "test_classical_mds_init_to_mds": "where a run begins is the parameter init, not an argument of fit",
}
SUITE = Suite(
    "manifold/tests/test_mds.py",
    {"mds": with_ours(manifold), "ClassicalMDS": with_ours(manifold).ClassicalMDS},
    DIFFERENT,
    about=("MDS", "ClassicalMDS"),
    warns=True,
)
globals().update(SUITE.collected())
