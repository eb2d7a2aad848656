"""k-medoids: alternation and swaps

The alternation of the course assigns rows to medoids and then takes the best row of each cluster, as k-means does
with means. It is stuck where swaps of a medoid with any row (FasterPAM) still improve: the cost of 40 fits of each
from random medoids, divided by the best.

Row: B5
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
centres = np.stack(np.meshgrid(range(3), range(3)), axis=-1).reshape(-1, 2) * 5.0
X = rng.normal(size=(270, 2)) + np.repeat(centres, 30, axis=0)
ratios = {}
for method in ("alternate", "fasterpam"):
    fits = [sf.KMedoids(9, method=method, init="random", n_init=1, random_state=s).fit(X) for s in range(40)]
    ratios[method] = np.array([fit.inertia_ for fit in fits])
best = min(each.min() for each in ratios.values())
ratios = {method: costs / best for method, costs in ratios.items()}

assert np.median(ratios["fasterpam"]) < 1.001
assert np.median(ratios["alternate"]) > 1.05
shown = sf.plots.BoxDisplay.from_table(ratios)
shown.ax_.set_xlabel("cost / best cost, 40 fits each")
figure = shown.figure_
