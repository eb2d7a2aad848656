"""Nearest neighbours: k and the boundary

One neighbour follows every row, also those that look mislabelled; more make the boundary smoother; too many give the
prior. The accuracy is of rows that were held out, by cross-validation.

Row: F1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(1)
y = np.repeat(["a", "b"], (70, 50))
X = rng.normal(size=(120, 2)) + np.where(y == "a", 0, 1.4)[:, None]
figure, panels = plt.subplots(1, 3, figsize=(10, 3.3), sharex=True, sharey=True, layout="constrained")
held_out, training = [], []
for ax, k in zip(panels, (1, 15, 95), strict=True):
    model = sf.KNeighborsClassifier(k).fit(X, y)
    held_out.append(sf.evaluate(sf.KNeighborsClassifier(k), X, y, splits=5).value("accuracy"))
    training.append(model.score(X, y))
    sf.plots.DecisionRegionsDisplay.from_estimator(model, X, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"k = {k}: {training[-1]:.2f} training, {held_out[-1]:.2f} held out")
    ax.get_legend().remove()
    ax.label_outer()

assert training[0] == 1
assert held_out[1] > max(held_out[0], held_out[2])
