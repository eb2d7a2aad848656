"""Precision and recall with their spread

The same predictions: precision over recall, averaged over five folds.

Row: K4
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
found = sf.evaluate(sf.LinearDiscriminantAnalysis(), crabs.matrix(["FL", "RW"]), crabs["sp"], splits=5)
shown = sf.plots.PrecisionRecallDisplay.from_evaluation(found)

assert 0.7 < shown.curves[0].area < 0.9
figure = shown.figure_
