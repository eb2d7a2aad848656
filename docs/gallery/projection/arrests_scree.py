"""Scree plot of the arrests

The fraction of the variance along each principal component of the correlations, and the cumulative sum. The first two
hold 87 %. A component above the dashes of the broken stick explains more than expected by chance.

Row: E1
"""

import suffice as sf

arrests = sf.datasets.load("usarrests").matrix()
model = sf.PCA(scaling="correlation").fit(arrests)

assert model.explained_variance_ratio_.round(4).tolist() == [0.6201, 0.2474, 0.0891, 0.0434]
assert sf.PCA(0.9, scaling="correlation").fit(arrests).n_components_ == 3  # for 90 % of the variance
figure = sf.plots.ScreeDisplay.from_estimator(model).figure_
