"""Reports: what a table or a model looks like, for people."""

from .describe import Description, describe

__all__ = ["Description", "describe"]
