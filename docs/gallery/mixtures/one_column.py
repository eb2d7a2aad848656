"""A mixture over one column

`DensityDisplay` draws the histogram of the rows, the curve $\\pi_j\\, p(x \\mid \\theta_j)$ of each component with its
weight, and their sum. Left: the duration of eruptions, from a mixture of two Gaussians over both columns; its marginal
density is that of one column. Right: amounts, whose mixture of gamma distributions has no density below 0.

Rows: C1, C3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

faithful = sf.datasets.load("faithful").to_frame()
gaussians = sf.GaussianMixture(2, random_state=0).fit(faithful)
assert np.sort(gaussians.weights_).round(2).tolist() == [0.36, 0.64]

rng = np.random.default_rng(0)
amounts = np.concatenate([rng.gamma(1.5, 1.0, 400), rng.gamma(20.0, 0.5, 200)])[:, None]
gammas = sf.MixtureModel(2, component="gamma", random_state=0).fit(amounts)

figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
shown = sf.plots.DensityDisplay.from_estimator(gaussians, faithful, "eruptions", ax=left)
positive = sf.plots.DensityDisplay.from_estimator(gammas, amounts, ax=right)
right.set_xlabel("amount")
for ax, place in ((left, "upper center"), (right, "upper right")):
    ax.legend(loc=place, frameon=False, fontsize=8)
left.set_ylim(0, 1.25 * shown.heights.max())

assert np.abs(np.sort(gammas.weights_) - (1 / 3, 2 / 3)).max() < 0.03
assert positive.x.min() > 0
for each in (shown, positive):
    assert 0.98 < np.trapezoid(each.density(), each.x) <= 1  # the rest lies beyond the picture
