"""k-means from a random assignment

Every row is first put into a cluster at random. The means of such clusters nearly coincide in the middle; one
assignment to the nearest of them already shows the three groups, and a few iterations later nothing changes any more.

Row: B1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(2)
X = rng.normal(size=(150, 2)) * 0.8 + np.repeat([[0, 0], [3, 1], [1, 3.5]], 50, axis=0)
labels = rng.integers(3, size=len(X))
centres = np.array([X[labels == k].mean(axis=0) for k in range(3)])
first = sf.KMeans(3, init=centres, n_init=1, max_iter=1).fit(X)
last = sf.KMeans(3, init=centres, n_init=1).fit(X)
nearest = sf.distances.Euclidean().pairwise(X, centres).argmin(axis=1)

shown = {
    "the rows": (np.zeros(150, dtype=int), None),
    "1. clusters at random": (labels, None),
    "2. their means": (labels, centres),
    "3. to the nearest mean": (nearest, centres),
    "4. the new means": (nearest, first.cluster_centers_),
    f"after {last.n_iter_} iterations": (last.labels_, last.cluster_centers_),
}
figure, panels = plt.subplots(2, 3, figsize=(9, 5.6), sharex=True, sharey=True, layout="constrained")
for ax, (name, (groups, mu)) in zip(panels.flat, shown.items(), strict=True):
    sf.plots.ClusterDisplay.from_predictions(X, groups, mu, voronoi=False, ax=ax)
    ax.set_title(name)
    ax.get_legend().remove()
    ax.label_outer()

assert sf.align(last.labels_, np.repeat([0, 1, 2], 50)).accuracy > 0.9
