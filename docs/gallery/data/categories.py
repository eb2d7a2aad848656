"""How often each category occurs

The most frequent values of a column of categories: here the species of iris, fifty flowers each.

Row: A1
"""

import suffice as sf

iris = sf.datasets.load("iris")
shown = sf.plots.FrequencyDisplay.from_column(iris["species"], "species")

assert shown.table()["count"].tolist() == [50, 50, 50]
figure = shown.figure_
