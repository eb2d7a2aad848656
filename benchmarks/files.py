"""Files larger than memory may be (extra memory: the peak of a whole process that does only this)"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.special import expit

import suffice as sf
from suffice.observing import Observer, observe

from .harness import Workload, reduced

FOLDER = Path(__file__).parent / "data"
ROWS, COLUMNS = 5_000_000, 49
MODELS = {"PCA(5)": "sf.PCA(5)", "GaussianNB()": "sf.GaussianNB()"}
# The high-water mark of this process alone; getrusage would count the parent's memory at the fork.
PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"


def two_gigabytes() -> Path:
    """A Parquet file of 5,000,000 rows, 49 columns of doubles and a class, made once."""
    path = FOLDER / "two_gigabytes.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        rng = np.random.default_rng(0)
        names = [f"x{j}" for j in range(COLUMNS)]
        writer = None
        for _ in range(50):
            y = rng.integers(0, 5, ROWS // 50)
            X = rng.normal(size=(ROWS // 50, COLUMNS)) + y[:, None]
            table = pa.table({**dict(zip(names, X.T, strict=True)), "y": y})
            writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=["y"])
            writer.write_table(table)
        writer.close()
    return path


def two_classes() -> Path:
    """A Parquet file of as many rows and columns with a class that they do not decide, made once."""
    rows = reduced(ROWS)
    path = FOLDER / f"two_classes_{rows}.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        rng = np.random.default_rng(0)
        writer = None
        for _ in range(50):
            X, y = rows_of_two_classes(rows // 50, rng)
            table = pa.table({**{f"x{j}": column for j, column in enumerate(X.T)}, "y": y})
            writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=["y"])
            writer.write_table(table)
        writer.close()
    return path


def rows_of_two_classes(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and classes that they do not decide."""
    slope = np.random.default_rng(0).normal(size=COLUMNS) / np.sqrt(COLUMNS)
    X = rng.normal(size=(n, COLUMNS))
    return X, (X @ slope + rng.logistic(size=n) > 0).astype(np.int64)


class _Passes(Observer):
    """How often the rows of a source were read from the first on."""

    count, last = 0, np.inf

    def rows_read(self, rows: int, total: int | None) -> None:
        self.count += rows < self.last
        self.last = rows


def _logistic() -> Workload:
    """A fit, and reading the file alone as often as the fit does."""
    path = two_classes()
    source = sf.scan(path, target="y")
    passes = _Passes()
    with observe(passes):
        found = sf.LogisticRegression().fit(source)
    whole = passes.count - 1  # the first reads the target alone

    def check(ours, peers):
        np.testing.assert_allclose(ours.coef_, found.coef_, rtol=1e-9)
        pull = ours.coef_[0].copy()  # the gradient of the objective, by another program
        for batch in pq.ParquetFile(path).iter_batches():
            part = np.column_stack([column.to_numpy() for column in batch.columns])
            share = expit(part[:, :-1] @ ours.coef_[0] + ours.intercept_[0])
            pull += part[:, :-1].T @ (share - part[:, -1])
        assert np.abs(pull).max() < 1e-6 * reduced(ROWS)

    def read(often: int):
        return lambda: [_read_bounded(path) for _ in range(often)]

    code = f"import suffice as sf; sf.LogisticRegression().fit(sf.scan({str(path)!r}, target='y'))"
    return Workload(
        "LogisticRegression() from Parquet",
        f"{reduced(ROWS):,} × {COLUMNS}, {path.stat().st_size / 1e9:.1f} GB, {whole} passes",
        lambda: sf.LogisticRegression().fit(source),
        {"reading as often, bounded": read(whole), "reading once, bounded": read(1)},
        check,
        floor={"reading as often, bounded": 1 / 1.5},
        bytes_read=whole * path.stat().st_size,
        repeat=3,
        peaks={"suffice": lambda: _peak_of(code)},
    )


def _read(path: Path) -> int:
    """Nothing but reading: pyarrow's own loop over batches, with all its threads."""
    return sum(batch.num_rows for batch in pq.ParquetFile(path).iter_batches())


def _read_bounded(path: Path) -> int:
    """Nothing but reading within bounded memory, as the source reads."""
    file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)
    return sum(batch.num_rows for batch in file.iter_batches(10_000, use_threads=False))


def _peak_of(code: str) -> float:
    run = subprocess.run([sys.executable, "-c", f"{code}\n{PEAK}"], check=True, capture_output=True, text=True)
    return float(run.stdout.split()[-1]) / 1024


def _fit(name: str) -> Workload:
    path = two_gigabytes()
    source = sf.scan(path, target="y")
    model = eval(MODELS[name])

    def check(ours, peers):
        assert peers["reading alone"] == ROWS
        mean = ours.mean_ if hasattr(ours, "mean_") else ours.class_prior_ @ ours.theta_
        np.testing.assert_allclose(mean, np.full(COLUMNS, 2.0), atol=0.01)

    code = f"import suffice as sf; {MODELS[name]}.fit(sf.scan({str(path)!r}, target='y'))"
    read = f"import pyarrow.parquet as pq; [None for batch in pq.ParquetFile({str(path)!r}).iter_batches()]"
    return Workload(
        f"{name} from Parquet",
        f"{ROWS:,} × {COLUMNS}, {path.stat().st_size / 1e9:.1f} GB",
        lambda: model.fit(source),
        {"reading alone": lambda: _read(path), "reading alone, bounded": lambda: _read_bounded(path)},
        check,
        floor={"reading alone": 1 / 1.5},
        bytes_read=path.stat().st_size,
        repeat=3,
        peaks={"suffice": lambda: _peak_of(code), "reading alone": lambda: _peak_of(read)},
    )


WORKLOADS = [*(lambda name=name: _fit(name) for name in MODELS), _logistic]
