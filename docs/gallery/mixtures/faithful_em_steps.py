"""Old Faithful by EM, from the start

Two round Gaussians begin at the wrong places. The E-step gives each eruption its responsibilities, here the mixture
of blue and orange; the M-step gives each Gaussian the mean and covariance of the eruptions, weighted by them. The
log-likelihood never falls; after 20 iterations the two kinds of eruptions are found.

Rows: C1, C2
"""

import warnings

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
start = {"means_init": [[-1.5, 1.0], [1.5, -1.0]], "weights_init": [0.5, 0.5], "precisions_init": [np.eye(2) * 4] * 2}
display = sf.plots.MixtureDisplay
means, covariances = np.array(start["means_init"]), np.array([np.eye(2) / 4] * 2)
distances = ((X[:, None] - means) ** 2).sum(axis=2)  # (n, 2)
first = 1 / (1 + np.exp(2 * (distances - distances[:, ::-1])))  # the responsibilities of two round Gaussians

figure, panels = plt.subplots(2, 3, figsize=(9, 5.6), sharex=True, sharey=True, layout="constrained")
even = np.full((len(X), 2), 0.5)
display(X, even, [0.5, 0.5], means, covariances, contours=False).plot(panels[0, 0]).ax_.set_title("start")
display(X, first, [0.5, 0.5], means, covariances, contours=False).plot(panels[0, 1]).ax_.set_title("first E-step")
scores = []
for ax, t in zip(panels.flat[2:], (1, 2, 5, 20), strict=True):
    with warnings.catch_warnings(action="ignore", category=sf.errors.NotConverged):
        model = sf.GaussianMixture(2, **start, max_iter=t, tol=0).fit(X)
    scores.append(model.score(X))
    shown = display(X, first, model.weights_, model.means_, model.covariances_, contours=False) if t == 1 else None
    (shown or display.from_estimator(model, X, ax=False, contours=False)).plot(ax)
    ax.set_title("first M-step" if t == 1 else f"{t} iterations: log-likelihood {scores[-1]:.3f}")
for ax in panels.flat:
    ax.set(xlabel="eruption", ylabel="waiting")
    ax.label_outer()

assert (np.diff(scores) > 0).all()
