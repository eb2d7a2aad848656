"""Covariance or correlation

Principal components depend on the units. Of the arrests as they are, the first component is little else than assault,
the column with the largest numbers; of the correlations, all crimes take part.

Row: E1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

arrests = sf.datasets.load("usarrests")
figure, panels = plt.subplots(1, 2, figsize=(8, 2.8), sharey=True, layout="constrained")
first = {}
for ax, scaling in zip(panels, ("covariance", "correlation"), strict=True):
    model = sf.PCA(scaling=scaling).fit(arrests.matrix())
    first[scaling] = np.abs(model.components_[0])
    ax.bar(arrests.features, first[scaling])
    ax.set(title=f"{scaling}: {model.explained_variance_ratio_[0]:.1%} of the variance")
panels[0].set_ylabel("first component")

assert first["covariance"].round(3).tolist() == [0.042, 0.995, 0.046, 0.075]
assert first["correlation"].round(2).max() < 0.6
