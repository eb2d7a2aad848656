"""A ROC curve with its spread

The species of crabs by two lengths: the mean curve of five folds, and a band of one standard deviation.

Row: K4
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
found = sf.evaluate(sf.LinearDiscriminantAnalysis(), crabs.matrix(["FL", "RW"]), crabs["sp"], splits=5)
shown = sf.plots.RocDisplay.from_evaluation(found)

assert round(shown.curves[0].area, 2) == 0.78
figure = shown.figure_
