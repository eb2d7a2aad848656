"""Six initialisations, several local optima

k-means on rows without clear clusters, six times from a random assignment. The cost above each panel says which of
the local optima it found. In practice one takes the best of several initialisations (`n_init`).

Rows: B1, B2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.random.default_rng(8).normal(size=(150, 2))
fits = [sf.KMeans(5, init="random_assignment", n_init=1, random_state=seed).fit(X) for seed in range(6)]
costs = [fit.inertia_ for fit in fits]

figure, panels = plt.subplots(2, 3, figsize=(9, 5.8), sharex=True, sharey=True, layout="constrained")
for ax, fit in zip(panels.flat, fits, strict=True):
    sf.plots.ClusterDisplay.from_estimator(fit, X, ax=ax)
    best = fit.inertia_ < min(costs) + 0.05
    ax.set_title(f"J = {fit.inertia_:.1f}", color="#D55E00" if best else "black")
    ax.get_legend().remove()
    ax.label_outer()

assert len(set(np.round(costs, 1))) >= 3
assert sf.KMeans(5, n_init=50, random_state=0).fit(X).inertia_ <= min(costs) + 0.05
