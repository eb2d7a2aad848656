"""scikit-learn's own tests of AdaBoost, run with our classes."""

import suffice as sf
from sklearn_suite import Suite

WORDS = "the error is the same kind with words of its own"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_sparse_*csc*": "sparse rows are in CSR, whatever kind was given",
    "test_adaboost_classifier_sample_weight_error": WORDS,
    "test_adaboost_negative_weight_error*": WORDS,
    "test_adaboostclassifier_without_sample_weight": WORDS,
    "test_estimator": WORDS,
    "test_sample_weight_adaboost_regressor": "the weak learner must be a regressor by its tags",
    "test_multidimensional_X": "rows have one dimension",
    "test_sample_weights_infinite": "weights sum to 1 after every round, so none is infinite",
}
OURS = {"AdaBoostClassifier": sf.AdaBoostClassifier, "AdaBoostRegressor": sf.AdaBoostRegressor}
SUITE = Suite("ensemble/tests/test_weight_boosting.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
