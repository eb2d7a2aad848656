"""Asking for the labels that teach most

Accuracy on new crabs of four kinds, two species and two sexes, after each label: of crabs of which the model is
least sure, and of any crabs. Lines are means of ten repeats, within the bands are 80 % of them.

Row: L3
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
X, kind = crabs.matrix(["FL", "RW", "CL", "CW", "BD"]), np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
model = sf.prepared(sf.LogisticRegression(C=100.0), X)
curve = sf.ActiveLearner(model, "margin", first=12, batch=2).curve(X, kind, queries=40, repeats=10)
figure = curve.plot().figure_

assert curve.gain(at=26).low > 0
assert curve.labels_for(0.9) < curve.labels_for(0.9, "random")
