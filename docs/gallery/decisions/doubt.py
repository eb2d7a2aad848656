"""Errors against rejection

Crabs are left to somebody else from the most doubtful one on. The rate of errors among the others falls: where half of
them is left undecided, it is about half of what it was. The band is a 95 % interval.

Row: L2
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
X, y = crabs.matrix(["FL", "RW"]), crabs["sp"]
some = np.arange(len(y)) % 2 == 0
model = sf.Decide(sf.LinearDiscriminantAnalysis()).fit(X[some], y[some])
curve = model.rejection(X[~some], y[~some])
figure = curve.plot().figure_

at = np.searchsorted(-curve.rejected, -0.5)
assert 0.4 < curve.cost[at] / curve.cost[-1] < 0.6
assert (np.diff(curve.rejected) < 0).all()
