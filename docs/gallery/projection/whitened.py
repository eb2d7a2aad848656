"""Whitened rows

Rows after PCA whitening and after ZCA whitening: both have the identity as covariance. PCA turns the axes to the
principal components, ZCA turns them back, so that the rows stay as close to what they were as possible.

Row: A3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("faithful").matrix()
rows = {"standardised": sf.StandardScaler().fit_transform(X)}
rows |= {f"{kind.upper()} whitening": sf.Whiten(kind).fit_transform(X) for kind in ("pca", "zca")}
for name in ("PCA whitening", "ZCA whitening"):
    assert np.allclose(np.cov(rows[name], rowvar=False), np.eye(2))

long = X[:, 0] > 3.1
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True, layout="constrained")
for ax, (name, Z) in zip(panels, rows.items(), strict=True):
    ax.scatter(*Z.T, s=8, c=np.where(long, "#D55E00", "#0072B2"))
    ax.set(title=f"{name}: correlation {abs(np.corrcoef(Z.T)[0, 1]):.2f}", aspect="equal")
