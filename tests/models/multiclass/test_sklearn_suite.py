"""scikit-learn's own tests of one against the rest, one against one and output codes, run with our classes."""

import suffice as sf
from sklearn_suite import Suite

LABELS = "a row has one class: rows with several labels are not taken"
ROWS = "classifiers learn from sources of rows, chunk by chunk: no partial_fit, and no matrix of pairs of rows"
CLASSIFIER = "the estimator must be a classifier by its tags: no regressor, nor a bare class with fit and predict"
WORDS = "the error is the same kind with words of its own"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_ovr_fit_predict_sparse*": LABELS,
    "test_ovr_always_present": LABELS,
    "test_ovr_multiclass": LABELS,
    "test_ovr_multilabel*": LABELS,
    "test_ovr_partial_fit*": ROWS,
    "test_ovo_partial_fit_predict": ROWS,
    "test_multiclass_estimator_attribute_error": ROWS,
    "test_pairwise*": ROWS,
    "test_ovr_ties": CLASSIFIER,
    "test_ovr_ovo_regressor": CLASSIFIER,
    "test_ovr_binary": CLASSIFIER,
    "test_ovr_single_label_predict_proba*": CLASSIFIER,
    "test_ovr_exceptions": WORDS,
    "test_ecoc_delegate_sparse_base_estimator*": WORDS,
    "test_ovo_one_class": "of one class, that class is predicted",
    "test_constant_int_target*": "of one class, that class alone has a column of probabilities",
    "test_support_missing_values*": "a pipeline of theirs does not say that it takes missing values",
}
OURS = {name: getattr(sf, name) for name in ("OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier")}
SUITE = Suite("tests/test_multiclass.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
