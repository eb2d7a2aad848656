"""The principal components of the crabs

All pairs of the first four components: the first is size, with 98 % of the variance, and shows no groups; the second
and third show all four.

Row: E1
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
model = sf.PCA().fit(crabs.matrix())
Z = model.transform(crabs.matrix())[:, :4]
shown = sf.plots.PairsDisplay.from_table(Z, [f"PC {j}" for j in range(1, 5)], groups=groups)

assert model.explained_variance_ratio_[0].round(2) == 0.98
assert np.allclose(np.corrcoef(Z, rowvar=False), np.eye(4), atol=1e-8)  # components are uncorrelated
figure = shown.figure_
