"""Linear models."""

from .logistic import LogisticRegression
from .ordinary import LinearRegression
from .ridge import Ridge

__all__ = ["LinearRegression", "LogisticRegression", "Ridge"]
