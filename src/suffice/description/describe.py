"""`describe`: what the columns of a table look like, from one pass over it."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

from ..data.source import Source
from ..errors import InvalidParameter
from ..params import are_numbers
from ..typing import TableLike
from .columns import description
from .correlated import ROWS
from .described import Description
from .looking import look_at
from .table_summary import TableSummary


def describe(
    data: TableLike, *, top: int = 3, quantiles: Sequence[float] = (0, 0.25, 0.5, 0.75, 1), **options: object
) -> Description:
    """Describe the columns of a table: a file of any size, a frame, an array, a dask collection, or a bundled table or
    its name.

    One pass in bounded memory: quantiles are exact up to 8,192 values and counts up to 1,000 distinct ones,
    and say how far they may be off beyond. `options` say how a file is read, as in `scan`; `types` says for any table
    what its columns are, as in types={"size": ["S", "M", "L"]}.

    >>> print(describe("iris", top=1))
    iris: 150 rows, 5 columns
    <BLANKLINE>
    numbers       missing   mean  deviation  min  25%  median  75%  max
    sepal_length        0  5.843     0.8281  4.3  5.1     5.8  6.4  7.9
    sepal_width         0  3.057     0.4359    2  2.8       3  3.3  4.4
    petal_length        0  3.758      1.765    1  1.6    4.35  5.1  6.9
    petal_width         0  1.199     0.7622  0.1  0.3     1.3  1.8  2.5
    <BLANKLINE>
    categories  missing  distinct  most frequent
    species           0         3  setosa 50 (33.3 %)
    <BLANKLINE>
    deviation: sample standard deviation, divided by n - 1
    warning: 1 row is a copy of an earlier row
    """
    if isinstance(top, bool) or not isinstance(top, Integral) or top < 0:
        raise InvalidParameter(f"describe: top must be an integer, at least 0; got {top!r}.")
    if not are_numbers(quantiles, 1) or not all(0 <= q <= 1 for q in quantiles):
        raise InvalidParameter(f"describe: quantiles must be numbers from 0 to 1; got {quantiles!r}.")
    from ..data.table import as_table

    table = as_table(data, **options)
    look = look_at(table, ROWS)
    return description(look.summary, str(table), top, quantiles, look.drawn, getattr(table, "read", None))


def summarise(table: Source) -> TableSummary:
    """The summary of a table of record batches: parts of a file side by side, partitions on their workers."""
    schema = table.schema
    return table.reduce(lambda chunk: TableSummary.of(chunk.X, schema))
