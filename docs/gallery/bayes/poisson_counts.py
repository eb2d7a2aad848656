"""Poisson naive Bayes has a linear boundary

Two counts a row, with rates that depend on the class. The log-odds are $\\sum_j x_j \\log (\\lambda_{1j} /
\\lambda_{0j})$ plus a constant, so the boundary is a straight line.

Row: D1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 120)
X = rng.poisson(np.where(y[:, None], (9, 3), (3, 6))).astype(float)
model = sf.PoissonNB().fit(X, y)
weights = np.log(model.rate_[1] / model.rate_[0])
offset = (model.rate_[0] - model.rate_[1]).sum()
p = model.predict_proba(X)
assert np.allclose(np.log(p[:, 1] / p[:, 0]), X @ weights + offset)

figure, ax = plt.subplots(figsize=(4.8, 3.8), layout="constrained")
for k in (0, 1):
    own = X[y == k] + 0.25 * rng.uniform(-1, 1, size=(120, 2))
    ax.scatter(*own.T, s=12, label=f"class {k}: rates {model.rate_[k][0]:.1f}, {model.rate_[k][1]:.1f}")
first = np.array([0, 16.5])
ax.plot(first, -(offset + weights[0] * first) / weights[1], color="black", linewidth=1)
ax.set(xlabel="first count", ylabel="second count", ylim=(-0.7, 18))
ax.legend()
