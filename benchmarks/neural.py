"""Neural networks on the CPU"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris
from sklearn.neural_network import MLPClassifier, MLPRegressor

import suffice as sf
from suffice.layers import Convolution, Dense, Flatten, Pooling

from .harness import Workload

EPOCHS, BATCH = 5, 256


def _torch() -> Any:
    return importlib.import_module("torch")


def _skorch() -> Any:
    """skorch, or None where it is not installed."""
    try:
        return importlib.import_module("skorch")
    except ImportError:
        return None


def _loop(net: Any, X: Any, y: Any, loss: Callable[[Any, Any], Any], epochs: int, size: int) -> Any:
    """The plainest loop of PyTorch: rows drawn anew each epoch, Adam."""
    torch = _torch()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(epochs):
        order = torch.randperm(len(X))
        for first in range(0, len(X), size):
            rows = order[first : first + size]
            optimizer.zero_grad()
            loss(net(X[rows]), y[rows]).backward()
            optimizer.step()
    return net


def _mlp() -> Any:
    nn = _torch().nn
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))


def _regression() -> Workload:
    torch, skorch = _torch(), _skorch()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120_000, 20)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.1 * rng.normal(size=len(X))).astype(np.float32)
    rows, target, held, truth = X[:100_000], y[:100_000], X[100_000:], y[100_000:]
    tensors = torch.from_numpy(rows), torch.from_numpy(target)[:, None]
    half = lambda eta, y: 0.5 * ((eta - y) ** 2).mean()  # noqa: E731

    def error(found: Any) -> float:
        return float(np.mean((np.ravel(found) - truth) ** 2))

    def of_module(net: Any) -> Any:
        with torch.no_grad():
            return net(torch.from_numpy(held)).numpy()

    def ours() -> Any:
        model = sf.NeuralRegressor(
            [Dense(64, "relu", "fan_in_uniform")] * 2,
            batch_size=BATCH,
            max_iter=EPOCHS,
            standardize=False,
            random_state=0,
        )
        return model.fit(rows, target).predict(held)

    def sklearn() -> Any:
        model = MLPRegressor(hidden_layer_sizes=(64, 64), batch_size=BATCH, max_iter=EPOCHS, tol=0.0, random_state=0)
        return model.fit(rows, target).predict(held)

    peers: dict[str, Callable[[], Any]] = {
        "scikit-learn": sklearn,
        "a loop of PyTorch": lambda: of_module(_loop(_mlp(), *tensors, half, EPOCHS, BATCH)),
    }
    if skorch is not None:
        peers["skorch"] = lambda: of_module(
            skorch.NeuralNetRegressor(
                _mlp, optimizer=torch.optim.Adam, lr=1e-3, batch_size=BATCH, max_epochs=EPOCHS, train_split=None,
                verbose=0, iterator_train__shuffle=True,
            ).fit(rows, target[:, None]).module_
        )  # fmt: skip

    def check(found: Any, peers: dict[str, Any]) -> None:
        assert error(found) <= 1.1 * max(error(other) for other in peers.values())

    return Workload(
        "NeuralRegressor.fit, 20 → 64 → 64 → 1, 5 epochs", "100,000 × 20, float32", ours, peers, check,
        floor={"scikit-learn": 1.5, "skorch": 1.3, "a loop of PyTorch": 1 / 1.1}, repeat=3,
    )  # fmt: skip


def _iris() -> Workload:
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)

    def ours() -> Any:
        return sf.NeuralClassifier([Dense(16)], max_iter=200, random_state=0).fit(X, y).predict_proba(X)

    def theirs() -> Any:
        model = MLPClassifier((16,), max_iter=200, tol=0.0, n_iter_no_change=1000, random_state=0)
        return model.fit(X, y).predict_proba(X)

    def check(found: Any, peers: dict[str, Any]) -> None:
        losses = [-np.log(p[np.arange(len(y)), y]).mean() for p in (found, peers["scikit-learn"])]
        assert losses[0] <= 1.1 * losses[1], losses

    return Workload(
        "NeuralClassifier.fit, 4 → 16 → 3, 200 epochs", "iris", ours, {"scikit-learn": theirs}, check,
        floor={"scikit-learn": 2.0},
    )  # fmt: skip


def _filters() -> Any:
    nn = _torch().nn
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(),
        nn.Linear(64, 10),
    )  # fmt: skip


def _digits() -> Workload:
    torch, skorch = _torch(), _skorch()
    data = load_digits()
    images = ((data.images - data.images.mean()) / data.images.std()).astype(np.float32)
    few = np.arange(len(images)) % 5 > 0
    rows, y, held, truth = images[few], data.target[few], images[~few], data.target[~few]
    tensors = torch.from_numpy(rows)[:, None], torch.from_numpy(y)

    def of_module(net: Any) -> Any:
        with torch.no_grad():
            return net(torch.from_numpy(held)[:, None]).softmax(dim=1).numpy()

    def ours() -> Any:
        start = "fan_in_uniform"  # as PyTorch's
        layers = [Convolution(16, 3, padding=1, start=start), Pooling(2), Flatten(), Dense(64, start=start)]
        model = sf.NeuralClassifier(layers, batch_size=64, max_iter=10, standardize=False, random_state=0)
        return model.fit(rows, y).predict_proba(held)

    cross_entropy = torch.nn.functional.cross_entropy
    peers: dict[str, Callable[[], Any]] = {
        "a loop of PyTorch": lambda: of_module(_loop(_filters(), *tensors, cross_entropy, 10, 64))
    }
    if skorch is not None:
        peers["skorch"] = lambda: of_module(
            skorch.NeuralNetClassifier(
                _filters, criterion=torch.nn.CrossEntropyLoss, optimizer=torch.optim.Adam, lr=1e-3, batch_size=64,
                max_epochs=10, train_split=None, verbose=0, iterator_train__shuffle=True,
            ).fit(rows[:, None], y).module_
        )  # fmt: skip

    def check(found: Any, peers: dict[str, Any]) -> None:
        losses = [-np.log(p[np.arange(len(truth)), truth]).mean() for p in (found, *peers.values())]
        assert losses[0] <= 1.1 * max(losses[1:]), losses

    return Workload(
        "NeuralClassifier.fit, convolutional, 10 epochs", "digits, float32", ours, peers, check, floor={"skorch": 1.3},
        repeat=3,
    )  # fmt: skip


def _predict() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 20))
    y = X[:, 0] * X[:, 1]
    theirs = MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=1, random_state=0).fit(X[:2000], y[:2000])
    starts = [sf.layers.Given(w.T, b) for w, b in zip(theirs.coefs_, theirs.intercepts_, strict=True)]
    ours = sf.NeuralRegressor(
        [Dense(64, "relu", starts[0]), Dense(64, "relu", starts[1])],
        standardize=False,
        max_iter=1,
        learning_rate=1e-300,
    ).fit(X[:2000], y[:2000])
    ours.parameters_["3.weight"][...], ours.parameters_["3.bias"][...] = theirs.coefs_[2].T, theirs.intercepts_[2]

    def check(found: Any, peers: dict[str, Any]) -> None:
        np.testing.assert_allclose(found, peers["scikit-learn"], rtol=1e-8, atol=1e-10)

    return Workload(
        "NeuralRegressor.predict, 20 → 64 → 64 → 1", "1,000,000 × 20", lambda: ours.predict(X),
        {"scikit-learn": lambda: theirs.predict(X)}, check, floor={"scikit-learn": 1.3}, repeat=3,
    )  # fmt: skip


WORKLOADS = [_regression, _iris, _digits, _predict]
