"""The cost falls in every half step

The cost of k-means on xclara after each assignment and after each update, from three bad rows: it never rises, it
cannot fall below 0, and there are finitely many assignments, so it stops.

Row: B1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("xclara").matrix()
centres = X[:3]
costs = []
for _ in range(10):
    labels = sf.distances.Euclidean().pairwise(X, centres).argmin(axis=1)
    costs.append(((X - centres[labels]) ** 2).sum())
    centres = sf.KMeans(3, init=centres, n_init=1, max_iter=1).fit(X).cluster_centers_
    costs.append(((X - centres[labels]) ** 2).sum())

best = sf.KMeans(3, n_init=10, random_state=0).fit(X).inertia_
assert (np.diff(costs) <= 1e-6 * best).all()
assert round(costs[-1]) == round(best) == 611606

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
step = np.arange(1, len(costs) + 1) / 2
ax.plot(step, costs, color="#bbbbbb", zorder=0)
ax.scatter(step[::2], costs[::2], s=22, label="after the assignment")
ax.scatter(step[1::2], costs[1::2], s=22, label="after the update")
ax.set(xlabel="iteration", ylabel="J", yscale="log")
ax.legend()
