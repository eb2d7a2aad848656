"""Softmax: one probability for each class

Logistic regression of three classes, $P(c | x) \\propto e^{w_c^\\top x + b_c}$, on the petals of iris. The boundary
of any two classes is where their scores are equal, so a straight line, and all of them meet in one point. With less
regularisation (a larger C) the same lines stand for more certainty: the paler belt between the classes becomes
narrow.

Row: G5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

iris = sf.datasets.load("iris")
X, y = iris.matrix(["petal_length", "petal_width"]), iris["species"]
figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
unsure = []
for ax, C in zip(panels, (0.02, 1.0, 100.0), strict=True):
    model = sf.LogisticRegression(C=C).fit(X, y)
    display = sf.plots.DecisionRegionsDisplay.from_estimator(model, X, y, names=("petal length", "petal width"), ax=ax)
    unsure.append((display.sure < 0.6).mean())
    ax.set_title(f"C = {C:g}: {model.score(X, y):.1%} right")
    ax.get_legend().remove()
    meet = np.linalg.solve(model.coef_[1:] - model.coef_[0], model.intercept_[0] - model.intercept_[1:])
    assert np.allclose(model.predict_proba([meet]), 1 / 3)
for k, (name, place) in enumerate(zip(model.classes_, ((0.9, 1.0), (3.5, 0.6), (5.6, 0.9)), strict=True)):
    panels[0].text(*place, name, color=f"C{k}", weight="bold")
assert unsure[0] > unsure[1] > unsure[2]
assert model.score(X, y) >= 0.96
