"""DP-means chooses K

The objective $J + \\lambda K$ has a price λ for each cluster, and DP-means minimises it over K as well. Three prices
on xclara: one so high that two clusters are left together, one that gives the three clusters that are there, and one
so low that they are cut in parts.

Row: B7
"""

from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("xclara").matrix()[::3]
figure, panels = plt.subplots(1, 3, figsize=(9.6, 3.2), sharex=True, sharey=True, layout="constrained")
found = []
for ax, price in zip(panels, (7e5, 5e4, 8e3), strict=True):
    model = sf.DPMeans(price).fit(X)
    found.append(model.n_clusters_)
    flat = sf.KMeans(model.n_clusters_, n_init=10, random_state=0).fit(X).inertia_
    cost = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert cost < 1.05 * flat  # near the best of k-means for this K
    sf.plots.ClusterDisplay.from_predictions(X, model.labels_, model.cluster_centers_, voronoi=False, ax=ax)
    ax.set_title(f"λ = {price:,.0f}: K = {model.n_clusters_}")
    ax.get_legend().remove()
    ax.label_outer()

assert found[:2] == [2, 3]
assert found[2] > 3
