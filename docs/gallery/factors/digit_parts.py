"""Parts of digits: NMF and singular vectors

Handwritten digits of 8 × 8 pixels as sums of sixteen pictures. Singular vectors have both signs (red above 0, blue
below), and digits are made of them by adding and subtracting. Factors with no number below 0 can only add up: they
become strokes, and most of their pixels are white, at the price of a little more error.

Row: E6
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

import suffice as sf

X = load_digits().data
models = {"NMF": sf.NMF(16, random_state=0).fit(X), "singular vectors": sf.TruncatedSVD(16).fit(X)}
left = {}
figure = plt.figure(figsize=(7.6, 3.9), layout="constrained")
for side, (name, model) in zip(figure.subfigures(1, 2, wspace=0.05), models.items(), strict=True):
    left[name] = np.sum((X - model.inverse_transform(model.transform(X))) ** 2) / np.sum(X**2)
    side.suptitle(f"{name}: {left[name]:.1%} of the squares left")
    for ax, part in zip(side.subplots(4, 4).flat, model.components_, strict=True):
        most = np.abs(part).max()
        ax.imshow(part.reshape(8, 8), cmap="RdBu_r", vmin=-most, vmax=most)
        ax.set_axis_off()

parts = models["NMF"].components_
assert parts.min() == 0
assert np.mean(parts < 0.05 * parts.max(axis=1, keepdims=True)) > 0.5  # mostly white
assert left["singular vectors"] < left["NMF"] < 2 * left["singular vectors"]
