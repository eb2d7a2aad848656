"""EM on three Gaussians, step by step

Rows from three Gaussians, and a mixture that begins with three means close together. Each panel is the state after so
many E- and M-steps; colours are responsibilities.

Row: C1
"""

import warnings

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(4)
shapes = [((0, 0), [[1.0, 0.6], [0.6, 1.0]]), ((5, 1), [[1.5, -0.8], [-0.8, 1.0]]), ((2, 5), [[0.6, 0], [0, 0.6]])]
X = np.vstack([rng.multivariate_normal(mean, covariance, 80) for mean, covariance in shapes])
start = [[1.5, 1.5], [2.5, 1.8], [2.0, 2.5]]

figure, panels = plt.subplots(2, 3, figsize=(9, 5.6), sharex=True, sharey=True, layout="constrained")
scores = []
for ax, t in zip(panels.flat, (1, 2, 3, 4, 5, 40), strict=True):
    with warnings.catch_warnings(action="ignore", category=sf.errors.NotConverged):
        model = sf.GaussianMixture(3, means_init=start, max_iter=t, tol=0, random_state=0).fit(X)
    scores.append(model.score(X))
    sf.plots.MixtureDisplay.from_estimator(model, X, contours=False, ax=ax)
    ax.set_title(f"{t} step{'s' * (t > 1)}: log-likelihood {scores[-1]:.3f}")
    ax.label_outer()

assert (np.diff(scores) >= 0).all()
assert sf.align(model.predict(X), np.repeat([0, 1, 2], 80)).accuracy > 0.95
