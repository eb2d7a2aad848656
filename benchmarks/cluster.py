"""Clustering"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn.cluster as sk
from sklearnex.cluster import KMeans as IntelKMeans

import suffice as sf
from suffice.models.cluster.initialisation import KMeansPlusPlus, Rows

from .files import FOLDER, _peak_of, _read, _read_bounded
from .harness import Workload

warnings.simplefilter("ignore")
SEEDS = range(5)


def blobs(n: int, d: int, k: int, dtype: Any = np.float64) -> np.ndarray:
    """k round groups; in two columns they lie in a square, else about the origin."""
    rng = np.random.default_rng(0)
    centres = rng.uniform(-20, 20, (k, d)) if d == 2 else 4 * rng.normal(size=(k, d))
    return (centres[rng.integers(0, k, n)] + rng.normal(size=(n, d))).astype(dtype)


def _fits(make: Any, X: np.ndarray, seeds: range = SEEDS) -> list[float]:
    return [make(seed).fit(X).inertia_ for seed in seeds]


def _converged(n: int, d: int, k: int, dtype: Any) -> Workload:
    """Five fits with five seeds, each library from its own default start to its own end."""
    X = blobs(n, d, k, dtype)

    def check(ours, peers):
        best = min(np.mean(inertia) for inertia in peers.values())
        assert np.mean(ours) <= 1.005 * best, f"inertia {np.mean(ours)} against {best}"

    peers = {
        "lloyd": lambda: _fits(lambda s: sk.KMeans(k, random_state=s), X),
        "elkan": lambda: _fits(lambda s: sk.KMeans(k, random_state=s, algorithm="elkan"), X),
        "intelex": lambda: _fits(lambda s: IntelKMeans(k, random_state=s, n_init=1), X),
    }
    return Workload(
        f"KMeans, clustered, {np.dtype(dtype).name}",
        f"{n:,} × {d}, k={k}, 5 seeds",
        lambda: _fits(lambda s: sf.KMeans(k, random_state=s), X),
        peers,
        check,
        floor=dict.fromkeys(peers, 2.0),
        bytes_read=5 * X.nbytes,
        repeat=3,
    )


def _faiss_rounds(X: np.ndarray, start: np.ndarray, iterations: int) -> np.ndarray:
    """The centres after some iterations, and the label of every row, as the other libraries give them."""
    (n, d), single = X.shape, X.astype(np.float32)
    model = faiss.Kmeans(d, len(start), niter=iterations, max_points_per_centroid=n, seed=1)
    model.train(single, init_centroids=start.astype(np.float32))
    model.index.search(single, 1)
    return model.centroids


def _iterations(n: int, d: int, k: int, iterations: int) -> Workload:
    """The same number of iterations from the same initialisation on rows without structure."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    start = X[rng.choice(n, k, replace=False)].copy()
    options = {"n_clusters": k, "init": start, "n_init": 1, "max_iter": iterations, "tol": 0.0}

    def check(ours, peers):
        for name in ("lloyd", "intelex"):
            np.testing.assert_allclose(ours.inertia_, peers[name].inertia_, rtol=1e-6, err_msg=name)

    peers = {
        "lloyd": lambda: sk.KMeans(**options).fit(X),
        "elkan": lambda: sk.KMeans(**options, algorithm="elkan").fit(X),
        "intelex": lambda: IntelKMeans(**options).fit(X),
        "faiss (single precision)": lambda: _faiss_rounds(X, start, iterations),
    }
    return Workload(
        f"KMeans, no structure, {iterations} iterations",
        f"{n:,} × {d}, k={k}",
        lambda: sf.KMeans(**options).fit(X),
        peers,
        check,
        floor=dict.fromkeys(peers, 1.3),
        bytes_read=X.nbytes * (iterations + 1),
        operations=2.0 * n * d * k * (iterations + 1),
        repeat=3,
    )


def _start() -> Workload:
    n, d, k = 200_000, 32, 500
    X = blobs(n, d, k)

    def cost(centres):
        return float(sf.KMeans(k, init=np.asarray(centres), max_iter=1).fit(X).inertia_)

    def check(ours, peers):
        assert cost(ours) <= 1.1 * cost(peers["scikit-learn"][0])

    return Workload(
        "k-means++ over all rows",
        f"{n:,} × {d}, k={k}",
        lambda: KMeansPlusPlus(sample=None)(None, Rows(X, None), k, np.random.default_rng(0)),
        {"scikit-learn": lambda: sk.kmeans_plusplus(X, k, random_state=0)},
        check,
        floor={"scikit-learn": 3.0},
        bytes_read=X.nbytes,
        repeat=3,
    )


def _predict() -> Workload:
    X = blobs(1_000_000, 16, 64)
    centres = sf.KMeans(64, random_state=0).fit(X).cluster_centers_
    ours = sf.KMeans(64, init=centres, max_iter=1, tol=1e9).fit(X)
    theirs = sk.KMeans(64, init=centres, n_init=1, max_iter=1).fit(X)
    intel = IntelKMeans(64, init=centres, n_init=1, max_iter=1).fit(X)
    theirs.cluster_centers_ = intel.cluster_centers_ = ours.cluster_centers_

    def check(mine, peers):
        assert np.mean(mine == peers["scikit-learn"]) > 0.99999

    return Workload(
        "KMeans.predict",
        "1,000,000 × 16, k=64",
        lambda: ours.predict(X),
        {"scikit-learn": lambda: theirs.predict(X), "intelex": lambda: intel.predict(X)},
        check,
        floor={"scikit-learn": 1.5, "intelex": 1.5},
        bytes_read=X.nbytes,
        operations=2.0 * 1_000_000 * 16 * 64,
    )


def _iris() -> Workload:
    X, seeds = sf.datasets.load("iris").matrix(), range(50)

    def check(ours, peers):
        assert np.mean(ours) <= 1.02 * np.mean(peers["scikit-learn"])

    return Workload(
        "KMeans, small",
        "150 × 4, k=3, 50 seeds",
        lambda: _fits(lambda s: sf.KMeans(3, random_state=s), X, seeds),
        {"scikit-learn": lambda: _fits(lambda s: sk.KMeans(3, random_state=s), X, seeds)},
        check,
        floor={"scikit-learn": 3.0},
    )


def _minibatch() -> Workload:
    """Nearly all of scikit-learn's time is its draw of each batch by weight, which goes through all rows."""
    X = blobs(1_000_000, 16, 64)

    def check(ours, peers):
        assert np.mean(ours) <= 1.001 * np.mean(peers["scikit-learn"])

    return Workload(
        "MiniBatchKMeans",
        "1,000,000 × 16, k=64, 5 seeds",
        lambda: _fits(lambda s: sf.MiniBatchKMeans(64, random_state=s), X),
        {"scikit-learn": lambda: _fits(lambda s: sk.MiniBatchKMeans(64, random_state=s), X)},
        check,
        floor={"scikit-learn": 2.0},
        bytes_read=5 * X.nbytes,
        repeat=3,
    )


def five_gigabytes() -> Path:
    """A Parquet file of 40,000,000 rows and 16 columns of doubles in 64 groups, made once."""
    path = FOLDER / "five_gigabytes.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        rng = np.random.default_rng(0)
        centres = 4 * rng.normal(size=(64, 16))
        writer = None
        for _ in range(80):
            X = centres[rng.integers(0, 64, 500_000)] + rng.normal(size=(500_000, 16))
            table = pa.table({f"x{j}": column for j, column in enumerate(X.T)})
            writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=False)
            writer.write_table(table, row_group_size=250_000)
        writer.close()
    return path


def _file() -> Workload:
    """A first look, four iterations and the cost at the end: six passes, against reading the file as often."""
    path = five_gigabytes()
    source = sf.scan(path)
    start = FOLDER / "first_rows.npy"
    np.save(start, pq.ParquetFile(path).read_row_group(0).slice(0, 64).to_pandas().to_numpy())
    fit = f"sf.KMeans(64, init=np.load({str(start)!r}), max_iter=4, tol=0.0).fit"
    code = f"import numpy as np, suffice as sf; {fit}(sf.scan({str(path)!r}))"

    def check(ours, peers):
        assert ours.n_iter_ == 4
        assert np.all(np.diff(ours.history_.objective) <= 0)

    return Workload(
        "KMeans from Parquet, 6 passes",
        f"40,000,000 × 16, {path.stat().st_size / 1e9:.1f} GB, k=64",
        lambda: eval(fit)(source),
        {
            "reading alone": lambda: [_read(path) for _ in range(6)],
            "reading alone, bounded": lambda: [_read_bounded(path) for _ in range(6)],
        },
        check,
        floor={"reading alone": 1 / 1.3, "reading alone, bounded": 1 / 1.3},
        bytes_read=6 * path.stat().st_size,
        repeat=3,
        peaks={"suffice": lambda: _peak_of(code)},
    )


SHAPES = [(1_000_000, 2, 8), (500_000, 16, 64), (100_000, 64, 256)]
WORKLOADS = [
    _iris,
    *[lambda s=shape, t=dtype: _converged(*s, t) for shape in SHAPES for dtype in (np.float64, np.float32)],
    lambda: _iterations(200_000, 128, 1000, 5),
    lambda: _iterations(60_000, 784, 10, 20),
    _start,
    _predict,
    _minibatch,
    _file,
]
