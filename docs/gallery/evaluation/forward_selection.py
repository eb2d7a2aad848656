"""One column after the other

Forward selection on the murder rates of 50 states, with eight columns of noise beside the three true ones. The error of
states left out falls with the first columns; more of them only add noise. The band is one standard error over folds.

Row: K6
"""

import numpy as np

import suffice as sf

arrests = sf.datasets.load("usarrests")
noise = np.random.default_rng(0).normal(size=(50, 8))
X = np.column_stack([arrests.matrix(["Assault", "UrbanPop", "Rape"]), noise])
model = sf.ForwardSelection(patience=None).fit(X, arrests["Murder"])

assert model.path_.steps[0] == 0
assert model.n_features_to_select_ <= 4
assert model.path_.value[-1] > model.path_.value.min()
figure = model.path_.plot().figure_
