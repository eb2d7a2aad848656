"""scikit-learn's own tests of the lasso and the elastic net of sparse rows, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import NotOurs, Suite

THEIRS = NotOurs("is about a class of scikit-learn that Suffice does not have: alpha='cv' takes its place")
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_*CV*": THEIRS,
    "test_sparse_enet_coordinate_descent*": "one iteration is enough to converge",
}
OURS = {"ElasticNet": sf.ElasticNet, "Lasso": sf.Lasso}
SUITE = Suite("linear_model/tests/test_sparse_coordinate_descent.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())
