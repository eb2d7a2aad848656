"""Every pair of columns of iris

Fisher's flowers: the petals alone separate *setosa* from the rest, and nearly separate the other two species.

Row: A5
"""

import suffice as sf

iris = sf.datasets.load("iris")
shown = sf.plots.PairsDisplay.from_table(iris.matrix(), iris.features, groups=iris["species"].astype(str))

assert shown.table()["correlation"].max().round(2) == 0.96  # petal length and petal width
figure = shown.figure_
