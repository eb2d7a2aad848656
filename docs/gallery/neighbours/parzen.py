"""Parzen windows

All rows within a radius vote, however many there are; with a Gaussian window all rows vote, the near ones more. A
small window is rough, a large one smooth.

Row: F2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(1)
y = np.repeat(["a", "b"], 60)
X = rng.normal(size=(120, 2)) + np.where(y == "a", 0, 1.6)[:, None]
models = {
    "radius 0.6, uniform": sf.ParzenClassifier(0.6, window="uniform"),
    "radius 0.2, Gaussian": sf.ParzenClassifier(0.2, window="gaussian"),
    "radius 1, Gaussian": sf.ParzenClassifier(1.0, window="gaussian"),
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.3), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    sf.plots.DecisionRegionsDisplay.from_estimator(model.fit(X, y), X, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{name}: training {model.score(X, y):.2f}")
    ax.get_legend().remove()
    ax.label_outer()

point = np.array([[0.8, 0.8]])
near = np.linalg.norm(X - point, axis=1) <= 0.6
share = (y[near] == "b").mean()
assert np.isclose(models["radius 0.6, uniform"].predict_proba(point)[0, 1], share)
