"""What each linkage finds

Two bent bands with little noise, cut into two clusters. Single linkage follows the bands, since it asks only for the
nearest pair. Complete, average and Ward's linkage prefer compact clusters, and cut across.

Row: B14
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
angle, band = rng.uniform(0, np.pi, 240), np.repeat([0, 1], 120)
X = np.column_stack([np.cos(angle) + band, np.where(band, 0.4 - np.sin(angle), np.sin(angle))])
X += 0.05 * rng.normal(size=X.shape)

figure, panels = plt.subplots(2, 2, figsize=(7, 5), sharex=True, sharey=True, layout="constrained")
accuracy = {}
for ax, linkage in zip(panels.flat, ("single", "complete", "average", "ward"), strict=True):
    labels = sf.AgglomerativeClustering(2, linkage=linkage).fit(X).labels_
    accuracy[linkage] = sf.align(labels, band).accuracy
    sf.plots.ClusterDisplay.from_predictions(X, labels, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{linkage}: accuracy {accuracy[linkage]:.2f}")
    ax.get_legend().remove()
    ax.label_outer()

assert accuracy.pop("single") == 1
assert max(accuracy.values()) < 0.95
