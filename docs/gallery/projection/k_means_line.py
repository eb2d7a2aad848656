"""Two centres lie along the first component

k-means and PCA minimise the same error, $\\sum \\lVert W z - x \\rVert^2$; for PCA z is any vector, for k-means it
names one column. For two clusters the line through the centres is close to the first principal component, so PCA is a
good initialisation.

Rows: B2, E1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
centres = sf.KMeans(2, init="pca", n_init=1).fit(X).cluster_centers_
axis = sf.PCA(1).fit(X).components_[0]
between = centres[1] - centres[0]
cosine = abs(between @ axis) / np.linalg.norm(between)
assert cosine > 0.999

figure, ax = plt.subplots(figsize=(4.8, 3.8), layout="constrained")
ax.scatter(*X.T, s=8, color="#bbbbbb")
ax.axline((0, 0), slope=axis[1] / axis[0], color="#0072B2", label="first principal component")
ax.plot(*centres.T, marker="X", ms=10, color="#D55E00", linestyle="--", label="through the centres of k-means")
ax.set(xlabel="eruption", ylabel="waiting", title=f"cosine of the angle: {cosine:.4f}")
ax.legend()
