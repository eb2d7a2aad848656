"""A mixture over one column

`DensityDisplay` draws the histogram of the rows, the curve $\\pi_j\\, p(x \\mid \\theta_j)$ of each component with its
weight, and their sum. Left: the duration of eruptions, from a mixture of two Gaussians over both columns; its marginal
density is that of one column. Right: counts, whose mixture of Poisson distributions has probabilities at whole numbers.

Rows: C1, C3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

faithful = sf.datasets.load("faithful").to_frame()
gaussians = sf.GaussianMixture(2, random_state=0).fit(faithful)
assert np.sort(gaussians.weights_).round(2).tolist() == [0.36, 0.64]

rng = np.random.default_rng(0)
visits = np.concatenate([rng.poisson(2, 300), rng.poisson(9, 200)])[:, None].astype(float)
poisson = sf.MixtureModel(2, component="poisson", random_state=0).fit(visits)

figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
shown = sf.plots.DensityDisplay.from_estimator(gaussians, faithful, "eruptions", ax=left)
counted = sf.plots.DensityDisplay.from_estimator(poisson, visits, ax=right)
right.set_xlabel("visits a day")
for ax, place in ((left, "upper center"), (right, "upper right")):
    ax.legend(loc=place, frameon=False, fontsize=8)
left.set_ylim(0, 1.25 * shown.heights.max())

mass = np.sum((shown.density()[1:] + shown.density()[:-1]) / 2 * np.diff(shown.x))
assert 0.98 < mass <= 1  # the rest lies beyond the picture
assert 0.98 < counted.density().sum() <= 1
