"""k-means++ against rows drawn at random

Fifteen round clusters, and the cost of 60 fits from each kind of initialisation, divided by the best known. Rows
drawn uniformly leave clusters without a centre, and Lloyd's iterations cannot repair that. k-means++ draws each
centre with a probability proportional to the squared distance from those it has, and keeps its expected cost within
O(log K) of the best. The farthest point takes the outliers.

Row: B2
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
centres = np.stack(np.meshgrid(range(5), range(3)), axis=-1).reshape(-1, 2) * 6.0
X = np.vstack([rng.normal(size=(750, 2)) + np.repeat(centres, 50, axis=0), rng.uniform(-6, 30, size=(8, 2))])

best = sf.KMeans(15, n_init=60, random_state=0).fit(X).inertia_
ratios = {}
for init in ("random", "random_assignment", "farthest", "k-means++"):
    ratios[init] = [sf.KMeans(15, init=init, n_init=1, random_state=s).fit(X).inertia_ / best for s in range(60)]

middle = {init: np.median(each) for init, each in ratios.items()}
assert middle["k-means++"] < 1.3 < middle["random"]

shown = sf.plots.BoxDisplay.from_table(ratios)
shown.ax_.set_xlabel("cost / best cost, 60 fits each")
figure = shown.figure_
