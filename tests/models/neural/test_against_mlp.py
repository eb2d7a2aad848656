"""Nets of dense layers against scikit-learn's, from the same start and over the same batches."""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

import suffice as sf
from suffice.layers import Dense
from suffice.optimizers import SGD

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
NUMBERS, CLASSES = X[:, 0] * X[:, 1], np.digitize(X[:, 2], [-0.5, 0.5])
BATCH, DECAY, EPOCHS = 30, 0.3, 6


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic"])
@pytest.mark.parametrize(
    ("ours", "theirs", "y"),
    [(sf.NeuralRegressor, MLPRegressor, NUMBERS), (sf.NeuralClassifier, MLPClassifier, CLASSES)],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_start_gives_the_same_net(ours, theirs, y, activation):
    """By descent with Nesterov's momentum and a penalty, which scikit-learn divides by the rows of a batch."""
    alike = {"batch_size": BATCH, "shuffle": False, "warm_start": True, "random_state": 0}
    layers = [Dense(6, activation), Dense(4, activation)]
    net = ours(layers, optimizer=SGD(1e-300), max_iter=1, standardize=False, **alike).fit(X, y)
    peer = theirs(
        hidden_layer_sizes=(6, 4), activation=activation, solver="sgd", learning_rate_init=1e-300, max_iter=1, **alike
    )
    peer.fit(X, y)
    for values, begun in zip([*peer.coefs_, *peer.intercepts_], [*net.coefs_, *net.intercepts_], strict=True):
        values[...] = begun
    net.set_params(optimizer=SGD(0.05, 0.9, nesterov=True), weight_decay=DECAY / BATCH, max_iter=EPOCHS).fit(X, y)
    peer.set_params(learning_rate_init=0.05, alpha=DECAY, max_iter=EPOCHS, tol=0.0).fit(X, y)
    for found, wanted in zip([*net.coefs_, *net.intercepts_], [*peer.coefs_, *peer.intercepts_], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
