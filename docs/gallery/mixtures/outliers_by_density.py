"""Outliers by their density

A mixture of two Gaussians learns how likely an eruption is; those with $P(x) < \\tau$ are anomalies. The threshold is
where 2 % of the rows are below it. What is found lies between the two kinds, where a single column shows nothing.

Row: C9
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("faithful").matrix()
model = sf.DensityAnomaly(sf.GaussianMixture(2, random_state=0), contamination=0.02).fit(X)
odd = model.predict(X) == -1
assert odd.sum() == 5

x, y = np.meshgrid(np.linspace(1.2, 5.6, 90), np.linspace(38, 102, 90))
density = model.score_samples(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
figure, ax = plt.subplots(figsize=(5, 3.8), layout="constrained")
ax.contourf(x, y, density, levels=np.linspace(-16, density.max(), 14), cmap="Blues", extend="min", alpha=0.35)
ax.contour(x, y, density, levels=[model.score_samples(X[odd]).max()], colors="#D55E00", linewidths=1)
ax.scatter(*X[~odd].T, s=7, color="#222222")
ax.scatter(*X[odd].T, s=34, color="#D55E00", marker="X", label="2 % of the rows")
ax.set(xlabel="eruption in minutes", ylabel="waiting in minutes")
ax.legend(loc="upper left")
