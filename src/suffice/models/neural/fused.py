"""Dense layers in NumPy: few calls a batch, so that small nets do not wait for anything but their numbers."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np

from ...layers import Dense, Identity, Plan
from ...layers.activations import Activation
from ...typing import Reals
from .engine import DType

_CELLS = 1 << 18  # of one layer's outputs that are computed at a time, so that they stay in a cache


class FusedEngine:
    """A stack of dense layers; parameters, gradients and all steps between are arrays of NumPy."""

    passes_on = False

    def __init__(self, plan: Plan, dtype: DType) -> None:
        self.theta, self.slope = np.zeros(plan.size, dtype), np.zeros(plan.size, dtype)
        self.running = np.zeros(0, dtype)
        self.weights = [one.of(self.theta) for one in plan.placed[0::2]]
        self.biases = [one.of(self.theta) for one in plan.placed[1::2]]
        self.weight_slopes = [one.of(self.slope) for one in plan.placed[0::2]]
        self.bias_slopes = [one.of(self.slope) for one in plan.placed[1::2]]
        self.activations = [_activation(layer) for layer in plan.layers]
        self.widest = max(weight.shape[0] for weight in self.weights)
        self.kept: list[Reals] = []  # the input of each layer, and the outputs

    def load(self, theta: Reals, running: Reals) -> None:
        """Take over parameters."""
        self.theta[...] = theta

    def taken(self) -> tuple[Reals, Reals]:
        """Copies of the parameters."""
        return self.theta.copy(), self.running.copy()

    def on_device(self, values: Reals) -> Reals:
        """A copy."""
        return values.astype(self.theta.dtype)

    def off_device(self, values: Reals) -> Reals:
        """A copy."""
        return values.copy()

    def forward(self, X: Reals, evaluating: bool = False) -> Reals:
        """The outputs; the input of each layer is kept."""
        self.kept = [X]
        for weight, bias, activation in zip(self.weights, self.biases, self.activations, strict=True):
            z = np.matmul(self.kept[-1], weight.T)
            z += bias
            self.kept.append(z if activation is None else activation.apply(z))
        return self.kept[-1]

    def backward(self, gradient: Reals) -> Reals | None:
        """Backpropagation: δ of a layer is that of the next one times its weights, times the activation's slope."""
        delta = gradient
        for k in range(len(self.weights) - 1, -1, -1):
            activation = self.activations[k]
            if activation is not None:
                delta = activation.chain(delta, self.kept[k + 1])
            np.matmul(delta.T, self.kept[k], out=self.weight_slopes[k])
            np.add.reduce(delta, axis=0, out=self.bias_slopes[k])
            if k or self.passes_on:
                delta = np.matmul(delta, self.weights[k])
        return delta if self.passes_on else None

    def outputs(self, X: Reals) -> Reals:
        """The outputs, in blocks of rows that a cache holds."""
        height = max(256, _CELLS // self.widest)
        if len(X) <= height:
            return self._passed(X)
        found = np.empty((len(X), len(self.biases[-1])), dtype=self.theta.dtype)
        for first in range(0, len(X), height):
            found[first : first + height] = self._passed(X[first : first + height])
        return found

    def _passed(self, X: Reals) -> Reals:
        for weight, bias, activation in zip(self.weights, self.biases, self.activations, strict=True):
            X = np.matmul(X, weight.T)
            X += bias
            if activation is not None:
                X = activation.apply(X)
        return X

    def hidden(self, X: Reals) -> list[Reals]:
        """What each layer gives."""
        self.forward(X)
        return self.kept[1:]

    def spreads(self) -> list[float]:
        """The variance of what each layer gave."""
        return [_variance(h) for h in self.kept[1:]]

    def training(self, seed: int) -> AbstractContextManager[None]:
        """Nothing is drawn here."""
        return nullcontext()


def _activation(layer: object) -> Activation | None:
    assert isinstance(layer, Dense)
    assert isinstance(layer.activation, Activation)
    return None if isinstance(layer.activation, Identity) else layer.activation


def _variance(h: Reals) -> float:
    flat = h.ravel()
    gap = flat - np.add.reduce(flat) / flat.dtype.type(len(flat))
    return float(np.dot(gap, gap)) / len(flat)
