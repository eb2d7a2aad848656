"""Backpropagation through every layer and every loss, by finite differences."""

import numpy as np
import pytest

import suffice as sf
from suffice.contracts.net_gradients import gradients_are_derivatives
from suffice.layers import (
    ACTIVATIONS,
    BatchNorm,
    Convolution,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    LeakyReLU,
    Pooling,
)
from suffice.losses import LOSSES, Loss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
CLASSES = np.array(["a", "b", "c"])[RNG.integers(0, 3, 30)]
IMAGES = RNG.normal(size=(12, 6, 6, 2))
QUICK = {"max_iter": 2, "random_state": 0}
ONE = [pytest.param(cls, id=cls.__name__) for cls in sorted({*LOSSES.classes.values()}, key=lambda cls: cls.__name__)]


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_activations(activation):
    for layers in ([Dense(5, activation)], [Dense(5, activation), Dropout(0.0)]):  # by NumPy, and by PyTorch
        model = sf.NeuralClassifier(layers, **QUICK).fit(X, CLASSES)
        gradients_are_derivatives(model, X, CLASSES)


@pytest.mark.parametrize("cls", ONE)
def test_losses(cls):
    loss = cls.examples()[0]
    if loss.target == "numbers":
        y = loss.example(np.random.default_rng(1), 30)
        model = sf.NeuralRegressor([Dense(4, "tanh")], loss=loss, standardize=False, **QUICK).fit(X, y)
        gradients_are_derivatives(model, X, y)
        return
    for y in (CLASSES, CLASSES == "a"):
        model = sf.NeuralClassifier([Dense(4, "tanh")], loss=loss, label_smoothing=0.1, **QUICK).fit(X, y)
        assert model.n_outputs_ == (1 if loss.target == "signs" and y is not CLASSES else len(model.classes_))
        gradients_are_derivatives(model, X, y)


def test_every_loss_is_a_choice():
    assert all(issubclass(cls, Loss) for cls in LOSSES.classes.values())
    assert sf.NeuralRegressor(loss="poisson").fit(X, np.arange(30.0)).predict(X).min() > 0


def test_layers_of_images():
    layers = [
        Convolution(3, 3, stride=2, padding=1, activation=LeakyReLU(0.2)), BatchNorm(), Pooling(2, "average", stride=1),
        Convolution(2, 1, activation="softplus"), Pooling(2), Flatten(), Dense(4, "sigmoid"),
    ]  # fmt: skip
    y = RNG.normal(size=(12, 2))
    model = sf.NeuralRegressor(layers, **QUICK).fit(IMAGES, y)
    gradients_are_derivatives(model, IMAGES, y)
    assert model.predict(IMAGES).shape == (12, 2)


def test_embeddings():
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"x": X[:, 0], "kind": np.array(["u", "v", "w"])[RNG.integers(0, 3, 30)]})
    rows.loc[3, "kind"], rows.loc[5, "x"] = None, np.nan
    model = sf.NeuralClassifier([Embedding(2), Dense(4)], **QUICK).fit(rows, CLASSES)
    assert model.parameters_["1.table 0"].shape == (4, 2)
    gradients_are_derivatives(model, rows, CLASSES)
    new = pd.DataFrame({"x": [0.0, np.nan], "kind": ["never seen", None]})
    assert np.isfinite(model.predict_proba(new)).all()


def test_norms_by_epoch_show_how_gradients_vanish():
    """Many sigmoids pass back less from layer to layer; with ReLU and He's start the gradient stays of one size."""
    shares = {}
    for activation in ("sigmoid", "relu"):
        start = "he_uniform" if activation == "relu" else "glorot_uniform"
        model = sf.NeuralClassifier([Dense(8, activation, start)] * 6, max_iter=1, random_state=0).fit(X, CLASSES)
        first, last = (model.history_.metric(f"gradient_norm_{k}")[0] for k in (1, 6))
        shares[activation] = first / last
        assert model.history_.metric("activation_variance_3")[0] > 0
    assert shares["sigmoid"] < 0.01 < shares["relu"]
