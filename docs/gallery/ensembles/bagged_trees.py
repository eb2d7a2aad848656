"""Bagging of eleven trees

A deep tree varies much from sample to sample. In five dimensions, eleven of them from eleven bootstrap samples are
averaged: the test error falls with the first few trees. Rows out of the bag tell the error of new rows without any.

Row: I5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf


def table(n, rng):
    """Five columns, of which the first says most, and two classes."""
    X = rng.multivariate_normal(np.zeros(5), 0.05 + 0.95 * np.eye(5), size=n)
    return X, np.where(rng.random(n) < np.where(X[:, 0] + 0.5 * X[:, 1] > 0.3, 0.85, 0.15), "b", "a")


rng = np.random.default_rng(0)
new_X, new_y = table(4000, rng)
counts = np.array([1, 2, 3, 5, 7, 11, 21, 41])
errors, own, tree = np.zeros((20, len(counts))), np.zeros(20), np.zeros(20)
for run in range(20):
    X, y = table(150, rng)
    tree[run] = 1 - sf.DecisionTreeClassifier(random_state=0).fit(X, y).score(new_X, new_y)
    for j, m in enumerate(counts):
        bag = sf.BaggingClassifier(n_estimators=m, random_state=run, oob_score=bool(m == 41)).fit(X, y)
        errors[run, j] = 1 - bag.score(new_X, new_y)
    own[run] = 1 - bag.oob_score_
figure, ax = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
ax.axhline(tree.mean(), color="#8a8a8a", linestyle="--", label="one tree of all rows")
ax.plot(counts, errors.mean(axis=0), marker="o", label="bagged trees")
ax.plot(41, own.mean(), marker="D", linestyle="none", label="out of the bag")
ax.set(xscale="log", xlabel="trees", title="test error, the mean of 20 samples of 150 rows")
ax.set_xticks(counts, counts.astype(str))
ax.minorticks_off()
ax.legend()
assert errors.mean(axis=0)[counts == 11] < tree.mean() - 0.02
assert abs(own.mean() - errors.mean(axis=0)[-1]) < 0.02
