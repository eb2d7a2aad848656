"""Predictions against the truth

The width of the carapace from two other lengths, each crab predicted by a model that had not seen it. The root mean
squared error is sensitive to single large errors, the mean absolute error less; the correlation knows nothing of
scale and shift.

Row: K5
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
X, width = crabs.matrix(["FL", "RW"]), crabs["CW"]
found = sf.evaluate(sf.LinearRegression(), X, width, splits=5, measures=["rmse", "mae", "correlation"])
errors = found.predicted - width

assert np.isclose(found.value("rmse"), np.sqrt((errors**2).mean()), rtol=0.02)
assert np.isclose(found.value("mae"), np.abs(errors).mean(), rtol=0.02)
assert found.value("correlation") > 0.96
figure = sf.plots.PredictionErrorDisplay.from_evaluation(found, name="CW").figure_
