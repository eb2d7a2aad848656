"""scikit-learn's own tests of multilayer perceptrons, run with our classes by their parameters."""

import suffice as sf
from sklearn_suite import LeftOut, NotOurs, Suite
from suffice.layers import Dense
from suffice.optimizers import SGD, Adam

_SAME = ("max_iter", "shuffle", "random_state", "tol", "warm_start", "early_stopping", "n_iter_no_change")


def _given(
    hidden_layer_sizes=(100,), activation="relu", *, solver="adam", alpha=1e-4, batch_size="auto",
    learning_rate="constant", learning_rate_init=1e-3, power_t=0.5, momentum=0.9, nesterovs_momentum=True,
    validation_fraction=0.1, beta_1=0.9, beta_2=0.999, epsilon=1e-8, verbose=False, max_fun=15000, tol=1e-4, **more,
):  # fmt: skip
    """Our parameters by theirs."""
    sizes = hidden_layer_sizes if hasattr(hidden_layer_sizes, "__len__") else [hidden_layer_sizes]
    sgd = SGD(learning_rate_init, momentum, nesterov=nesterovs_momentum and momentum > 0)
    return {
        "layers": [Dense(size, activation) for size in sizes],
        "optimizer": sgd if solver == "sgd" else Adam(learning_rate_init, beta_1, beta_2, epsilon),
        "weight_decay": alpha / 200, "batch_size": 200 if batch_size == "auto" else batch_size, "tol": tol,
        "validation_fraction": validation_fraction, "standardize": False, **more,
    }  # fmt: skip


def classifier(loss="cross_entropy", hidden_layer_sizes=(100,), activation="relu", **given):
    return sf.NeuralClassifier(**_given(hidden_layer_sizes, activation, **given))


def regressor(loss="squared", hidden_layer_sizes=(100,), activation="relu", **given):
    return sf.NeuralRegressor(**_given(hidden_layer_sizes, activation, **given), loss=loss)


def _called_classifier(hidden_layer_sizes=(100,), activation="relu", **given):
    return classifier("cross_entropy", hidden_layer_sizes, activation, **given)


LBFGS = NotOurs("L-BFGS is no optimiser of nets here, whose rows come in batches")
WORDS = "the error or warning is of the same kind with words of its own"
CURVES = "losses of rows held out stand in history_, and the best parameters are kept"
MULTILABEL = "a row has one class; several targets are for the regressor"
ENDLESS = "n_iter_no_change is a number: tol=None goes on to the last epoch"
SPARSE = "rows must be dense"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_fit": "sets private attributes of theirs",
    "test_gradient": "asks a private method of theirs; our contract compares with finite differences as well",
    "test_lbfgs_*": LBFGS,
    "test_multioutput_regression": LBFGS,
    "test_mlp_vs_poisson_glm_equivalent*": LBFGS,
    "test_predict_proba_binary": LeftOut("as test_predict_proba_multiclass"),
    "test_learning_rate_warmstart": "theirs has an object for the optimiser of its last fit",
    "test_adaptive_learning_rate": "theirs has an object for the optimiser of its last fit",
    "test_multilabel_classification": MULTILABEL,
    "test_predict_proba_multilabel": MULTILABEL,
    "test_partial_fit_errors": "all optimisers go epoch by epoch",
    "test_nonfinite_params": "what overflows ends the fit with a warning, and the last good parameters",
    "test_sparse_matrices*": SPARSE,
    "test_verbose_sgd": "sf.progress shows iterations",
    "test_early_stopping[[]*": CURVES,
    "test_mlp_warm_start_with_early_stopping*": CURVES,
    "test_mlp_early_stopping_string_labels": CURVES,
    "test_mlp_diverging_loss": CURVES,
    "test_warm_start": WORDS,
    "test_mlp_partial_fit_after_fit*": WORDS,
    "test_early_stopping_stratified": "rows held out are drawn by number, not by class",
    "test_minimum_input_sample_size": WORDS,
    "test_n_iter_no_change": "counts in a private attribute",
    "test_n_iter_no_change_inf": ENDLESS,
    "test_mlp_warm_start_no_convergence*": ENDLESS,
    "test_preserve_feature_names?_called_classifier?": "y has one class there, and two are needed",
    "test_preserve_feature_names?regressor?": LeftOut("no seed: chance decides whether it warns of its last epoch"),
    "test_mlp_loading_from_joblib_partial_fit": LeftOut("takes long, and epochs go on in tests of ours"),
    "test_partial_fit_classification": LeftOut("takes long, and epochs go on in tests of ours"),
    "test_alpha": LeftOut("takes long; weight decay is compared with the formula"),
}
SUITE = Suite(
    "neural_network/tests/test_mlp.py",
    {"MLPClassifier": _called_classifier, "MLPRegressor": regressor},
    DIFFERENT,
    warns=True,
)
globals().update(SUITE.collected())
