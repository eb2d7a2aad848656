"""Intervals that hold nine in ten

The noise grows to the right. Both bands hold 90 % of new rows, as they promise. That of one distance for all is too
wide on the left and too narrow on the right; that of quantiles is as wide as the rows are spread.

Row: L2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
place = rng.uniform(0, 4, (3000, 1))
height = np.sin(2 * place[:, 0]) + 0.3 * place[:, 0] * rng.normal(size=3000)
old, new = slice(0, 1500), slice(1500, None)
trees = sf.HistGradientBoostingRegressor(max_iter=40, min_samples_leaf=50)
quantiles = sf.HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=40, min_samples_leaf=50)
models = {
    "one distance": sf.ConformalRegressor(trees),
    "quantiles": sf.ConformalRegressor(quantiles, errors="quantile"),
}
line = np.linspace(0, 4, 200)[:, None]
figure, panels = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True, layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(place[old], height[old])
    found = model.coverage(place[new], height[new])
    low, high = model.predict_interval(line).T
    ax.plot(place[new][::4, 0], height[new][::4], ".", color="#8a8a8a", markersize=2)
    ax.fill_between(line[:, 0], low, high, alpha=0.3, linewidth=0)
    ax.set(title=f"{name}: {found.inside.value:.1%} inside", xlabel="x")
    assert abs(found.inside.value - 0.9) < 0.03
