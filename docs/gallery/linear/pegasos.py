"""Pegasos: steps of 1 / (λ t)

Stochastic gradient descent on the objective of a support vector machine, $\\frac{\\lambda}{2} \\lVert w \\rVert^2$
and the mean hinge loss. Steps of $1 / (\\lambda t)$ are large at first and then fall just fast enough: $\\sum \\eta_t
= \\infty$, so that it gets anywhere, and $\\sum \\eta_t^2 < \\infty$, so that it comes to rest. A constant step
jitters on, but the mean of all its coefficients on the way (averaging) comes to rest as well. The dashed line is the
minimum.

Rows: G2, G6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
crabs = sf.datasets.load("crabs")
X = sf.StandardScaler().fit_transform(np.log(crabs.matrix()))
signs = np.where(crabs["sex"] == "M", 1.0, -1.0)
LAMBDA = 0.01


def objective(w, b):
    """½ λ ‖w‖² + the mean hinge loss."""
    return 0.5 * LAMBDA * w @ w + np.maximum(0, 1 - signs * (X @ w + b)).mean()


exact = sf.LinearSVC(loss="hinge", C=1 / (LAMBDA * len(X)), tol=1e-9).fit(X, signs)
least = objective(exact.coef_[0], exact.intercept_[0])
ways = {
    "1 / (λt)": {"learning_rate": "pegasos"},
    "constant 0.05": {"learning_rate": "constant", "eta0": 0.05},
    "constant 0.05, averaged": {"learning_rate": "constant", "eta0": 0.05, "average": True},
}
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
late = {}
for name, given in ways.items():
    with sf.recording() as trace:
        sf.SGDClassifier(alpha=LAMBDA, max_iter=150, tol=None, random_state=0, **given).fit(X, signs)
    path = [objective(each["coef_"][0], each["intercept_"][0]) for each in trace.fits[0].snapshots]
    late[name] = np.array(path[-40:])
    ax.plot(np.arange(1, len(path) + 1), path, label=name, linewidth=1.1)
ax.axhline(least, color="#222222", linestyle="--", linewidth=0.8)
ax.set(xlabel="epoch", xscale="log", ylim=(0.22, 0.7), ylabel="objective")
ax.legend()
assert late["1 / (λt)"].std() < late["constant 0.05"].std()
assert least <= min(map(np.min, late.values()))
assert max(late["1 / (λt)"].mean(), late["constant 0.05, averaged"].max()) < 1.02 * least
