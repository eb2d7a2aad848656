"""A regression tree is a step function

Noisy values of a sine, and trees of 2, 6 and 40 leaves: every leaf says the mean of its rows. With few leaves the steps
are too coarse, with many they follow the noise. Cross-validation with the rule of one standard error takes one between.

Rows: I1, I3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 120))[:, None]
y = np.sin(x[:, 0]) + 0.25 * rng.normal(size=120)
grid = np.linspace(0, 6, 1000)[:, None]
truth = np.sin(grid[:, 0])
models = {f"{leaves} leaves": sf.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(x, y) for leaves in (2, 40)}
chosen = sf.DecisionTreeRegressor(ccp_alpha="cv", random_state=0).fit(x, y)
models = {"2 leaves": models["2 leaves"], f"{chosen.n_leaves_} leaves, by cross-validation": chosen,
          "40 leaves": models["40 leaves"]}  # fmt: skip
figure, panels = plt.subplots(1, 3, figsize=(10.6, 3.0), layout="constrained", sharey=True)
errors = []
for ax, (name, model) in zip(panels, models.items(), strict=True):
    said = model.predict(grid)
    errors.append(float(((said - truth) ** 2).mean()))
    ax.plot(x[:, 0], y, ".", color="0.6", markersize=3)
    ax.plot(grid[:, 0], truth, color="0.3", linewidth=0.8, linestyle="--")
    ax.plot(grid[:, 0], said, color=sf.plots.style.COLOURS[1], linewidth=1.4)
    ax.set_title(name, fontsize=9)
    ax.set_xlabel("x")
assert errors[1] < min(errors[0], errors[2])
