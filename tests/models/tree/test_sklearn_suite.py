"""scikit-learn's own tests of trees, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

_TREE = "the tree is `trees_`, one structure for one or many trees; there is no `tree_`"
_DENSE = "rows are dense: a tree looks at every cell of a column, also at those that are 0"
_LABELS = "one label a row; several targets are for numbers"
DIFFERENT = {
    "test_importances_raises": "what follows from a fit raises AttributeError before it, as in every estimator here",
    "test_importances_gini_equal_squared_error": _TREE,
    "test_error": "messages are our own",
    "test_min_impurity_decrease?DecisionTree*": _TREE,
    "test_multioutput?DecisionTreeRegressor-absolute_error*": "medians are of one target at a time",
    "test_multioutput?DecisionTreeClassifier*": _LABELS,
    "test_classes_shape": _LABELS,
    "test_unbalanced_iris": "limits count weight, as weights are repeated rows; theirs count rows",
    "test_sample_weight": _TREE,
    "test_sample_weight_invalid": "messages are our own",
    "test_class_weights?DecisionTree*": "class_weight is of one target: a mapping, not a list of them",
    "test_class_weight_errors?DecisionTree*": "class_weight is of one target: a mapping, not a list of them",
    "test_arrays_persist": _TREE,
    "test_with_only_one_non_constant_features": _TREE,
    "test_big_input": "numbers are doubles, so that 1e39 is one",
    "test_huge_allocations": "a limit takes no memory: trees grow as large as they get",
    "test_sparse_input?*DecisionTree*": _DENSE,
    "test_sparse_input_reg_trees?*DecisionTree*": _DENSE,
    "test_sparse_criteria?*DecisionTree*": _DENSE,
    "test_explicit_sparse_zeros?*DecisionTree*": _DENSE,
    "test_decision_path_hardcoded": LeftOut("paths are matrices of another module, with tests of their own"),
    "test_mae": _TREE,
    "test_empty_leaf_infinite_threshold*": _TREE,
    "test_prune_tree_classifier_are_subtrees?DecisionTree*iris]": _TREE,
    "test_prune_tree_classifier_are_subtrees?DecisionTree*[!r]??]": _TREE,  # all but the table of zeros: one leaf
    "test_prune_tree_regression_are_subtrees?DecisionTree*iris]": _TREE,
    "test_prune_tree_regression_are_subtrees?DecisionTree*[!r]??]": _TREE,  # all but the table of zeros: one leaf
    "test_prune_single_node_tree": _TREE,
    "test_criterion_entropy_same_as_log_loss?*DecisionTree*": _TREE,
    "test_tree_deserialization_from_read_only_buffer": _TREE,
    "test_missing_value_errors?tree0-*": _DENSE,
    "test_deterministic_pickle": "`history_` holds how long a fit took",
    "test_regression_tree_missing_values_toy?*DecisionTree*": _TREE,
    "test_classification_tree_missing_values_toy": _TREE,
    "test_build_pruned_tree*": _TREE,
    "test_absolute_error_accurately_predicts_weighted_median": _TREE,
    "test_splitting_with_missing_values": _TREE,
    "test_missing_values_and_constant_toy": _TREE,
    "test_friedman_mse_deprecation": "friedman_mse is squared_error here, without a warning",
}
CLASSES = ("DecisionTreeClassifier", "DecisionTreeRegressor")
OURS = {name: getattr(sf, name) for name in CLASSES}
SUITE = Suite("tree/tests/test_tree.py", OURS, DIFFERENT, CLASSES, warns=True)
globals().update(SUITE.collected())
