"""Trees, forests, boosting and the bootstrap: as good on rows that are held out, of five seeds, before they are timed

The last line grows a forest from a file of two gigabytes, which is made once; `--share 0.1` tries all lines with
a tenth of the rows.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn import ensemble, tree
from sklearn.datasets import load_iris, make_classification, make_regression

import suffice as sf
from suffice.backend import thread_count

from . import boosting, ensembles
from .families.contest import installed, is_installed
from .harness import Workload, no_worse, reduced, repeated

TREES, SEEDS = 100, 5
INTELEX = "scikit-learn-intelex"
Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Make = Callable[[int], Any]  # an unfitted model of a seed


def _classes(n: int, d: int, seed: int) -> Rows:
    """Rows to learn from, and half as many to judge by."""
    X, y = make_classification(n + n // 2, d, n_informative=d // 2, flip_y=0.05, random_state=seed)
    return X[:n], y[:n], X[n:], y[n:]


def _numbers(n: int, d: int, seed: int) -> Rows:
    X, y = make_regression(n + n // 2, d, n_informative=d // 2, noise=20.0, random_state=seed)
    y = y + 50 * np.sin(3 * X[:, 0]) * X[:, 1]
    return X[:n], y[:n], X[n:], y[n:]


def _fit(
    name: str, size: str, ours: Make, peers: dict[str, Make], floor: dict[str, float], rows: Callable[[int], Rows]
) -> Workload:
    """Fits, each of whose models, of several seeds, scores as high on rows that are held out."""
    first = rows(0)

    def check(found: Any, others: dict[str, Any]) -> None:
        scores = {name: [model.score(*first[2:])] for name, model in {"suffice": found, **others}.items()}
        for seed in range(1, SEEDS):
            X, y, new_X, new_y = rows(seed)
            for name, make in {"suffice": ours, **peers}.items():
                scores[name].append(make(seed).fit(X, y).score(new_X, new_y))
        for name in others:
            no_worse("the score", scores["suffice"], scores[name], 0.003)

    return Workload(
        name,
        size,
        lambda: ours(0).fit(*first[:2]),
        {peer: (lambda make=make: make(0).fit(*first[:2])) for peer, make in peers.items()},
        check,
        floor={peer: times for peer, times in floor.items() if peer in peers},
        bytes_read=first[0].nbytes,
        repeat=3,
    )


def one_tree() -> Workload:
    """A tree that looks at all values."""
    n, d = reduced(50_000), 20
    return _fit(
        "DecisionTreeClassifier.fit", f"{n:,} × {d}, exact",
        lambda seed: sf.DecisionTreeClassifier(random_state=seed),
        {"scikit-learn": lambda seed: tree.DecisionTreeClassifier(random_state=seed)},
        {"scikit-learn": 4.0}, partial(_classes, n, d),
    )  # fmt: skip


def iris_tree() -> Workload:
    """A tree so small that only what is around it counts."""
    X, y = load_iris(return_X_y=True)

    def check(ours: Any, peers: dict[str, Any]) -> None:
        assert ours.score(X, y) == peers["scikit-learn"].score(X, y)
        assert ours.get_n_leaves() <= peers["scikit-learn"].get_n_leaves()

    calls = 200
    return Workload(
        "DecisionTreeClassifier.fit",
        f"iris, {calls} times",
        repeated(lambda: sf.DecisionTreeClassifier().fit(X, y), calls),
        {"scikit-learn": repeated(lambda: tree.DecisionTreeClassifier().fit(X, y), calls)},
        check,
        {"scikit-learn": 1.5},
        memory=False,
    )


def _forest_peers(name: str) -> dict[str, Make]:
    kinds = {"scikit-learn": getattr(ensemble, name), **installed(INTELEX, "sklearnex.ensemble", name)}
    jobs = thread_count()
    return {peer: partial(_seeded, kind, n_jobs=jobs) for peer, kind in kinds.items()}


def _seeded(kind: type, seed: int, **options: object) -> Any:
    return kind(TREES, random_state=seed, **options)


def forest_of_classes() -> Workload:
    """A forest of full depth."""
    n, d = reduced(50_000), 20
    return _fit(
        "RandomForestClassifier.fit", f"{n:,} × {d}, {TREES} trees", partial(_seeded, sf.RandomForestClassifier),
        _forest_peers("RandomForestClassifier"), {INTELEX: 1.2, "scikit-learn": 8.0}, partial(_classes, n, d),
    )  # fmt: skip


def forest_of_numbers() -> Workload:
    """The same of numbers."""
    n, d = reduced(100_000), 10
    return _fit(
        "RandomForestRegressor.fit", f"{n:,} × {d}, {TREES} trees", partial(_seeded, sf.RandomForestRegressor),
        _forest_peers("RandomForestRegressor"), {INTELEX: 1.2, "scikit-learn": 8.0}, partial(_numbers, n, d),
    )  # fmt: skip


def _bagged_lightgbm(leaves: int) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(
        boosting_type="rf", n_estimators=TREES, num_leaves=leaves, min_child_samples=1, bagging_freq=1,
        bagging_fraction=0.632, feature_fraction=0.3, n_jobs=thread_count(), verbose=-1,
    )  # fmt: skip


def forest_predict() -> Workload:
    """Forests of full depth, each its own; the fits above have compared what they are worth."""
    n, new = reduced(50_000), reduced(200_000)
    X, y = make_classification(n + new, 20, n_informative=10, flip_y=0.05, random_state=0)
    rows, truth = X[n:], y[n:]
    ours = _seeded(sf.RandomForestClassifier, 0).fit(X[:n], y[:n])
    models = {name: make(0).fit(X[:n], y[:n]) for name, make in _forest_peers("RandomForestClassifier").items()}
    if is_installed("lightgbm"):
        leaves = max(2, int(np.mean(ours.trees_.leaf_counts)))
        models["LightGBM"] = _bagged_lightgbm(leaves).fit(X[:n], y[:n])

    def check(mine: np.ndarray, others: dict[str, np.ndarray]) -> None:
        for answer in others.values():
            no_worse("accuracy", [np.mean(mine == truth)], [np.mean(answer == truth)], 0.005 + 1 / np.sqrt(new))

    return Workload(
        "RandomForestClassifier.predict",
        f"{new:,} × 20, {TREES} trees",
        lambda: ours.predict(rows),
        {name: partial(model.predict, rows) for name, model in models.items()},
        check,
        dict.fromkeys(models, 1.5),
        bytes_read=rows.nbytes,
    )


def forest_from_parquet() -> Workload:
    """A forest of trees of depth 10 from a file, once, in a process that does nothing else."""
    from . import files  # which needs pyarrow

    path = files.two_classes()
    X, y = files.rows_of_two_classes(20_000, np.random.default_rng(1))
    held_out, answer = path.with_suffix(".held_out.npy"), path.with_suffix(".answer.npy")
    np.save(held_out, X)
    code = (
        "import numpy as np, suffice as sf\n"
        f"model = sf.RandomForestClassifier({TREES}, max_depth=10, random_state=0)\n"
        f"model.fit(sf.scan({str(path)!r}, target='y'))\n{files.PEAK}\n"
        f"np.save({str(answer)!r}, model.predict(np.load({str(held_out)!r})))"
    )
    found: dict[str, float] = {}

    def ours() -> np.ndarray:
        command = [sys.executable, "-W", "ignore", "-c", code]
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found["peak"] = float(run.stdout) / 1024
        return np.load(answer)

    def check(classes: np.ndarray, peers: dict[str, Any]) -> None:
        assert np.mean(classes == y) > 0.58  # at best about 0.7

    return Workload(
        "RandomForestClassifier.fit from Parquet",
        f"{reduced(files.ROWS):,} × {files.COLUMNS}, {path.stat().st_size / 1e9:.1f} GB, {TREES} trees of depth 10",
        ours,
        {},
        check,
        bytes_read=path.stat().st_size,
        repeat=0,
        peaks={"suffice": lambda: found["peak"]},
        most_megabytes=600.0,
    )


WORKLOADS = [
    one_tree, forest_of_classes, forest_of_numbers, forest_predict, *boosting.LINES, iris_tree, *ensembles.LINES,
    forest_from_parquet,
]  # fmt: skip
