"""Acting on what models say: true probabilities, the least expected cost, and the right to doubt."""

from .calibrated import Calibrated
from .decide import Decide
from .decide_number import DecideNumber
from .predictive import least_cost_number

__all__ = ["Calibrated", "Decide", "DecideNumber", "least_cost_number"]
