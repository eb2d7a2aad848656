"""Biplot of iris

The flowers on the first two principal components of the correlations, coloured by species. Petal length and petal
width point the same way, along which the species differ; sepal width points elsewhere.

Row: E2
"""

import numpy as np

import suffice as sf

iris = sf.datasets.load("iris")
model = sf.PCA(scaling="correlation").fit(iris.matrix())
species = iris["species"].astype(str)
shown = sf.plots.BiplotDisplay.from_estimator(model, iris.matrix(), names=iris.features, groups=species)

assert np.cumsum(model.explained_variance_ratio_)[1].round(2) == 0.96
figure = shown.figure_
