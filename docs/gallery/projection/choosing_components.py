"""How many components: cross-validation

Rows of eight columns with three directions and noise. The error of reconstructing held-out rows falls with every
component and is 0 for all of them, since a row is used to predict itself. The likelihood of probabilistic PCA, and
predicting each cell from the others of its row, find three.

Corrected: the course suggests cross-validation of the cost of PCA; that always chooses all columns.

Row: E1
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 8)) + 0.5 * rng.normal(size=(200, 8))
found = sf.select_components(sf.PCA(), X, range(1, 8), ("cv", "cells", "reconstruction"))

assert found.best == {"cv": 3, "cells": 3}
assert (np.diff(found.table["reconstruction"]) < 0).all()
figure = found.plot().figure_
