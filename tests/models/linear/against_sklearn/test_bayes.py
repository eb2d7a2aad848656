"""scikit-learn's own tests of Bayesian ridge regression, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import NotOurs, Suite

DIFFERENT = {
    "test_*ARD*": NotOurs("is about a class of scikit-learn that Suffice does not have"),
    "test_dtype_match?BayesianRidge-float32?": "coefficients are float64 also for float32 rows; answers are float32",
    "test_bayesian_ridge_score_values": "λ does not begin at 1, from where targets in large units lead to slopes of 0",
}
OURS = {"BayesianRidge": sf.BayesianRidge, "Ridge": sf.Ridge}
SUITE = Suite("linear_model/tests/test_bayes.py", OURS, DIFFERENT, ("BayesianRidge",), warns=True)
globals().update(SUITE.collected())
