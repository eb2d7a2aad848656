"""scikit-learn's own tests of what its linear models have in common, run with our classes in place of theirs."""

import sklearn.linear_model

import suffice as sf
from sklearn_suite import Suite

COLUMN = "a y of shape (n, 1) holds several targets, of which there is one, also for LinearRegression"
DIFFERENT = {
    "test_linear_model_regressor_coef_shape?2-ElasticNet?": COLUMN,
    "test_linear_model_regressor_coef_shape?2-Lasso?": COLUMN,
    "test_linear_model_regressor_coef_shape?2-Ridge?": COLUMN,
}
OURS = {
    name: getattr(sf, name) for name in (*sklearn.linear_model.__all__, "LinearSVC", "LinearSVR") if hasattr(sf, name)
}
SUITE = Suite("linear_model/tests/test_common.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
