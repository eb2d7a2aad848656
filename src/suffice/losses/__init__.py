"""Losses, one a file: how bad a linear predictor is for a target, with gradient, curvature and likelihood.

>>> import numpy as np
>>> from suffice.losses import LogisticLoss, as_loss
>>> as_loss("logistic").gradient(np.array([0.0, 2.0]), np.array([1.0, 1.0])).round(3)
array([-0.5  , -0.119])
"""

from .absolute import AbsoluteLoss
from .base import LOSSES, Loss, as_loss
from .binomial import BinomialLoss
from .crammer_singer import CrammerSingerLoss
from .epsilon_insensitive import EpsilonInsensitiveLoss
from .exponential import ExponentialLoss
from .gamma import GammaLoss
from .hinge import HingeLoss
from .huber import HuberLoss
from .links import (
    LINKS,
    ComplementaryLogLogLink,
    IdentityLink,
    InverseLink,
    Link,
    LogitLink,
    LogLink,
    ProbitLink,
    SquareRootLink,
)
from .logistic import LogisticLoss
from .modified_huber import ModifiedHuberLoss
from .negative_binomial import NegativeBinomialLoss
from .perceptron import PerceptronLoss
from .poisson import PoissonLoss
from .power import PowerLoss
from .quantile import QuantileLoss
from .softmax import SoftmaxLoss
from .squared import SquaredLoss
from .squared_epsilon_insensitive import SquaredEpsilonInsensitiveLoss
from .squared_hinge import SquaredHingeLoss
from .student_t import StudentTLoss
from .tweedie import TweedieLoss

__all__ = [
    "LINKS", "LOSSES", "AbsoluteLoss", "BinomialLoss", "ComplementaryLogLogLink", "CrammerSingerLoss",
    "EpsilonInsensitiveLoss", "ExponentialLoss", "GammaLoss", "HingeLoss", "HuberLoss", "IdentityLink", "InverseLink",
    "Link", "LogLink", "LogisticLoss", "LogitLink", "Loss", "ModifiedHuberLoss", "NegativeBinomialLoss",
    "PerceptronLoss", "PoissonLoss", "PowerLoss", "ProbitLink", "QuantileLoss", "SoftmaxLoss", "SquareRootLink",
    "SquaredEpsilonInsensitiveLoss", "SquaredHingeLoss", "SquaredLoss", "StudentTLoss", "TweedieLoss", "as_loss",
]  # fmt: skip
