"""scikit-learn's own tests of trees, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

_LABELS = "one label a row; several targets are for numbers"
DIFFERENT = {
    "test_importances_raises": "what follows from a fit raises AttributeError before it, as in every estimator here",
    "test_error": "messages are our own",
    "test_multioutput?DecisionTreeRegressor-absolute_error*": "medians are of one target at a time",
    "test_multioutput?DecisionTreeClassifier*": _LABELS,
    "test_classes_shape": _LABELS,
    "test_unbalanced_iris": "limits count weight, as weights are repeated rows; theirs count rows",
    "test_sample_weight_invalid": "messages are our own",
    "test_class_weights?DecisionTree*": "class_weight is of one target: a mapping, not a list of them",
    "test_class_weight_errors?DecisionTree*": "class_weight is of one target: a mapping, not a list of them",
    "test_big_input": "numbers are doubles, so that 1e39 is one",
    "test_huge_allocations": "a limit takes no memory: trees grow as large as they get",
    "test_decision_path_hardcoded": LeftOut("paths are matrices of another module, with tests of their own"),
    "test_sparse_input?*multilabel-DecisionTreeClassifier*": _LABELS,
    "test_sparse_input_reg_trees?*diabetes-DecisionTreeRegressor*": "rows of float32 have answers of float32",
    "test_mae": "limits count weight, so that a leaf of weight 0.7 is too light",
    "test_prune_tree_classifier_are_subtrees?DecisionTreeClassifier-multilabel*": _LABELS,
    "test_missing_value_errors?tree0-*": "NaN in a sparse table is a missing cell",
    "test_build_pruned_tree*": "it fills a structure of theirs by its own functions",
    "test_deterministic_pickle": "`history_` holds how long a fit took",
    "test_friedman_mse_deprecation": "friedman_mse is squared_error here, without a warning",
}
CLASSES = ("DecisionTreeClassifier", "DecisionTreeRegressor")
OURS = {name: getattr(sf, name) for name in CLASSES}
SUITE = Suite("tree/tests/test_tree.py", OURS, DIFFERENT, CLASSES, warns=True)
globals().update(SUITE.collected())
