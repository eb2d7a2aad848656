"""Four kinds of covariance

A mixture of three Gaussians on the same rows: each component with a covariance of its own, a diagonal one, one for
all, and a sphere each. Every restriction saves parameters and costs likelihood; BIC weighs the two (lower is better).

Row: C2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(4)
shapes = [((0, 0), [[1.0, 0.7], [0.7, 1.0]]), ((5, 1), [[1.5, -0.9], [-0.9, 1.0]]), ((2, 5), [[0.5, 0], [0, 0.5]])]
X = np.vstack([rng.multivariate_normal(mean, covariance, 80) for mean, covariance in shapes])
kinds = {"full": "different", "diag": "different, diagonal", "tied": "identical", "spherical": "spherical"}

figure, panels = plt.subplots(2, 2, figsize=(7.4, 6), sharex=True, sharey=True, layout="constrained")
bic, parameters = {}, {}
for ax, (kind, name) in zip(panels.flat, kinds.items(), strict=True):
    model = sf.GaussianMixture(3, covariance_type=kind, n_init=3, tol=1e-5, max_iter=1000, random_state=0).fit(X)
    bic[kind], parameters[kind] = model.bic(X), model.mixture_.n_parameters
    sf.plots.MixtureDisplay.from_estimator(model, X, contours=False, ax=ax)
    ax.set_title(f"{name}: {parameters[kind]} parameters, BIC {bic[kind]:.0f}")
    ax.label_outer()

assert parameters == {"full": 17, "diag": 14, "tied": 11, "spherical": 11}
assert min(bic, key=bic.get) == "full"
