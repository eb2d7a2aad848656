"""Classes that are not one Gaussian

Each class is two clusters, in turns along a line. One Gaussian a class cannot tell them apart; a mixture of two a
class can, and its density P(x) also flags a row that is like neither class (at (4.5, 2.6)).

Row: D4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
corners = np.array([[0, 0], [6, 0], [3, 0], [9, 0]])
X = rng.normal(size=(240, 2)) * 0.7 + np.repeat(corners, 60, axis=0)
y = np.repeat(["a", "b"], 120)
models = {"linear": sf.LinearDiscriminantAnalysis(), "one Gaussian": sf.QuadraticDiscriminantAnalysis()}
models["a mixture of two"] = sf.MixtureBayes({"a": 2, "b": 2}, random_state=0)
strange = np.array([[4.5, 2.6]])

figure, panels = plt.subplots(1, 3, figsize=(10, 2.6), layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    accuracy = model.fit(X, y).score(X, y)
    sf.plots.DecisionRegionsDisplay.from_estimator(model, X, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{name}: accuracy {accuracy:.2f}")
    ax.get_legend().remove()

assert models["one Gaussian"].score(X, y) < 0.8
assert accuracy > 0.95
assert model.log_density(strange)[0] < np.quantile(model.log_density(X), 0.005)
