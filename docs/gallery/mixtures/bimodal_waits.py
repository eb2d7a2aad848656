"""A density of two parts

The waits for Old Faithful in one column: a histogram, the two Gaussians of a mixture with their weights, and their
sum. One Gaussian has its top where the histogram has its valley.

Row: C1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

wait = sf.datasets.load("faithful").matrix(["waiting"])
two = sf.GaussianMixture(2, tol=1e-8, max_iter=1000, random_state=0).fit(wait)
one = sf.GaussianMixture(1).fit(wait)
assert np.sort(two.means_[:, 0]).round(1).tolist() == [54.6, 80.1]
assert np.sort(two.weights_).round(2).tolist() == [0.36, 0.64]

x = np.linspace(38, 102, 300)[:, None]
density, shares = np.exp(two.score_samples(x)), two.predict_proba(x)
figure, ax = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
ax.hist(wait[:, 0], bins=25, density=True, color="#dddddd")
for j in np.argsort(two.means_[:, 0]):
    deviation = np.sqrt(two.covariances_[j, 0, 0])
    label = f"{two.weights_[j]:.2f} N({two.means_[j, 0]:.1f}, {deviation:.1f}²)"
    ax.plot(x, density * shares[:, j], label=label)
ax.plot(x, density, color="black", linewidth=1, label="mixture")
ax.plot(x, np.exp(one.score_samples(x)), color="#8a8a8a", linestyle="--", linewidth=1, label="one Gaussian")
ax.set(xlabel="waiting in minutes", ylabel="density", ylim=(0, 0.058))
ax.legend(loc="upper left")
