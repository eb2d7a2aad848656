"""Pipelines: transformers and a model after one another, on any source."""

from .pipeline import Pipeline, make_pipeline
from .preparing import prepared

__all__ = ["Pipeline", "make_pipeline", "prepared"]
