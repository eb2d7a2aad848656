"""Biplot of the arrests

The 50 states as points and the four columns as arrows, on the first two principal components of the correlations. The
points have equal variance in both directions, and the angle between two arrows gives the correlation of their
columns: the three crimes point the same way, towns nearly at a right angle to murder.

Row: E2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

arrests = sf.datasets.load("usarrests")
X = arrests.matrix()
model = sf.PCA(scaling="correlation").fit(X)
names = {"names": arrests.features, "labels": arrests["state"]}
figure, ax = plt.subplots(figsize=(7, 6), layout="constrained")
sf.plots.BiplotDisplay.from_estimator(model, X, **names, ax=ax)


def cosine(a, b):
    return a @ b / np.sqrt(a @ a * (b @ b))


arrows = model.components_[:2].T * np.sqrt(model.explained_variance_[:2])  # (4, 2)
assert abs(cosine(arrows[0], arrows[1]) - np.corrcoef(X[:, 0], X[:, 1])[0, 1]) < 0.2
