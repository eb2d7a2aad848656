"""Array work behind one door: operations, each of which picks the code that suits the array it is given.

`operations()` lists them all. A folder holds the operations of one family: `portable.py` is the definition, `native.py`
calls the C++ kernels, `examples.py` draws arguments for the tests. Nobody outside asks which code runs;
`backend.using("portable")` forces the definition, for tests.
"""

from __future__ import annotations

from .dense import (
    affine,
    diagonal_log_density,
    fill_from_arrow,
    fill_rows,
    first_bad,
    grouped_moments,
    largest,
    moments,
    row_uniforms,
    scale_columns,
)
from .dispatch import operations, using
from .threads import thread_count, threads

__all__ = [
    "affine", "diagonal_log_density", "fill_from_arrow", "fill_rows", "first_bad", "grouped_moments", "largest",
    "moments", "operations", "row_uniforms", "scale_columns", "thread_count", "threads", "using",
]  # fmt: skip
