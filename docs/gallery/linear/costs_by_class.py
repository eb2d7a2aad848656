"""What a mistake costs moves the boundary

Logistic regression with costs by class, $\\sum_i c_{y_i} \\ell_i$: missing a row of the rare class costs 1, 5 or 25
times as much as a false alarm. The boundary moves away from the class whose mistakes are dear. It finds more of its
rows (recall), and fewer of the rows that it calls are of that class (precision).

Rows: G9, K8
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(0, 1, (270, 2)), rng.normal(1.5, 1, (30, 2))])
rare = np.arange(300) >= 270
figure, panels = plt.subplots(1, 3, figsize=(10.6, 3.4), layout="constrained")
recall, precision = [], []
for ax, cost in zip(panels, (1, 5, 25), strict=True):
    model = sf.LogisticRegression(class_weight={False: 1.0, True: cost}).fit(X, rare)
    called = model.predict(X)
    recall.append((called & rare).sum() / rare.sum())
    precision.append((called & rare).sum() / called.sum())
    sf.plots.DecisionRegionsDisplay.from_estimator(model, X, rare, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"cost {cost}: recall {recall[-1]:.0%}, precision {precision[-1]:.0%}")
    ax.get_legend().remove()
assert recall[0] < recall[1] < recall[2]
assert precision[0] > precision[1] > precision[2]
