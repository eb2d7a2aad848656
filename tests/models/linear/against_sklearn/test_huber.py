"""scikit-learn's own tests of Huber's regression, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

DIFFERENT = {
    "test_huber_warm_start": "tol is a part of the objective, not a gradient: 0.1 of it ends the first fit early"
}
OURS = {name: getattr(sf, name) for name in ("HuberRegressor", "LinearRegression", "Ridge", "SGDRegressor")}
SUITE = Suite("linear_model/tests/test_huber.py", OURS, DIFFERENT, ("HuberRegressor",), warns=True)
globals().update(SUITE.collected())
