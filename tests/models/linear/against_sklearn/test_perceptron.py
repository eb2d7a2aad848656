"""scikit-learn's own tests of the perceptron, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

OURS = {"Perceptron": sf.Perceptron}
SUITE = Suite("linear_model/tests/test_perceptron.py", OURS, {}, tuple(OURS), warns=True)
globals().update(SUITE.collected())
