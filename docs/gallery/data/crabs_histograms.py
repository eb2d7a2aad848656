"""Histograms of the crabs

One panel a column, with bins of Freedman and Diaconis. None of the five lengths shows the two species or the two
sexes on its own: that takes combinations of columns.

Row: A5
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
shown = sf.plots.HistogramDisplay.from_table(crabs.matrix(), crabs.features)

assert shown.table()["count"].sum() == 5 * crabs.n_rows
figure = shown.figure_
