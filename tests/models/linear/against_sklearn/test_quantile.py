"""scikit-learn's own tests of quantile regression, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

DIFFERENT = {
    "test_error_interior_point_future": "the error is the same kind (ValueError) with words of its own",
}
OURS = {"HuberRegressor": sf.HuberRegressor, "QuantileRegressor": sf.QuantileRegressor}
SUITE = Suite("linear_model/tests/test_quantile.py", OURS, DIFFERENT, ("QuantileRegressor",), warns=True)
globals().update(SUITE.collected())
