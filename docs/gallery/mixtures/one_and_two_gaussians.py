"""Old Faithful: one Gaussian and two

The eruptions come in two kinds, short ones with a short wait and long ones with a long wait. A single Gaussian puts
most of its density between them, where hardly any eruption is; a mixture of two fits both kinds.

Corrected: the course gives waits of 65 and 91 minutes as the two means; in these 272 eruptions they are 54.5 and
80.0.

Rows: C1, C2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("faithful").to_frame()
figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), sharex=True, sharey=True, layout="constrained")
fits = [sf.GaussianMixture(k, tol=1e-6, random_state=0).fit(X) for k in (1, 2)]
for ax, fit in zip(panels, fits, strict=True):
    sf.plots.MixtureDisplay.from_estimator(fit, X, ax=ax)
    ax.set_title(f"mean log-likelihood {fit.score(X):.3f}")
    ax.set(xlabel="eruption in minutes", ylabel="waiting in minutes")
    ax.label_outer()

assert np.sort(fits[1].means_[:, 1]).round(1).tolist() == [54.5, 80.0]
assert np.sort(fits[1].weights_).round(3).tolist() == [0.356, 0.644]
assert fits[1].score(X) > fits[0].score(X) + 0.5
