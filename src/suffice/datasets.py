"""The bundled tables: `suffice.datasets.load("crabs")`, `suffice.datasets.names()`."""

from .data.datasets import Dataset, load, names

__all__ = ["Dataset", "load", "names"]
