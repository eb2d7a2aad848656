"""Silhouettes

How much nearer each row is to its own cluster than to the next: 1 is deep inside, 0 on the boundary, negative on the
wrong side. *Setosa* stands apart; the other two clusters of iris touch.

Row: B11
"""

import numpy as np

import suffice as sf

X = sf.datasets.load("iris").matrix()
model = sf.KMeans(3, n_init=10, random_state=0).fit(X)
shown = sf.plots.SilhouetteDisplay.from_estimator(model, X)

assert np.sort(shown.table()["mean"]).round(2).tolist() == [0.42, 0.45, 0.8]
figure = shown.figure_
