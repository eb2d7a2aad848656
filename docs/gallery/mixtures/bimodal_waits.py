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

figure, ax = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
shown = sf.plots.DensityDisplay.from_estimator(two, wait, ax=ax)
alone = np.exp(one.score_samples(shown.x[:, None]))
ax.plot(shown.x, alone, color="#8a8a8a", linestyle="--", label="one Gaussian")
ax.set(xlabel="waiting in minutes", ylim=(0, 0.058))
ax.legend(loc="upper left", frameon=False)
top, valley = shown.x[alone.argmax()], (shown.x > 60) & (shown.x < 75)
assert 70 < top < 72
assert shown.density()[valley].min() < alone.max() / 3
