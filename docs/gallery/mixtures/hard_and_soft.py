"""Hard and soft EM on one Gaussian

Rows of a single Gaussian, and a mixture of two. Hard EM gives every row to one component, so the best it can do is to
cut the Gaussian in parts. Soft EM lets the components overlap and share rows, and its likelihood is higher.

Row: C2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.random.default_rng(1).normal(size=(400, 2))
figure, panels = plt.subplots(1, 2, figsize=(7.8, 3.6), sharex=True, sharey=True, layout="constrained")
apart, score = {}, {}
for ax, kind in zip(panels, ("hard", "soft"), strict=True):
    model = sf.GaussianMixture(2, algorithm=kind, tol=1e-6, max_iter=3000, random_state=0).fit(X)
    apart[kind] = np.linalg.norm(np.subtract(*model.means_))
    score[kind] = model.score(X)
    sf.plots.MixtureDisplay.from_estimator(model, X, contours=False, ax=ax)
    ax.set_title(f"{kind}: means {apart[kind]:.2f} apart, log-likelihood {score[kind]:.3f}")
    ax.label_outer()

assert apart["hard"] > apart["soft"] + 0.5
assert score["soft"] > score["hard"]
