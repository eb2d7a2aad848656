"""What the boundary looks like

Two Gaussian classes: with different means and the same covariance the boundary is a straight line, with the same mean
and different variances a circle, and in general a conic section.

Row: D2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
unit = rng.normal(size=(2, 150, 2))
cases = {
    "different means, same variance": (unit[0], unit[1] + (3, 1)),
    "same mean, different variances": (0.6 * unit[0], 2.5 * unit[1]),
    "both different": (unit[0] * (0.5, 1.5), unit[1] * (1.5, 0.6) + (2.5, 0.5)),
}
kinds = (sf.LinearDiscriminantAnalysis(), sf.QuadraticDiscriminantAnalysis(), sf.QuadraticDiscriminantAnalysis())
figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
scores = []
for ax, (name, rows), model in zip(panels, cases.items(), kinds, strict=True):
    X, y = np.vstack(rows), np.repeat(["a", "b"], 150)
    scores.append(model.fit(X, y).score(X, y))
    sf.plots.DecisionRegionsDisplay.from_estimator(model, X, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{name}: {scores[-1]:.2f}")
    ax.get_legend().remove()

straight = sf.LinearDiscriminantAnalysis().fit(np.vstack(cases["same mean, different variances"]), y)
assert min(scores) > 0.85
assert straight.score(np.vstack(cases["same mean, different variances"]), y) < 0.6  # a line cannot
