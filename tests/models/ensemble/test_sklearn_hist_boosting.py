"""scikit-learn's own tests of histogram gradient boosting, with our classes."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

OURS = {
    "HistGradientBoostingClassifier": sf.HistGradientBoostingClassifier,
    "HistGradientBoostingRegressor": sf.HistGradientBoostingRegressor,
}
PRIVATE = "it looks into private attributes; trees are in `trees_`"
WORDS = "the message has other words"
DIFFERENT = {
    "test_should_stop*": PRIVATE,
    "test_binning_train_validation_are_separated*": PRIVATE,
    "test_small_trainset*": PRIVATE,
    "test_sample_weight_effect*": PRIVATE,
    "test_max_depth_max_leaf_nodes*": PRIVATE,
    "test_early_stopping_with_sample_weights*": PRIVATE,
    "test_raw_predict_is_called_with_custom_scorer*": PRIVATE,
    "test_single_node_trees*": PRIVATE,
    "test_categorical_encoding_strategies*": PRIVATE,
    "test_check_interaction_cst*": PRIVATE,
    "test_categorical_different_order_same_model*": PRIVATE,
    "test_unknown_categories_nan*": "it looks at is_categorical_, and gives −1 for a missing category",
    "test_init_parameters_validation*": WORDS,
    "test_early_stopping_classification[[]loss-0.1-True-5-1e-07-*": LeftOut("which three of 30 rows are held out"),
    "test_gamma_y_positive*": WORDS,
    "test_poisson_y_positive*": WORDS,
    "test_consistent_lengths*": WORDS,
    "test_categorical_spec_errors*": WORDS,
    "test_categorical_bad_encoding_errors*": WORDS,
    "test_infinite_values*": "infinite cells are refused, as everywhere",
    "test_custom_loss*": "losses are ours, in suffice.losses",
    "test_X_val*": "fit takes no rows to judge by; validation_fraction holds some out",
    "test_dataframe_categorical_errors*": "any number of categories is taken; rare ones share a code",
    "test_dataframe_categorical_results_same_as_ndarray*": "it looks into private attributes",
    "test_categorical_spec_no_categories*": "there is no is_categorical_",
    "test_interaction_cst_numerically": "differences of the model without limits must be positive at every single row",
}
suite = Suite(
    "ensemble/_hist_gradient_boosting/tests/test_gradient_boosting.py", OURS, DIFFERENT, tuple(OURS), warns=True
)
globals().update(suite.collected())
