"""How the parameters of a net follow the gradients of batches: descent with momentum, Adam, and schedules of rates.

>>> from suffice.optimizers import Adam, Cosine
>>> Adam(0.01).slots, Cosine().factor(5, 10)
(2, 0.5)
"""

from .base import (
    OPTIMIZERS,
    SCHEDULES,
    SGD,
    Adam,
    ConstantRate,
    Cosine,
    ExponentialDecay,
    InverseTime,
    Optimizer,
    Schedule,
    StepDecay,
    as_optimizer,
)

__all__ = [
    "OPTIMIZERS", "SCHEDULES", "SGD", "Adam", "ConstantRate", "Cosine", "ExponentialDecay", "InverseTime", "Optimizer",
    "Schedule", "StepDecay", "as_optimizer",
]  # fmt: skip
