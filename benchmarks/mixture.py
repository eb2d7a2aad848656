"""Mixtures"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn.mixture as sk

import suffice as sf

from .files import FOLDER, _peak_of, _read, _read_bounded
from .harness import Workload

warnings.simplefilter("ignore")
FILE_ROWS, FILE_COLUMNS, FILE_COMPONENTS = 10_000_000, 8, 16


def groups(n: int, d: int, k: int, apart: float = 2.0) -> np.ndarray:
    """k groups, each with a covariance of its own."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, k, n)
    centres, roots = apart * rng.normal(size=(k, d)), rng.normal(size=(k, d, d)) / np.sqrt(d) + np.eye(d)
    X = rng.normal(size=(n, d))
    for c in range(k):
        X[labels == c] = X[labels == c] @ roots[c].T + centres[c]
    return X


def given(X: np.ndarray, k: int, kind: str) -> dict[str, Any]:
    """The same start for all: some rows as means, and the variances of the columns."""
    d, precision = X.shape[1], 1 / X.var(axis=0)
    precisions: dict[str, Callable[[], np.ndarray]] = {  # only one is made: matrices of many columns are large
        "full": lambda: np.tile(np.diag(precision), (k, 1, 1)),
        "tied": lambda: np.diag(precision),
        "diag": lambda: np.tile(precision, (k, 1)),
        "spherical": lambda: np.full(k, precision.mean()),
    }
    return {
        "n_components": k,
        "covariance_type": kind,
        "weights_init": np.full(k, 1 / k),
        "means_init": X[np.random.default_rng(1).choice(len(X), k, replace=False)].reshape(k, d),
        "precisions_init": precisions[kind](),
    }


def _iterations(n: int, d: int, k: int, kind: str, floor: float, iterations: int = 10) -> Workload:
    """The same number of iterations from the same initialisation."""
    X = groups(n, d, k)
    options = {**given(X, k, kind), "max_iter": iterations, "tol": 0.0}

    def check(ours, peers):
        theirs = peers["scikit-learn"]
        np.testing.assert_allclose(ours.lower_bounds_, theirs.lower_bounds_, rtol=1e-8)
        np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-6, atol=1e-6)

    products = d * (d + 1) if kind in ("full", "tied") else 3 * d  # of a row with one component
    return Workload(
        f"GaussianMixture, {kind}, {iterations} iterations",
        f"{n:,} × {d}, k={k}",
        lambda: sf.GaussianMixture(**options).fit(X),
        {"scikit-learn": lambda: sk.GaussianMixture(**options).fit(X)},
        check,
        floor={"scikit-learn": floor},
        bytes_read=X.nbytes * iterations,
        operations=2.0 * n * k * products * iterations,
        repeat=3,
    )


def _converged(name: str, X: np.ndarray, k: int, floor: float, seeds: range) -> Workload:
    """Fits from each library's own default start to its own end."""

    def fits(make: Any) -> list[float]:
        return [make(k, random_state=seed).fit(X).lower_bound_ for seed in seeds]

    def check(ours, peers):
        assert np.mean(ours) >= np.mean(peers["scikit-learn"]) - 0.01

    return Workload(
        f"GaussianMixture, {name}",
        f"{len(X):,} × {X.shape[1]}, k={k}, {len(seeds)} seeds",
        lambda: fits(sf.GaussianMixture),
        {"scikit-learn": lambda: fits(sk.GaussianMixture)},
        check,
        floor={"scikit-learn": floor},
    )


def _missing() -> Workload:
    """Iterations of exact EM with missing values, against as many on the complete rows."""
    X = groups(50_000, 20, 3)
    holed = np.where(np.random.default_rng(2).random(X.shape) < 0.2, np.nan, X)
    options = {**given(X, 3, "full"), "max_iter": 3, "tol": 0.0}

    def check(ours, peers):
        assert np.all(np.diff(ours.lower_bounds_) > 0)

    return Workload(
        "GaussianMixture, 20% missing, 3 iterations",
        "50,000 × 20, k=3",
        lambda: sf.GaussianMixture(**options).fit(holed),
        {"complete rows": lambda: sf.GaussianMixture(**options).fit(X)},
        check,
        floor={"complete rows": 1 / 6},
        bytes_read=X.nbytes * 3,
        repeat=3,
    )


def ten_million() -> Path:
    """A Parquet file of 10,000,000 rows and 8 columns of doubles, made once."""
    path = FOLDER / "ten_million.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        rng = np.random.default_rng(0)
        centres = 4 * rng.normal(size=(FILE_COMPONENTS, FILE_COLUMNS))
        writer = None
        for _ in range(20):
            X = centres[rng.integers(0, FILE_COMPONENTS, FILE_ROWS // 20)]
            X = X + rng.normal(size=X.shape)
            table = pa.table({f"x{j}": column for j, column in enumerate(X.T)})
            writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=False)
            writer.write_table(table, row_group_size=250_000)
        writer.close()
    return path


def _file() -> Workload:
    """Iterations over a file, and the look at its columns before, against reading it as often."""
    path = ten_million()
    source = sf.scan(path)
    sample = np.column_stack(pq.ParquetFile(path).read_row_group(0).columns)[:1000]
    options = {**given(sample, FILE_COMPONENTS, "full"), "max_iter": 3, "tol": 0.0}
    start = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in options.items()}
    code = (
        "import numpy as np, suffice as sf, warnings; warnings.simplefilter('ignore'); "
        f"sf.GaussianMixture(**{start!r}).fit(sf.scan({str(path)!r}))"
    )

    def check(ours, peers):
        assert np.all(np.diff(ours.lower_bounds_) > 0)

    return Workload(
        "GaussianMixture from Parquet, 4 passes",
        f"10,000,000 × 8, {path.stat().st_size / 1e9:.1f} GB, k=16",
        lambda: sf.GaussianMixture(**options).fit(source),
        {
            "reading alone": lambda: [_read(path) for _ in range(4)],
            "reading alone, bounded": lambda: [_read_bounded(path) for _ in range(4)],
        },
        check,
        floor={"reading alone": 1 / 2},
        bytes_read=4 * path.stat().st_size,
        repeat=3,
        peaks={"suffice": lambda: _peak_of(code)},
    )


FLOORS = {"full": 8.0, "tied": 8.0, "diag": 5.0, "spherical": 5.0}
WORKLOADS = [
    lambda: _converged("iris", sf.datasets.load("iris").matrix(), 3, 3.0, range(20)),
    lambda: _converged("to convergence", groups(10_000, 2, 3, apart=4.0), 3, 5.0, range(5)),
    *[lambda kind=kind, floor=floor: _iterations(200_000, 16, 10, kind, floor) for kind, floor in FLOORS.items()],
    lambda: _iterations(20_000, 100, 5, "full", 3.0),
    _missing,
    _file,
]
