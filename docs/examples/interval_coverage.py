"""The coverage of the confidence intervals of `evaluate`: many tables of one kind, each evaluated.

The true value of a score is taken as its mean over all tables, which is what a model fitted to as many rows scores
in the long run.
"""

import numpy as np

import suffice as sf
from suffice.evaluation import Folds

SPLITS = {"10 folds": 10, "5 folds, 4 times": Folds(5, 4), "one split": "holdout"}


def table(rng, rows):
    """Two normal classes in three columns, one of which separates them."""
    y = np.arange(rows) % 2
    return rng.normal(size=(rows, 3)) + np.outer(y, [1.5, 0, 0]), y


def coverage(splits, measure, rows=100, tables=300):
    """The fraction of 95 % intervals that contain the true value, and their method."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(tables):
        result = sf.evaluate(sf.GaussianNB(), *table(rng, rows), splits=splits, measures=measure, resamples=500)
        found.append(result.intervals[measure])
    truth = np.mean([interval.value for interval in found])
    return np.mean([truth in interval for interval in found]), found[0].method


if __name__ == "__main__":
    for name, splits in SPLITS.items():
        for measure in ("accuracy", "log_loss", "roc_auc"):
            share, method = coverage(splits, measure)
            print(f"{name:18} {measure:10} {method:12} {100 * share:.0f} %")
