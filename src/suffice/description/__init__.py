"""Descriptions: what the columns of a table look like, from summaries that add up.

`column_summaries`  what is kept of a column of each kind
`table_summary`     the summaries of all columns
`drawn_rows`        some rows of a table, drawn at random while it is read
`row_copies`        how many rows are copies of others
`described`         the figures in plain values
`columns`           a summary as figures
`findings`          what is odd about a column, one function a sentence
`row_findings`      what is said about copies of rows
`correlated`        pairs of columns that say nearly the same
`describe`          the function
`text`              a description as text and HTML
"""

from .columns import description
from .describe import describe, summarise
from .described import (
    CategoryColumn,
    ColumnDescription,
    Copies,
    DateColumn,
    Description,
    NumberColumn,
    OrdinalColumn,
    Share,
)
from .table_summary import TableSummary

__all__ = [
    "CategoryColumn", "ColumnDescription", "Copies", "DateColumn", "Description", "NumberColumn", "OrdinalColumn",
    "Share", "TableSummary", "describe", "description", "summarise",
]  # fmt: skip
