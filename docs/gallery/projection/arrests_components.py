"""The arrests on their principal components

All pairs of the four components of the correlations. They are uncorrelated, and their variances are the eigenvalues
2.48, 0.99, 0.36 and 0.17 of the correlation matrix.

Row: E1
"""

import numpy as np

import suffice as sf

X = sf.datasets.load("usarrests").matrix()
model = sf.PCA(scaling="correlation").fit(X)
shown = sf.plots.PairsDisplay.from_table(model.transform(X), [f"PC {j}" for j in range(1, 5)])

assert np.linalg.eigvalsh(np.corrcoef(X, rowvar=False))[::-1].round(2).tolist() == [2.48, 0.99, 0.36, 0.17]
assert np.allclose(np.corrcoef(model.transform(X), rowvar=False), np.eye(4), atol=1e-8)
figure = shown.figure_
