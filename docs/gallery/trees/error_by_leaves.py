"""Training and test error against leaves

Two columns that matter, eight that do not, and 15 % of wrong classes. The error for the rows of the fit falls to 0 with
every leaf that is added; that for other rows falls at first, and then rises: the tree has begun to learn the noise.
Each point is a tree of the cost-complexity path.

Rows: I3
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 10))
y = ((X[:, 0] > 0) & (X[:, 1] > 0)) ^ (rng.uniform(size=2000) < 0.15)
tree = sf.DecisionTreeClassifier().fit(X[:1000], y[:1000])
path = tree.cost_complexity_path(X[1000:], y[1000:])
figure = path.plot().figure_
best = int(np.argmin(path.test_error))
assert path.error[0] == 0
assert path.test_error[0] > path.test_error[best] + 0.05
assert path.leaves[0] > 10 * path.leaves[best]
