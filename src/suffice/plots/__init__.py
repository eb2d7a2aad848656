"""Pictures made of plain numbers: each Display holds what it shows and draws itself on an axes."""

from .criteria import CriteriaDisplay, Curve
from .dendrogram import DendrogramDisplay, End, Link
from .mixture import MixtureDisplay
from .rate_distortion import RateCurve, RateDistortionDisplay

__all__ = [
    "CriteriaDisplay", "Curve", "DendrogramDisplay", "End", "Link", "MixtureDisplay", "RateCurve",
    "RateDistortionDisplay",
]  # fmt: skip
