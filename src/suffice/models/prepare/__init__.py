"""Transformers that prepare columns for other models."""

from ...renamed import names_in, with_former_names
from .discretize import KBinsDiscretizer
from .standardize import StandardScaler

__getattr__ = with_former_names(__name__, names_in(__name__, globals()))
__all__ = ["KBinsDiscretizer", "StandardScaler"]
