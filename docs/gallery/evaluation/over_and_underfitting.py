"""Who overfits and who underfits

Nearest neighbours on a noisy wave. One neighbour has no training error and a large future error: another model makes
more mistakes on the training rows and fewer on new ones, so it overfits. All 200 neighbours have more of both, so
they underfit. Diamonds are the training errors, points with intervals the future ones.

Row: K9
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
time = rng.uniform(0, 12, (400, 1))
wave = np.sin(time[:, 0]) + 0.5 * rng.normal(size=400)
models = {f"k = {k}": sf.KNeighborsRegressor(k) for k in (1, 20, 200)}
found = sf.compare(models, time, wave, measures="rmse", train=True)

assert found.fits["k = 1"] == "overfits"
assert found.fits["k = 200"] == "underfits"
assert found.ranking[0] == "k = 20"
figure = sf.plots.IntervalsDisplay.from_comparison(found).figure_
