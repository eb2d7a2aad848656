"""Columns that matter only together

The class is whether two of six columns have the same sign. Neither says anything alone: forward selection takes noise
until it meets the pair, backward selection leaves the noise out and keeps the pair.

Row: K6
"""

import numpy as np

import suffice as sf
from suffice.plots import Band, BandsDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 6))
same = X[:, 1] * X[:, 4] > 0
tree = sf.DecisionTreeClassifier(max_depth=6, min_samples_leaf=5)
lines = []
for kind in (sf.ForwardSelection, sf.BackwardSelection):
    path = kind(tree, patience=None).fit(X, same).path_
    error = path.standard_error
    name = "forward" if path.forward else "backward"
    lines.append(Band(name, path.sizes, path.value, path.value - error, path.value + error))

assert lines[0].y[1] < 0.6
assert lines[1].y[-2] > 0.95
figure = BandsDisplay(lines, "columns", "accuracy").plot().figure_
