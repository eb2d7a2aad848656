"""scikit-learn's own tests of forests, run with our classes."""

import suffice as sf
from sklearn_suite import Suite

ONE = "one label a row; several targets are for numbers"
FLAG = "oob_score is True or False; score_out_of_bag judges by the accuracy or R²"
LIST = "the trees are in estimators_; the forest is no list"
PRIVATE = "it looks at private attributes of theirs"
WORDS = "the error or warning is the same kind with words of its own, or there is none"
DRAWS = "rows are drawn by weight, and whole weights as repeated rows: others by scale"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_classification_toy*": LIST,
    "test_parallel?[ER]*": LIST,
    "test_importances?RandomForest*gini*": DRAWS,
    "test_importances?RandomForestRegressor*": DRAWS,
    "test_forest_classifier_oob?True-X3*": ONE,
    "test_forest_classifier_oob?oob_score1*": FLAG,
    "test_forest_regressor_oob?explained_variance_score*": FLAG,
    "test_classifier_error_oob_score_multiclass_multioutput*": ONE,
    "test_forest_multioutput_integral_regression_target*": "it draws the rows of trees again by code of theirs",
    "test_multioutput?[ER]*Classifier*": ONE,
    "test_multioutput_string*": ONE,
    "test_class_weight_balanced_and_bootstrap_multi_output*": ONE,
    "test_classes_shape*": ONE,
    "test_class_weight_errors*": ONE,
    "test_sparse_input*Classifier*": ONE,
    "test_distribution": "the nodes of a tree stand in another order: siblings side by side",
    "test_validate_y_class_weight*": PRIVATE,
    "test_class_weights_forest*": PRIVATE,
    "test_min_impurity_decrease": "a tree of a forest is its nodes, and has not the parameters of the forest",
    "test_poisson_y_positive_check": WORDS,
    "test_forest_y_sparse*": WORDS,
    "test_friedman_mse_deprecation*": "friedman_mse is squared_error here, without a warning",
    "test_backend_respected": "trees grow on threads of our own, not by joblib",
    "test_mse_criterion_object_segfault_smoke_test*": "a criterion is named, and no object of theirs",
    "test_round_samples_to_one_when_samples_too_low*balanced_subsample*": "class_weight is balanced over all rows",
}
NAMES = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
OURS = {name: getattr(sf, name) for name in NAMES}
SUITE = Suite("ensemble/tests/test_forest.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
