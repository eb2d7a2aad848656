"""The map of a table: classical for numbers, non-metric by Gower for columns of all kinds, coloured by the target."""

import numpy as np
import pandas as pd
import pytest

from suffice.report import read_rows
from suffice.report.map_of_table import map_part
from suffice.report.study import Study


@pytest.mark.parametrize(("table", "how"), [("usarrests", "classical scaling"), ("iris", "non-metric")])
def test_the_map_says_how_it_was_made(table, how):
    rows = read_rows(table)
    part = map_part(Study(rows, table))
    assert how in part.words[0]
    assert "Stress-1 is 0." in part.words[0]
    assert len(part.pictures) == 1


def test_missing_cells_and_few_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "c": rng.choice(list("xyz"), 60)})
    frame.loc[3:9, "a"] = np.nan
    part = map_part(Study(read_rows(frame), "t"))
    assert "Gower" in part.words[0]
    assert "too few" in map_part(Study(read_rows(frame[:3]), "t")).words[0]
