"""Types say something: what users may give is accepted by type checkers, and `Any` does not come back."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
MOST = 1292  # lower it when there are fewer; where a value can be of any type, `object` says so and is checked

ACCEPTED = """
import numpy as np
import pandas as pd
import scipy.sparse as sp

import suffice as sf

rows = np.random.default_rng(0).normal(size=(20, 2))
sf.KMeans(3).fit(rows)
sf.KMeans(3).fit(rows.astype(np.float32), sample_weight=np.ones(20))
sf.KMeans(3, random_state=0).fit([[1.0, 2.0], [3.0, 4.0]], sample_weight=[1, 2])
sf.KMeans(3).fit(pd.DataFrame({"a": [1.0, 2.0]}))
sf.KMeans(3).fit(sp.csr_array(rows))
sf.KMeans(3).fit(sf.scan("rows.csv"))
sf.KModes(2).fit([["red", 1], ["blue", None]])
sf.GaussianNB().fit(rows, ["a", "b"] * 10).predict(rows)
sf.LinearRegression().fit(rows, rows[:, 0]).score(rows, rows[:, 0])
sf.describe({"a": [1, 2]})
"""
REFUSED = "import suffice as sf\nsf.KMeans(3).fit(object())\n"


def test_any_stands_only_where_nothing_better_is_known():
    """Every `Any` switches the type checker off for all that comes of it, so that their number may only fall."""
    found = {path: len(re.findall(r"\bAny\b", path.read_text(encoding="utf-8"))) for path in SOURCE.rglob("*.py")}
    most = sorted(found, key=found.__getitem__)[-5:]
    assert sum(found.values()) <= MOST, f"{sum(found.values())} times Any; most in {', '.join(map(str, most))}"


@pytest.mark.slow
@pytest.mark.unsanitized
def test_type_checkers_accept_what_users_give(tmp_path):
    pytest.importorskip("mypy")
    assert _mypy(tmp_path, ACCEPTED) == "Success: no issues found in 1 source file"
    assert 'Argument 1 to "fit" of "Estimator" has incompatible type "object"' in _mypy(tmp_path, REFUSED)


def _mypy(folder: Path, script: str) -> str:
    (folder / "script.py").write_text(script, encoding="utf-8")
    settings = "[mypy]\nignore_missing_imports = true\ncheck_untyped_defs = true\n"
    (folder / "mypy.ini").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "script.py"]
    environment = {**os.environ, "MYPYPATH": str(SOURCE)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip()
