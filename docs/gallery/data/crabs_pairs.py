"""Every pair of columns of the crabs

Scatter plots of all pairs of the five lengths, coloured by species and sex, with the correlations above the diagonal.
Size dominates: every correlation is above 0.88, and the four groups lie side by side along one direction.

Row: A5
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
shown = sf.plots.PairsDisplay.from_table(crabs.matrix(), crabs.features, groups=groups)

assert shown.table()["correlation"].min().round(2) == 0.89
figure = shown.figure_
