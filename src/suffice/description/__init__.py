"""Descriptions: what the columns of a table look like, from summaries that add up.

`column_summaries`  what is kept of a column of each kind
`table_summary`     the summaries of all columns
`drawn_rows`        some rows of a table, drawn at random while it is read
`columns`           the figures in plain values, and warnings
`describe`          the function
`text`              a description as text and HTML
"""

from .columns import (
    CategoryColumn,
    ColumnDescription,
    DateColumn,
    Description,
    NumberColumn,
    OrdinalColumn,
    Share,
    description,
)
from .describe import describe, summarise
from .table_summary import TableSummary

__all__ = [
    "CategoryColumn", "ColumnDescription", "DateColumn", "Description", "NumberColumn", "OrdinalColumn", "Share",
    "TableSummary", "describe", "description", "summarise",
]  # fmt: skip
