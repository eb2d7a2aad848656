"""k-means is EM with vanishing variance

Two Gaussians with the same small variance ε and equal weights: as ε → 0 the responsibility of the nearer mean becomes
1, a step at the middle, and EM becomes k-means.

Row: C10
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

faithful = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
centres = sf.KMeans(2, init="pca", n_init=1, tol=0).fit(faithful).cluster_centers_
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
line = centres[0] + np.linspace(0, 1, 201)[:, None] * (centres[1] - centres[0])
off = []
for variance in (1.0, 0.3, 0.05, 0.002):
    model = sf.SoftKMeans(2, beta=2 * variance, init=centres, n_init=1, tol=1e-9, max_iter=5000).fit(faithful)
    off.append(np.abs(model.cluster_centers_ - centres).max())
    ax.plot(np.linspace(0, 1, 201), model.predict_proba(line)[:, 1], label=f"ε = {variance:g}")
ax.set(xlabel="from the first centre to the second", ylabel="responsibility of the second")
ax.legend()

assert off == sorted(off, reverse=True)
assert off[-1] < 1e-4
