"""Hard and soft EM on one Gaussian

Rows of a single Gaussian, and a mixture of two with the same variance. Hard EM gives every row to one component, so
the best it can do is to cut the Gaussian in two, and its density has two tops. Soft EM shares the rows: its
components overlap, their sum is nearly the truth, and its likelihood is higher.

Row: C2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.random.default_rng(1).normal(size=(2000, 1))
x = np.linspace(-4, 4, 200)[:, None]
figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.3), sharey=True, layout="constrained")
apart, score = {}, {}
for ax, kind in zip(panels, ("hard", "soft"), strict=True):
    start = {"means_init": [[-1.0], [1.0]], "covariance_type": "tied"}
    model = sf.GaussianMixture(2, algorithm=kind, **start, tol=1e-4).fit(X)
    apart[kind], score[kind] = np.ptp(model.means_), model.score(X)
    density = np.exp(model.score_samples(x))
    ax.hist(X[:, 0], bins=40, density=True, color="#dddddd")
    for share in model.predict_proba(x).T:
        ax.plot(x, density * share)
    ax.plot(x, density, color="black", linewidth=1, linestyle="--", label="mixture")
    ax.set_title(f"{kind}: means {apart[kind]:.2f} apart, log-likelihood {score[kind]:.3f}")
    ax.legend()

assert apart["hard"] > 1.5 > 1 > apart["soft"]
assert score["soft"] > score["hard"]
