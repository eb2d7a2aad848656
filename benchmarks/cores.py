"""How the work of each family speeds up with the number of threads.

`python -m benchmarks cores` times 1, 2, 4, 8, 16 … threads, up to the cores of the machine, and writes its part of
RESULTS.md; `cores KMeans PCA` prints the works whose names begin so, `--quick` takes smaller tables. No package is
needed but those that Suffice needs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import suffice as sf

from .families.tables import Cell, classes, groups
from .harness import describe_machine, measure_machine, seconds, timed

TITLE = "Threads: seconds with 1, 2, 4 … of them"
REPEAT, LONG = 3, 1.0  # the best of so many calls, of two if one takes longer
SLOWER = 1.1  # times the best number of threads so far, and more threads do harm


@dataclass(frozen=True)
class Work:
    """A call on a table of some size; `make` prepares the table and what must be fitted before."""

    name: str
    size: str
    make: Callable[[], Callable[[], Any]]


def main(arguments: list[str]) -> int:
    """Time every work with every number of threads; the exit status is 1 if more threads are slower somewhere."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cores", description=__doc__)
    parser.add_argument("names", nargs="*", help="the beginnings of names; all works if none is given")
    parser.add_argument("--quick", action="store_true", help="smaller tables")
    options = parser.parse_args(arguments)
    counts = thread_counts(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    head = [*describe_machine(measure_machine()), "", *columns(counts)]
    print("\n".join(head), flush=True)
    rows, harmful = [], False
    for work in works(4 if options.quick else 1):
        if not options.names or work.name.startswith(tuple(options.names)):
            took = times(work.make(), counts)
            harmful |= bool(slower_with_more(took))
            rows.append(row(work, took))
            print(rows[-1], flush=True)
    if not options.names and not options.quick:
        from .__main__ import read, write

        write({**read(), "cores": "\n".join([TITLE, "", *head, *rows])})
    return int(harmful)


def thread_counts(cores: int) -> list[int]:
    """The powers of two up to the number of cores, and that number.

    >>> thread_counts(12)
    [1, 2, 4, 8, 12]
    """
    return sorted({*(2**i for i in range(cores.bit_length()) if 2**i <= cores), cores})


def times(call: Callable[[], Any], counts: list[int]) -> dict[int, float]:
    """The best seconds of a call for each number of threads, which the matrix products use as well."""
    found = {}
    for count in counts:
        with sf.threads(count), threadpool_limits(count):
            first = timed(call)
            found[count] = min([first, *(timed(call) for _ in range(1 if first > LONG else REPEAT))])
    return found


def slower_with_more(took: dict[int, float]) -> list[int]:
    """The numbers of threads that are clearly slower than a smaller one.

    >>> slower_with_more({1: 8.0, 2: 4.0, 4: 3.0, 8: 3.6})
    [8]
    """
    return [n for n, t in took.items() if t > SLOWER * min(other for m, other in took.items() if m <= n)]


def columns(counts: list[int]) -> list[str]:
    """The head of the table."""
    names = ["work", "size", *map(str, counts), "speed-up", "remark"]
    return ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]


def row(work: Work, took: dict[int, float]) -> str:
    """A line of the table: the times, and how many times faster the most threads are than one."""
    most = max(took)
    harm = slower_with_more(took)
    remark = f"slower with {', '.join(map(str, harm))} than with fewer" if harm else ""
    cells = [work.name, work.size, *map(seconds, took.values()), f"{took[1] / took[most]:.1f}×", remark]
    return "| " + " | ".join(cells) + " |"


def works(shrink: int) -> Iterator[Work]:
    """All works, with so many times fewer rows."""

    def work(name: str, n: int, d: int, make: Callable[[np.ndarray], Callable[[], Any]], k: int = 20) -> Work:
        n = max(200, n // shrink)
        return Work(name, f"{n:,} × {d}", lambda: make(groups(np.random.default_rng(0), Cell(n, d), k)[0]))

    def labelled(name: str, n: int, d: int, make: Callable[[np.ndarray, np.ndarray], Callable[[], Any]]) -> Work:
        n = max(200, n // shrink)
        return Work(name, f"{n:,} × {d}", lambda: make(*classes(np.random.default_rng(0), Cell(n, d), 5)))

    yield Work("matrix product (BLAS)", "3,000²", lambda: _product(3000))
    yield work("reading (bandwidth)", 4_000_000, 16, _reading)
    yield work("KMeans.fit, k=20", 2_000_000, 16, lambda X: lambda: sf.KMeans(20, random_state=0).fit(X))
    yield work("KMeans, 10 iterations, k=64", 1_000_000, 16, _iterations, 64)
    yield work("KMeans.predict, k=20", 2_000_000, 16, _kmeans_predict)
    yield work("GaussianMixture.fit, full, k=10, 5 iterations", 400_000, 16, lambda X: _em(X, "full"))
    yield work("GaussianMixture.fit, diag, k=10, 5 iterations", 1_000_000, 16, lambda X: _em(X, "diag"))
    yield work("GaussianMixture.score_samples, full, k=10", 1_000_000, 16, _densities)
    yield work("PCA(10).fit", 1_000_000, 50, lambda X: lambda: sf.PCA(10).fit(X))
    yield work("PCA(10).transform", 1_000_000, 50, _projected)
    yield work("StandardScaler.transform", 1_000_000, 50, _scaled)
    yield labelled("GaussianNB.fit", 2_000_000, 16, lambda X, y: lambda: sf.GaussianNB().fit(X, y))
    yield labelled("GaussianNB.predict", 1_000_000, 16, _classified)
    yield labelled("LinearRegression.fit", 2_000_000, 16, lambda X, y: lambda: sf.LinearRegression().fit(X, 1.0 * y))
    yield work("NearestNeighbors, brute force, 4,000 queries", 100_000, 32, lambda X: _nearest(X, "brute", 4000))
    yield work("NearestNeighbors, k-d tree, all rows", 200_000, 3, lambda X: _nearest(X, "kd_tree", len(X)))
    yield work("NearestNeighbors, all within a radius (as DBSCAN)", 200_000, 3, _within)
    for linkage, n in (("ward", 12_000), ("average", 8000), ("single", 40_000)):
        yield work(f"AgglomerativeClustering, {linkage}", n * isqrt(shrink), 8, _linkage(linkage))  # n² pairs


def _product(n: int) -> Callable[[], Any]:
    square = np.random.default_rng(0).normal(size=(n, n))
    return lambda: square @ square


def _reading(X: np.ndarray) -> Callable[[], Any]:
    from suffice import backend

    return lambda: backend.first_bad(X)


def _iterations(X: np.ndarray) -> Callable[[], Any]:
    centres = X[np.random.default_rng(1).choice(len(X), 64, replace=False)].copy()
    return lambda: sf.KMeans(64, init=centres, max_iter=10, tol=0.0).fit(X)


def _kmeans_predict(X: np.ndarray) -> Callable[[], Any]:
    model = sf.KMeans(20, random_state=0).fit(X[:10_000])
    return lambda: model.predict(X)


def _mixture(X: np.ndarray, kind: Any) -> sf.GaussianMixture:
    means = X[np.random.default_rng(1).choice(len(X), 10, replace=False)]
    return sf.GaussianMixture(10, covariance_type=kind, means_init=means, max_iter=5, tol=0.0, random_state=0)


def _em(X: np.ndarray, kind: Any) -> Callable[[], Any]:
    return lambda: _mixture(X, kind).fit(X)


def _densities(X: np.ndarray) -> Callable[[], Any]:
    model = _mixture(X, "full").fit(X[:10_000])
    return lambda: model.score_samples(X)


def _projected(X: np.ndarray) -> Callable[[], Any]:
    model = sf.PCA(10).fit(X[:10_000])
    return lambda: model.transform(X)


def _scaled(X: np.ndarray) -> Callable[[], Any]:
    model = sf.StandardScaler().fit(X[:10_000])
    return lambda: model.transform(X)


def _classified(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    model = sf.GaussianNB().fit(X[:10_000], y[:10_000])
    return lambda: model.predict(X)


def _nearest(X: np.ndarray, algorithm: str, queries: int) -> Callable[[], Any]:
    return lambda: sf.NearestNeighbors(n_neighbors=10, algorithm=algorithm).fit(X).kneighbors(X[:queries])


def _within(X: np.ndarray) -> Callable[[], Any]:
    radius = float(np.median(sf.NearestNeighbors(n_neighbors=10).fit(X).kneighbors(X[:1000])[0][:, -1]))
    return lambda: sf.NearestNeighbors(radius=radius).fit(X).radius_neighbors(X)


def _linkage(linkage: str) -> Callable[[np.ndarray], Callable[[], Any]]:
    return lambda X: lambda: sf.AgglomerativeClustering(2, linkage=linkage).fit(X)
