"""The crabs in their discriminant plane

The four groups on the first two of Fisher's coordinates, with the regions of a linear discriminant analysis in that
plane. The first coordinate separates the species, the second the sexes.

Rows: D2, D3
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
Z = sf.LinearDiscriminantAnalysis(unbiased=True).fit(np.log(crabs.matrix()), groups).transform(np.log(crabs.matrix()))
model = sf.LinearDiscriminantAnalysis().fit(Z[:, :2], groups)
shown = sf.plots.DecisionRegionsDisplay.from_estimator(model, Z[:, :2], groups, names=("LD1", "LD2"))

assert model.score(Z[:, :2], groups) > 0.93
figure = shown.figure_
