"""Directions of greatest variance

Principal components of rows in the plane: the first axis is the direction in which they vary most, the second is
perpendicular to it. The arrows are two standard deviations long; the thin lines are the errors of the projection on
the first axis, whose sum of squares no other line makes smaller.

Row: E1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.random.default_rng(1).multivariate_normal([1, 2], [[3, 1.4], [1.4, 1]], size=80)
model = sf.PCA().fit(X)
first = sf.PCA(1).fit(X)
back = first.inverse_transform(first.transform(X))

S = np.cov(X, rowvar=False)
v, w = model.components_[0], model.explained_variance_
assert np.allclose(S @ v, w[0] * v)  # an eigenvector of the covariance
assert np.isclose(w.sum(), np.trace(S))
assert np.isclose(((X - back) ** 2).sum() / (len(X) - 1), w[1])

figure, ax = plt.subplots(figsize=(5, 3.8), layout="constrained")
ax.plot(*np.stack([X, back], axis=1).transpose(2, 1, 0), color="#bbbbbb", linewidth=0.7, zorder=0)
ax.scatter(*X.T, s=12)
for axis, variance, colour in zip(model.components_, w, ("#D55E00", "#009E73"), strict=True):
    end = X.mean(axis=0) + 2 * np.sqrt(variance) * axis
    ax.annotate("", end, X.mean(axis=0), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2})
ax.set(xlabel="x₁", ylabel="x₂", aspect="equal")
