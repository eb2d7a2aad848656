"""What acting costs, whatever the prices are

The mean cost of a crab over the share of a false alarm in both costs. Naive Bayes is too sure of itself: for most
prices to act on its probabilities costs more than to name one species always. Calibrated, the same scores are near the
best threshold in hindsight.

Rows: L1, L2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
X, y = crabs.matrix(["FL", "RW", "CL", "CW", "BD"]), crabs["sp"]
some = np.arange(len(y)) % 2 == 0
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
area = []
for ax, model in zip(axes, (sf.GaussianNB(), sf.Calibrated(sf.GaussianNB())), strict=True):
    curve = sf.Decide(model).fit(X[some], y[some]).cost_curve(X[~some], y[~some])
    curve.plot(ax)
    ax.set_title(f"{type(model).__name__}: Brier score {curve.area:.3f}", loc="left")
    area.append(curve.area)
    dearer = np.mean(curve.cost > curve.fixed)  # than one class always
    assert dearer > 0.6 if len(area) == 1 else dearer < 0.5
axes[0].get_legend().remove()
axes[1].set_ylabel("")

assert area[1] < 0.8 * area[0]
