"""Bias, variance and noise over the number of neighbours

From 100 tables of a noisy sine. With one neighbour the error is twice the noise; the mean of many neighbours varies
little, and is wrong wherever the wave bends. The least error lies in between.

Row: K7
"""

import numpy as np

import suffice as sf


def waves(rng, X=None):
    X = rng.uniform(0, 12, (100, 1)) if X is None else X
    return X, np.sin(X[:, 0]) + 0.5 * rng.normal(size=len(X))


curve = sf.decompose_over(sf.KNeighborsRegressor(), waves, values=[1, 2, 4, 8, 16, 32, 64])
rows = curve.table()

assert rows[0]["variance"] > 0.2
assert rows[-1]["bias²"] > 0.4
figure = curve.plot().figure_
