"""Soft k-means

Each row belongs to every cluster a little: $\\varphi_k(x) \\propto \\exp(-\\lVert x - \\mu_k \\rVert^2 / \\beta)$,
shown by the mixture of two colours. A small β is k-means, a large one lets the centres run together.

Corrected: the objective that the course gives, $\\sum \\varphi \\lVert x - \\mu \\rVert^2 / \\beta$, is not what
these updates minimise: without the entropy $\\sum \\varphi \\log \\varphi$ the best φ would be 0 or 1.

Row: B4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
hard = sf.KMeans(2, init="pca", n_init=1).fit(X)

figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True, layout="constrained")
apart = []
for ax, beta in zip(panels, (0.05, 2.5, 3.6), strict=True):
    model = sf.SoftKMeans(2, beta=beta, init=hard.cluster_centers_, n_init=1, max_iter=2000, tol=1e-7).fit(X)
    apart.append(np.linalg.norm(np.diff(model.cluster_centers_, axis=0)))
    sf.plots.ClusterDisplay.from_estimator(model, X, names=("eruption", "waiting"), ax=ax)
    ax.set_title(f"β = {beta:g}")
    ax.get_legend().remove()
    ax.label_outer()

first = sf.SoftKMeans(2, beta=0.05, init=hard.cluster_centers_, n_init=1).fit(X)
assert np.allclose(first.cluster_centers_, hard.cluster_centers_, atol=0.01)  # β → 0 is k-means
assert apart[0] > apart[1] > apart[2]
