"""The linear discriminants of the crabs

Fisher's coordinates of the logarithms of five lengths, four groups of species and sex (0: blue females, 1: orange
females, 2: blue males, 3: orange males): priors, group means, coefficients and proportion of trace, as R's `lda`
prints them. The sign of a coefficient column is arbitrary; here it is that of the course.

Row: D3
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
X, names = np.log(crabs.matrix()), crabs.features
group = (crabs["sp"] == "O") + 2 * (crabs["sex"] == "M").astype(int)
model = sf.LinearDiscriminantAnalysis(unbiased=True).fit(X, group)
signs = np.sign(model.scalings_[:, :3][[3, 2, 3], [0, 1, 2]])  # as printed: CW, CL and CW are positive
coefficients = model.scalings_[:, :3] * signs

printed = [[-31.217207, -2.851488, 25.719750], [-9.485303, -24.652581, -6.067361], [-9.822169, 38.578804, -31.679288]]
printed += [[65.950295, -21.375951, 30.600428], [-17.998493, 6.002432, -14.541487]]
assert np.allclose(coefficients, printed, atol=1e-5)
assert model.explained_variance_ratio_[:3].round(4).tolist() == [0.6891, 0.3018, 0.0091]
assert np.allclose(model.means_[0], [2.564985, 2.475174, 3.312685, 3.462327, 2.441351], atol=1e-6)

lines = ["Group means:", "   " + "".join(f"{name:>11}" for name in names)]
lines += [f"{k:<3}" + "".join(f"{value:11.6f}" for value in row) for k, row in enumerate(model.means_)]
lines += ["", "Coefficients of linear discriminants:", "   " + "".join(f"{name:>12}" for name in ("LD1", "LD2", "LD3"))]
lines += [f"{name:<3}" + "".join(f"{v:12.6f}" for v in row) for name, row in zip(names, coefficients, strict=True)]
lines += ["", "Proportion of trace:", "   " + "".join(f"{v:12.4f}" for v in model.explained_variance_ratio_[:3])]
table = "\n".join(lines)
