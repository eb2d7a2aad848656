"""The coverage of the confidence intervals of `evaluate`: many tables of one kind, each evaluated.

The true value of a score is that of very many answers: those of all tables, pooled. It is what a model fitted to as
many rows scores in the long run. Errors are normal, so that all moments are finite.

    python docs/examples/interval_coverage.py [tables]
"""

import sys

import numpy as np

import suffice as sf
from suffice.evaluation import Folds
from suffice.resampling import Answers

SPLITS = {
    "10 folds": (10, 100),
    "10 folds of 2 rows": (10, 20),
    "5 folds, 4 times": (Folds(5, 4), 100),
    "leave one out": ("leave_one_out", 25),
    "one split, 25 rows": ("holdout", 100),
}
MEASURES = {
    "classes": ("accuracy", "balanced_accuracy", "f1", "roc_auc", "log_loss"),
    "numbers": ("rmse", "mae", "r2", "correlation"),
}


def classes(rng, rows):
    """Two normal classes in three columns, one of which separates them."""
    y = np.arange(rows) % 2
    return rng.normal(size=(rows, 3)) + np.outer(y, [1.5, 0, 0]), y


def numbers(rng, rows):
    """A sum of two columns with normal errors."""
    X = rng.normal(size=(rows, 2))
    return X, X.sum(axis=1) + rng.normal(size=rows)


def coverage(task, splits, rows=100, tables=300, method="auto"):
    """The fraction of 95 % intervals that contain the true value, and their method, of each measure."""
    rng = np.random.default_rng(0)
    make, model = (classes, sf.GaussianNB()) if task == "classes" else (numbers, sf.LinearRegression())
    found = [
        sf.evaluate(model, *make(rng, rows), splits=splits, measures=MEASURES[task], keep_models=False, resamples=400)
        for _ in range(tables)
    ]
    result = {}
    for name in MEASURES[task]:
        truth = _truth(found, name)
        ends = [one.interval(name, method) for one in found]
        known = [interval for interval in ends if np.isfinite(interval.low)]
        result[name] = float(np.mean([truth in interval for interval in known])), known[0].method
    return result


def _truth(found, name):
    """The measure of the answers of all tables; scores of different fits are ranked within their folds."""
    parts = [fold.answers(one.problem) for one in found for fold in one.folds]
    for number, part in enumerate(parts):
        part.fold[:] = number
    return found[0].measure(name)(Answers.joined(parts))


if __name__ == "__main__":
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for title, (splits, rows) in SPLITS.items():
        for task in MEASURES:
            for name, (share, method) in coverage(task, splits, rows, tables).items():
                print(f"{title:20} {name:18} {method:12} {100 * share:.0f} %", flush=True)
