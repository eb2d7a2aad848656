"""The confusion matrix

The species of crabs by two of their lengths, predicted in five folds: rows are what they are, columns what they were
called. The diagonal is right.

Row: K3
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
found = sf.evaluate(sf.LinearDiscriminantAnalysis(), crabs.matrix(["FL", "RW"]), crabs["sp"], splits=5)
shown = sf.plots.ConfusionDisplay.from_evaluation(found)

assert shown.counts.sum() == 200
assert round((shown.counts[0, 0] + shown.counts[1, 1]) / 200, 2) == 0.68
figure = shown.figure_
