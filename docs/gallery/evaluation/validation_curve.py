"""Underfitting and overfitting over the number of neighbours

Few neighbours follow the noise: no training error, and much on new rows. Many flatten the wave: much of both. The
dashed line marks the number that is best on new rows; bands are a standard error to either side.

Row: K9
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
time = rng.uniform(0, 12, (400, 1))
wave = np.sin(time[:, 0]) + 0.5 * rng.normal(size=400)
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
curve = sf.validation_curve(sf.KNeighborsRegressor(), time, wave, values=values, measures="rmse")

assert curve.fits[0] == "overfits"
assert curve.fits[-1] == "underfits"
figure = curve.plot().figure_
