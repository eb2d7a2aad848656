"""Dense layers in NumPy: few calls a batch, so that small nets do not wait for anything but their numbers."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from ...layers import Dense, Plan
from ...layers.activations import Activation
from ...typing import Reals
from .engine import DType

_CELLS = 1 << 17  # of the widest layer that are computed at a time, so that they stay in a cache
_LEAST = 128  # rows: fewer are no work for a product of matrices


class _Own(threading.local):
    """What each thread keeps; nothing of it goes to another process."""

    def __reduce__(self) -> tuple[type[_Own], tuple[()]]:
        return _Own, ()


class FusedEngine:
    """A stack of dense layers; parameters, gradients and all steps between are arrays of NumPy.

    What the layers of a batch give is written where that of the batch before was. With `theta` it computes with these
    parameters as they are, and whoever changes them changes the net.
    """

    passes_on, least = False, 1
    shares = True

    def __init__(self, plan: Plan, dtype: DType, theta: Reals | None = None) -> None:
        self.dtype, self.size = dtype, plan.size
        self.theta = np.zeros(plan.size, dtype) if theta is None else theta
        self.slope, self.running = np.zeros(plan.size, dtype), np.zeros(0, dtype)
        self.weights, self.biases = _arrays(plan, self.theta)
        self.weight_slopes, self.bias_slopes = _arrays(plan, self.slope)
        self.activations = [_activation(layer) for layer in plan.layers]
        self.height = max(_LEAST, _CELLS // max(side for weight in self.weights for side in weight.shape))
        self.kept: list[Reals] = []  # the input of each layer, and the outputs
        self._outs: list[Reals] = []
        self._deltas: list[Reals] = []
        self._own = _Own()  # what each thread keeps for predictions

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
        m = len(X)
        if not self._outs or len(self._outs[0]) < m:
            self._outs = [np.empty((m, len(bias)), self.theta.dtype) for bias in self.biases]
            self._deltas = [np.empty((m, weight.shape[1]), self.theta.dtype) for weight in self.weights]
        self.kept = self._through(X, [out[:m] for out in self._outs])
        return self.kept[-1]

    def backward(self, gradient: Reals) -> Reals | None:
        """Backpropagation: δ of a layer is that of the next one times its weights, times the activation's slope."""
        delta = np.ascontiguousarray(gradient)
        for k in range(len(self.weights) - 1, -1, -1):
            delta = self.activations[k].backward(delta, self.kept[k + 1], self.bias_slopes[k])
            np.matmul(delta.T, self.kept[k], out=self.weight_slopes[k])
            if k or self.passes_on:
                delta = np.matmul(delta, self.weights[k], out=self._deltas[k][: len(delta)])
        return delta if self.passes_on else None

    def outputs(self, X: Reals) -> Reals:
        """The outputs, in blocks of rows that a cache holds; several threads may ask at once."""
        if len(X) <= self.height:
            return self._passed(X)
        found = np.empty((len(X), len(self.biases[-1])), dtype=self.theta.dtype)
        for first in range(0, len(X), self.height):
            found[first : first + self.height] = self._passed(X[first : first + self.height])
        return found

    def _passed(self, X: Reals) -> Reals:
        last = np.empty((len(X), len(self.biases[-1])), self.theta.dtype)
        return self._through(X, [*(out[: len(X)] for out in self._rooms(len(X))[1:]), last])[-1]

    def room(self, rows: int) -> Reals | None:
        """Memory of this thread's own for the input of so many rows."""
        return self._rooms(rows)[0]

    def _rooms(self, rows: int) -> list[Reals]:
        """The same for the input of each layer."""
        rooms: list[Reals] = getattr(self._own, "rooms", [])
        if not rooms or len(rooms[0]) < rows:
            rooms = self._own.rooms = [np.empty((rows, weight.shape[1]), self.theta.dtype) for weight in self.weights]
        return rooms

    def _through(self, X: Reals, outs: list[Reals]) -> list[Reals]:
        """X and what each layer gives, written into `outs`."""
        kept = [X]
        for weight, bias, activation, out in zip(self.weights, self.biases, self.activations, outs, strict=True):
            kept.append(activation.forward(np.matmul(kept[-1], weight.T, out=out), bias))
        return kept

    def hidden(self, X: Reals) -> list[Reals]:
        """What each layer gives."""
        return self._through(X, [np.empty((len(X), len(bias)), self.theta.dtype) for bias in self.biases])[1:]

    def spreads(self) -> list[float]:
        """The variance of what each layer gave."""
        return [_variance(h) for h in self.kept[1:]]

    def training(self, seed: int) -> AbstractContextManager[None]:
        """Nothing is drawn here."""
        return nullcontext()


def _arrays(plan: Plan, flat: Reals) -> tuple[list[Reals], list[Reals]]:
    """The weights and the biases of dense layers, not copied."""
    return [one.of(flat) for one in plan.placed[0::2]], [one.of(flat) for one in plan.placed[1::2]]


def _activation(layer: object) -> Activation:
    assert isinstance(layer, Dense)
    assert isinstance(layer.activation, Activation)
    return layer.activation


def _variance(h: Reals) -> float:
    flat = h.ravel()
    gap = flat - np.add.reduce(flat) / flat.dtype.type(len(flat))
    return float(np.dot(gap, gap)) / len(flat)
