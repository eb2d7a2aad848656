"""Boosted stumps, a stump, and a deep tree

Ten normal columns, and the class says whether the sum of their squares is above its median. A stump, a tree of one
split, is little better than a coin. A tree grown to the end has an error of about a quarter. Four hundred boosted
stumps make fewer than half as many errors as that tree, and go on improving long after they have left it behind.

Row: I7
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import chi2

import suffice as sf

rng = np.random.default_rng(0)
X = rng.normal(size=(6000, 10))
y = np.where((X**2).sum(axis=1) > chi2(10).median(), "far", "near")
X, y, new_X, new_y = X[:2000], y[:2000], X[2000:], y[2000:]
stump = sf.DecisionTreeClassifier(max_depth=1).fit(X, y)
deep = sf.DecisionTreeClassifier().fit(X, y)
boosted = sf.AdaBoostClassifier(n_estimators=400).fit(X, y)
by_round = 1 - np.array(list(boosted.staged_score(new_X, new_y)))

figure, ax = plt.subplots(figsize=(5.6, 3.4), layout="constrained")
ax.axhline(1 - stump.score(new_X, new_y), color="C2", linestyle="--", label="one stump")
ax.axhline(1 - deep.score(new_X, new_y), color="C1", linestyle="--", label=f"a tree with {deep.n_leaves_} leaves")
ax.plot(np.arange(1, len(by_round) + 1), by_round, label="boosted stumps: new rows")
ax.plot(boosted.history_.metric("training_error"), color="C0", alpha=0.4, label="boosted stumps: rows of the fit")
ax.set(xlabel="rounds", title="error", ylim=0)
ax.legend(loc=(0.4, 0.6))
assert 0.4 < 1 - stump.score(new_X, new_y) < 0.5
assert by_round[-1] < 0.13 < 0.2 < 1 - deep.score(new_X, new_y) < 0.3
