"""Reconstruction from a few components

Handwritten digits of 8 × 8 pixels: the mean and the first components as pictures, and digits rebuilt from 2, 8 and 32
of 64 components. The squared error that is left is the sum of the variances that were left out.

Row: E1
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

import suffice as sf

X = load_digits().data
some = X[:7]
pca = sf.PCA().fit(X)
rows = {"mean, components": np.vstack([pca.mean_, pca.components_[:6]]), "digits": some}
for k in (2, 8, 32):
    model = sf.PCA(k).fit(X)
    rows[f"{k} components"] = model.inverse_transform(model.transform(some))
    error = ((X - model.inverse_transform(model.transform(X))) ** 2).sum() / (len(X) - 1)
    assert np.isclose(error, pca.explained_variance_[k:].sum())

figure, panels = plt.subplots(5, 7, figsize=(7.4, 5.2), layout="constrained")
for line, (name, pictures) in zip(panels, rows.items(), strict=True):
    line[0].set_ylabel(name, rotation=0, ha="right", va="center")
    for ax, picture in zip(line, pictures, strict=True):
        ax.imshow(picture.reshape(8, 8), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
