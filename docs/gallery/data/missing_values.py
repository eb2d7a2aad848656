"""Where values are missing

A tenth of all cells of the crabs were taken away at random, and in the last third of the rows a whole column: a map
of the table shows at once that this column needs another treatment than the rest.

Row: A2
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
X = crabs.matrix()
X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
X[140:, 1] = np.nan
shown = sf.plots.MissingnessDisplay.from_table(X, crabs.features)

assert np.isnan(X[:, 1]).mean() > 0.3 > 0.2 > np.isnan(X[:, 0]).mean()
figure = shown.figure_
