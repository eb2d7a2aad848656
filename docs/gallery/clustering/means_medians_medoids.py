"""Means, medians and medoids with outliers

Two clusters and six rows far away. k-means minimises squared distances, so six far rows are worth a centre of their
own, and both clusters share the other. The medians of each column (k-medians, L1) and the most central row
(k-medoids, any distance) stay where most rows are.

Rows: B5, B6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(3)
X = np.vstack([rng.normal((0, 0), 1, (60, 2)), rng.normal((7, 0), 1, (60, 2)), rng.normal((9, 14), 1, (6, 2))])
models = {
    "means": sf.KMeans(2, random_state=0).fit(X),
    "medians": sf.KMedians(2, random_state=0).fit(X),
    "medoids": sf.KMedoids(2, metric="manhattan", random_state=0).fit(X),
}

figure, panels = plt.subplots(1, 3, figsize=(9, 3.4), sharex=True, sharey=True, layout="constrained")
off = {}
for ax, (name, model) in zip(panels, models.items(), strict=True):
    centres = model.cluster_centers_
    off[name] = np.abs(centres[centres[:, 0].argmax()] - (7, 0)).max()
    sf.plots.ClusterDisplay.from_predictions(X, model.labels_, centres, voronoi=False, ax=ax)
    ax.set_title(f"{name}: {off[name]:.1f} from the true centre")
    ax.get_legend().remove()
    ax.label_outer()

assert off["means"] > 1 > 0.5 > max(off["medians"], off["medoids"])
