"""A mixture of probabilistic PCAs

An arc is no line, but five short lines with noise follow them: each component has a mean, one direction and little
noise across. It clusters and reduces the dimension at once; the bars are two deviations along each direction.

Row: C8
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
t = rng.uniform(-1, 1, 400)
X = np.column_stack([3 * np.sin(2.2 * t), 3 * np.cos(2.2 * t)]) + 0.12 * rng.normal(size=(400, 2))
one = sf.PPCA(1).fit(X)
model = sf.MixtureOfPPCA(5, rank=1, n_init=5, max_iter=1000, random_state=0).fit(X)
assert model.score(X) > one.score(X) + 1

figure, ax = plt.subplots(figsize=(4.6, 4), layout="constrained")
labels = model.predict(X)
for k, part in enumerate(model.mixture_.parts):
    ax.scatter(*X[labels == k].T, s=8, color=f"C{k}")
    values, vectors = np.linalg.eigh(part.covariance)
    way = 2 * np.sqrt(values[-1]) * vectors[:, -1]
    ends = np.array([part.mean - way, part.mean + way])
    ax.plot(*ends.T, color="black", linewidth=2)
ax.set(aspect="equal", xlabel="x₁", ylabel="x₂")
