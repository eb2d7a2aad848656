"""Stochastic k-means: one row at a time

A centre moves towards each row that it is nearest to by a step $\\alpha_t$. With $\\sum \\alpha_t = \\infty$ and
$\\sum \\alpha_t^2 < \\infty$ it goes anywhere and still comes to rest: steps of 1/t (the running mean) do, constant
ones jitter on.

Row: B3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
rows = np.random.default_rng(0).permutation(X)
start = np.array([[-0.5, 0.5], [0.5, -0.5]])

figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.6), sharex=True, sharey=True, layout="constrained")
ends = {}
for ax, (name, step) in zip(panels, {"step 1/t": "count", "step 0.2": lambda t: 0.2}.items(), strict=True):
    model = sf.MiniBatchKMeans(2, init=start, batch_size=1, step=step)
    path = [model.partial_fit(rows[i : i + 1] if i else start).cluster_centers_.copy() for i in range(len(rows))]
    ends[name] = np.array(path)  # (rows, 2 centres, 2 columns)
    ax.scatter(*X.T, s=6, color="#bbbbbb")
    for k, colour in enumerate(("#0072B2", "#D55E00")):
        ax.plot(*ends[name][:, k].T, color=colour, linewidth=0.8)
        ax.plot(*ends[name][-1, k], "X", color=colour, ms=9, mec="white")
    ax.set(title=name, xlabel="eruption")
panels[0].set_ylabel("waiting")

spread = {name: np.abs(np.diff(path[-50:], axis=0)).mean() for name, path in ends.items()}
assert spread["step 1/t"] < 0.1 * spread["step 0.2"]
