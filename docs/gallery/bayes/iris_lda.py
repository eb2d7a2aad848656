"""Linear discriminant analysis of iris

Petal length and width of three species, with one covariance for all: the boundaries are straight lines. Colours are
paler where the posterior probability is less certain.

Row: D2
"""

import suffice as sf

iris = sf.datasets.load("iris")
X, species = iris.matrix(["petal_length", "petal_width"]), iris["species"].astype(str)
model = sf.LinearDiscriminantAnalysis().fit(X, species)
shown = sf.plots.DecisionRegionsDisplay.from_estimator(model, X, species, names=("petal length", "petal width"))

assert model.score(X, species) == 0.96  # 6 of 150 are wrong
figure = shown.figure_
