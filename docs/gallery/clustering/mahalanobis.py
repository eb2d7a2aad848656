"""Mahalanobis distance is whitening

k-means with the distance $\\sqrt{(x - y)^\\top M^{-1} (x - y)}$, where M is the covariance of the rows, gives the
clusters of plain k-means on whitened rows. Two long clusters side by side: the Euclidean distance cuts them across.

Row: B12
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(1)
group = np.repeat([0, 1], 100)
X = np.column_stack([rng.normal(scale=6, size=200), rng.normal(scale=0.5, size=200) + 2.5 * group])

plain = sf.KMeans(2, n_init=10, random_state=0).fit(X)
metric = sf.KMeans(2, metric="mahalanobis", n_init=10, random_state=0).fit(X)
white = sf.KMeans(2, n_init=10, random_state=0).fit(sf.Whiten().fit_transform(X))
assert sf.align(metric.labels_, white.labels_).accuracy == 1
assert sf.align(metric.labels_, group).accuracy > 0.98

figure, panels = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for ax, model, name in ((panels[0], plain, "Euclidean"), (panels[1], metric, "Mahalanobis")):
    sf.plots.ClusterDisplay.from_predictions(X, model.labels_, model.cluster_centers_, voronoi=False, ax=ax)
    ax.set_title(f"{name}: accuracy {sf.align(model.labels_, group).accuracy:.2f}")
    ax.get_legend().remove()
    ax.label_outer()
