"""scikit-learn's own tests of bagging, run with our classes."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

SPARSE = "sparse rows are in CSR, whatever kind was given"
MODEL = "the estimator must be a classifier or a regressor by its tags, not a bare class with fit and predict"
LIST = "the models are in estimators_; the ensemble is no list, and there is no copy of the model as estimator_"
SEEDS = "the draws follow from seeds_, and are not kept as lists of rows"
WORDS = "the error or warning is the same kind with words of its own"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_sparse_classification*csc*": SPARSE,
    "test_sparse_regression*csc*": SPARSE,
    "test_bootstrap_samples": MODEL,
    "test_draw_indices_using_sample_weight*": MODEL,
    "test_estimator": LIST,
    "test_bagging_with_pipeline": LIST,
    "test_warm_start": LIST,
    "test_estimators_samples*": SEEDS,
    "test_bagging_get_estimators_indices": SEEDS,
    "test_max_samples_consistency": SEEDS,
    "test_oob_score_classification": WORDS,
    "test_oob_score_regression": WORDS,
    "test_warning_bootstrap_sample_weight": WORDS,
    "test_invalid_sample_weight_max_samples_bootstrap_combinations": WORDS,
    "test_warm_start_equal_n_estimators": "a warm start without more models changes nothing, and needs no warning",
    "test_warm_start_with_oob_score_fails": "rows out of the bag are found again by the seeds, also after a warm start",
    "test_bagging_*_with_missing_inputs": "a pipeline of theirs does not say that it takes missing values",
    "test_bagging_small_max_features": LeftOut("other draws than theirs may hold one class, which their model refuses"),
    "test_metadata_routing_with_dynamic_method_selection*": "predict takes rows alone",
}
OURS = {name: getattr(sf, name) for name in ("BaggingClassifier", "BaggingRegressor")}
SUITE = Suite("ensemble/tests/test_bagging.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
