"""Layers of neural networks, one a file: objects that carry their data, with shapes, sizes, starts and activations.

>>> from suffice.layers import Convolution, Dense, Flatten, Plan, Pooling
>>> print(Plan.of([Convolution(16, 3, padding=1), Pooling(2), Flatten(), Dense(10, "identity")], (8, 8, 1)))
layer               shape  parameters
input           8 × 8 × 1
1 Convolution  8 × 8 × 16         160
2 Pooling      4 × 4 × 16           0
3 Flatten             256           0
4 Dense                10       2,570
total                           2,730
"""

from .activations import ACTIVATIONS, Activation, Identity, LeakyReLU, ReLU, Sigmoid, Softplus, Tanh, as_activation
from .base import Incoming, Layer, Parameter, Shape, window_output
from .batch_norm import BatchNorm
from .changes import Change, Flip, Noise, Shift
from .convolution import Convolution
from .dense import Dense
from .dropout import Dropout
from .embedding import Embedding
from .flatten import Flatten
from .plan import Placed, Plan
from .pooling import Pooling
from .starts import (
    STARTS,
    FanInUniform,
    Given,
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    StandardNormal,
    Start,
    as_start,
)

__all__ = [
    "ACTIVATIONS", "STARTS", "Activation", "BatchNorm", "Change", "Convolution", "Dense", "Dropout", "Embedding",
    "FanInUniform", "Flatten", "Flip", "Given", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity",
    "Incoming", "Layer", "LeakyReLU", "Noise", "Parameter", "Placed", "Plan", "Pooling", "ReLU", "Shape", "Shift",
    "Sigmoid", "Softplus", "StandardNormal", "Start", "Tanh", "as_activation", "as_start", "window_output",
]  # fmt: skip
