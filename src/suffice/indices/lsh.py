"""Placeholder."""
from dataclasses import dataclass
from .base import Index
@dataclass(frozen=True, eq=False)
class LSH(Index):
    """Placeholder."""
    name = "lsh"
