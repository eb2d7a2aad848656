"""A map of the table: rows that are alike are near each other."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import InvalidData, SufficeWarning
from ..models.manifold import MDS
from ..plots import EmbeddingDisplay
from .parts import Part, Shown
from .pictures import picture as picture_of
from .study import Study

MAP_ROWS = 150
_ITERATIONS = 60


def map_part(study: Study) -> Part:
    """The rows in two coordinates: classical scaling of numbers, non-metric by Gower's distance of other columns."""
    some = study.rows.at_most(MAP_ROWS)
    names = study.rows.numeric_names()
    if len(some) < 4:
        return Part("Map", words=["There are too few rows for a map."])
    try:
        table = some.table()
    except InvalidData:
        return Part("Map", words=["There is no column that a map could be made of."])
    if not table.column_names:
        return Part("Map", words=["There is no column that a map could be made of."])
    alone = set(table.column_names) == set(names) and all(np.isfinite(some.cells[name]).all() for name in names)
    model, rows = _numbers(some) if alone else _mixed(table)
    with warnings.catch_warnings():  # a picture need not be the last word
        warnings.simplefilter("ignore", SufficeWarning)
        try:
            model.fit(rows)
        except InvalidData as error:  # infinite cells, or rows without a known cell in common
            return Part("Map", words=[f"There is no map of these rows: {error}"])
    groups = study.classes_of(some)
    shown = EmbeddingDisplay.from_estimator(model, groups=groups, ax=False)
    how = (
        "classical scaling of the columns, each with variance 1"
        if alone
        else "non-metric scaling by Gower's distance, which compares columns of all kinds"
    )
    words = (
        f"Rows that are alike are near each other: {how}. Stress-1 is {model.stress_1_:.2g}; 0.2 is called poor, 0.1 "
        "fair and 0.05 good."
    )
    return Part("Map", words=[words], pictures=[Shown(picture_of(shown), study.shown(len(some)))])


def _numbers(some: Any) -> tuple[MDS, Any]:
    return MDS(2, kind="classical"), some.standardized(MAP_ROWS)


def _mixed(table: Any) -> tuple[MDS, Any]:
    return MDS(2, kind="nonmetric", metric="gower", max_iter=_ITERATIONS), table
