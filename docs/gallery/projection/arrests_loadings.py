"""Loadings of the arrests

What each principal component is made of: the first is crime of any kind, the second towns, the third the difference
between rape and the other two.

Row: E1
"""

import suffice as sf

arrests = sf.datasets.load("usarrests")
model = sf.PCA(scaling="correlation").fit(arrests.matrix())

assert abs(model.components_[0]).round(3).tolist() == [0.536, 0.583, 0.278, 0.543]
figure = sf.plots.LoadingsDisplay.from_estimator(model, names=arrests.features).figure_
