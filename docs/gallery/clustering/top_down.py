"""Top-down k-means

Each cluster is split in two, the one with the largest cost first. It is quick, since a split looks at a part of the
rows only, and greedy: boundaries drawn early stay. Here xclara is split into 2, 3 and 6; three flat clusters would
cost 2 % less.

Row: B9
"""

from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("xclara").matrix()[::3]
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True, layout="constrained")
costs = []
for ax, k in zip(panels, (2, 3, 6), strict=True):
    model = sf.BisectingKMeans(k, n_init=10, random_state=0).fit(X)
    costs.append(model.inertia_)
    sf.plots.ClusterDisplay.from_predictions(X, model.labels_, model.cluster_centers_, voronoi=False, ax=ax)
    ax.set_title(f"{k} clusters: J = {model.inertia_:,.0f}")
    ax.get_legend().remove()
    ax.label_outer()

flat = sf.KMeans(3, n_init=5, random_state=0).fit(X).inertia_
assert costs[0] > costs[1] > costs[2]
assert round(costs[1] / flat, 2) == 1.02
