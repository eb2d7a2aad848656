"""What the tests of files share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["t.csv", "t.parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    from scanned_files import write

    columns = {
        "a": [1.0, 2.0, 3.0, 4.0],
        "color": ["red", "blue", "red", "green"],
        "b": [0.5, 0.25, 0.125, 8.0],
        "k": [3, 1, 3, 2],
        "w": [1.0, 0.0, 2.0, 1.0],
    }
    return write(tmp_path / request.param, columns)
