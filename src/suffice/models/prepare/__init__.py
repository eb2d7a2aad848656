"""Transformers that prepare columns for other models."""

from .standardize import Standardize

__all__ = ["Standardize"]
