"""scikit-learn's own tests of the lasso and the elastic net, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import NotOurs, Suite

THEIRS = NotOurs("is about a class of scikit-learn that Suffice does not have: alpha='cv' takes its place")
WORDS = "the error or warning is of the same kind with words of its own"
CHECK = "check_input is no argument of fit: rows are always checked, and never changed"
PRECOMPUTE = "precompute is taken without effect: a Gram matrix of the user's is not used"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_*CV*": THEIRS,
    "test_*cv*": THEIRS,
    "test_*MultiTask*": THEIRS,
    "test_enet_nonfinite_params": WORDS,
    "test_lasso_dual_gap": "the dual point is another, about the mean of the residuals, and the gap so small",
    "test_lasso_alpha_warning": "alpha=0 is solved as any other, and not warned about",
    "test_elasticnet_precompute_incorrect_gram": PRECOMPUTE,
    "test_overridden_gram_matrix": PRECOMPUTE,
    "test_warm_start_convergence?*": "the iteration that sees that there is nothing to do is counted",
    "test_warm_start_convergence_with_regularizer_decrement": "iterations are rounds over working sets, of which both "
    "problems take as many",
    "test_check_input_false": CHECK,
    "test_enet_copy_X*": CHECK,
    "test_enet_sample_weight_does_not_overwrite_sample_weight*": CHECK,
    "test_enet_float_precision": "coefficients are float64 also for float32 rows; answers are float32",
    "test_enet_coordinate_descent_raises_convergence?Lasso*": "one iteration is enough to converge",
    "test_enet_coordinate_descent_raises_convergence*": THEIRS,
}
OURS = {name: getattr(sf, name) for name in ("ElasticNet", "Lasso", "LinearRegression", "Ridge")}
SUITE = Suite("linear_model/tests/test_coordinate_descent.py", OURS, DIFFERENT, ("ElasticNet", "Lasso"), warns=True)
globals().update(SUITE.collected())
