"""Quadratic discriminant analysis of iris

The same with a covariance for each species: the boundaries are curves. *Setosa* is compact, so its region is closed.

Row: D2
"""

import suffice as sf

iris = sf.datasets.load("iris")
X, species = iris.matrix(["petal_length", "petal_width"]), iris["species"].astype(str)
model = sf.QuadraticDiscriminantAnalysis().fit(X, species)
shown = sf.plots.DecisionRegionsDisplay.from_estimator(model, X, species, names=("petal length", "petal width"))

assert round(model.score(X, species), 2) == 0.98
figure = shown.figure_
