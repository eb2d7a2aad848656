"""Linear models."""

from .ordinary import LinearRegression
from .ridge import Ridge

__all__ = ["LinearRegression", "Ridge"]
