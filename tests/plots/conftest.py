"""No windows, no figures left open, and one table that has everything a table should not have."""

from types import SimpleNamespace

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="session")
def nasty():
    """Long names, a formula, a newline, a constant, an empty and a huge column, gaps, infinity, and 20 classes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 7))
    X[:, 3], X[:, 4], X[:, 5] = 3.0, np.nan, 3e8 + 1e7 * X[:, 5]
    X[rng.random(X.shape) < 0.1] = np.nan
    X[5, 0] = np.inf
    names = [
        "a very long name of a column that nobody wants to read",
        "_under",
        "a $ and $",
        "x\ny",
        "",
        "huge",
        "x\ny",
    ]
    classes = np.array([f"class number {k} with a long name" for k in range(20)])[rng.integers(0, 20, 200)]
    return SimpleNamespace(X=X, names=names, classes=classes)
