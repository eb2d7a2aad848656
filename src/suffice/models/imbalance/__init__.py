"""Classes of very different sizes: rows left out, repeated or made up, for training alone."""

from .oversample import Oversample
from .resampled import Resampled
from .sampler import SAMPLERS, Sampler
from .smote import Smote
from .undersample import Undersample

__all__ = ["SAMPLERS", "Oversample", "Resampled", "Sampler", "Smote", "Undersample"]
