"""Are the probabilities right

Of the crabs to which a probability of 0.7 was given, 70 % should be of that species. Points are groups of rows with
similar probabilities, held out in five folds; on the diagonal the probabilities mean what they say.

Row: K3
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
found = sf.evaluate(sf.LinearDiscriminantAnalysis(), crabs.matrix(["FL", "RW"]), crabs["sp"], splits=5)

assert found.value("log_loss") < 0.69  # better than the prior, log 2
figure = sf.plots.CalibrationDisplay.from_evaluation(found, bins=8).figure_
