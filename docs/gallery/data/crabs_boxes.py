"""Box plots of the crabs

Five lengths of 200 rock crabs in millimetres: the box is from the first quartile to the third, the whiskers go to the
farthest value within 1.5 times that, and points beyond are drawn one by one. The carapace is the largest, and all
columns are spread in proportion to their size.

Row: A5
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
shown = sf.plots.BoxDisplay.from_table(crabs.matrix(), crabs.features)

assert shown.table()["median"].round(2).tolist() == [15.55, 12.8, 32.1, 36.8, 13.9]
figure = shown.figure_
