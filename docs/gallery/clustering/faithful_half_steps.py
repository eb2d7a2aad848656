"""Old Faithful by k-means, half step by half step

The eruptions of a geyser, standardised, and two centres that begin far from anything. Each row of panels is one
iteration of coordinate descent: rows go to the nearest centre, the line is where that changes; then each centre goes
to the mean of its rows. The cost $J = \\sum_i \\lVert x_i - \\mu_{c(i)} \\rVert^2$ above each panel falls with every
half step.

Row: B1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
centres = np.array([[-1.5, 1.5], [1.5, -1.5]])
figure, panels = plt.subplots(3, 2, figsize=(6.4, 8), sharex=True, sharey=True, layout="constrained")
costs = []
for iteration, (left, right) in enumerate(panels, 1):
    moved = sf.KMeans(2, init=centres, n_init=1, max_iter=1).fit(X)
    labels = sf.distances.Euclidean().pairwise(X, centres).argmin(axis=1)
    for ax, mu, step in ((left, centres, "assign"), (right, moved.cluster_centers_, "update")):
        costs.append(((X - mu[labels]) ** 2).sum())
        sf.plots.ClusterDisplay.from_predictions(
            X, labels, mu, names=("eruption", "waiting"), voronoi=ax is left, ax=ax
        )
        ax.set_title(f"{iteration}. {step}: J = {costs[-1]:.1f}")
        ax.get_legend().remove()
        ax.label_outer()
    centres = moved.cluster_centers_

assert (np.diff(costs) < 0).all()
best = sf.KMeans(2, init=centres, n_init=1, tol=0).fit(X)
assert round(best.inertia_, 2) == 79.58  # after three more iterations
