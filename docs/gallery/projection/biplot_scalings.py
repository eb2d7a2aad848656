"""Two scalings of a biplot

With the singular values $X = U D V^\\top$ the points are $D^{1 - \\alpha} U$ and the arrows $D^{\\alpha} V$; their
products are the cells for any α. Left α = 0: distances between points are those between rows, and the rows spread
more along the first axis. Right α = 1: the points have equal variance, and the cosines between arrows are
correlations.

Row: E2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

arrests = sf.datasets.load("usarrests")
X = arrests.matrix()
model = sf.PCA(scaling="correlation").fit(X)
figure, panels = plt.subplots(1, 2, figsize=(9.4, 4.4), layout="constrained")
shown = {}
for ax, alpha in zip(panels, (0, 1), strict=True):
    shown[alpha] = sf.plots.BiplotDisplay.from_estimator(model, X, alpha=alpha, names=arrests.features, ax=ax)
    ax.set_title(f"α = {alpha}")

Z = sf.StandardScaler().fit_transform(X)
assert np.allclose(np.cov(shown[1].scores, rowvar=False), np.eye(2), atol=1e-8)
products = [each.scores @ each.arrows.T for each in shown.values()]
assert np.allclose(*products)  # the cells, as far as two axes go
assert abs(np.corrcoef(products[0].ravel(), Z.ravel())[0, 1]) > 0.9
