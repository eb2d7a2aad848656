"""Kernel k-means on two rings

k-means cuts two rings in halves, since its clusters are separated by straight lines. In the space of a Gaussian
kernel the same algorithm separates the inner ring from the outer one.

Row: B8
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
angle, ring = rng.uniform(0, 2 * np.pi, 300), np.repeat([0, 1], 150)
radius = np.where(ring, 3.0, 0.8) + 0.15 * rng.normal(size=300)
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

plain = sf.KMeans(2, random_state=0).fit(X)
kernel = sf.KernelKMeans(2, kernel="rbf", gamma=1.0, n_init=20, random_state=0).fit(X)
accuracy = {
    name: sf.align(m.labels_, ring).accuracy for name, m in {"k-means": plain, "kernel k-means": kernel}.items()
}
assert accuracy["k-means"] < 0.7
assert accuracy["kernel k-means"] == 1

figure, panels = plt.subplots(1, 2, figsize=(6.6, 3.4), layout="constrained")
for ax, model, name in zip(panels, (plain, kernel), accuracy, strict=True):
    sf.plots.ClusterDisplay.from_predictions(X, model.labels_, ax=ax)
    ax.set_title(f"{name}: accuracy {accuracy[name]:.2f}")
    ax.get_legend().remove()
