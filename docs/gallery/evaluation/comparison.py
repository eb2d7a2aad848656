"""Which model is better, and by how much

Three classifiers of the sex of crabs on the same folds: accuracy with its interval, and the differences from the
best, which are paired and so more certain than the intervals suggest. The dashed line is the dummy.

Rows: K1, K2
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
models = {
    "linear": sf.LinearDiscriminantAnalysis(),
    "quadratic": sf.QuadraticDiscriminantAnalysis(),
    "naive": sf.GaussianNB(),
}
found = sf.compare(models, np.log(crabs.matrix()), crabs["sex"], measures="accuracy")
shown = sf.plots.IntervalsDisplay.from_comparison(found)

assert found.ranking[0] in ("linear", "quadratic")
assert "naive" in found.ranking[2:]
figure = shown.figure_
