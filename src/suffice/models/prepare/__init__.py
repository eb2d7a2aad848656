"""Transformers that prepare columns for other models."""

from .standardize import StandardScaler

__all__ = ["StandardScaler"]
