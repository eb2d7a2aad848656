"""Pictures made of plain numbers: each Display holds what it shows and draws itself on an axes."""

from .criteria import CriteriaDisplay, Curve
from .rate_distortion import RateCurve, RateDistortionDisplay

__all__ = ["CriteriaDisplay", "Curve", "RateCurve", "RateDistortionDisplay"]
