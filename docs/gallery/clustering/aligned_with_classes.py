"""Clusters against classes

Three clusters of iris against its three species: the table of counts, its best one-to-one alignment (Hungarian
method), the greedy one of many clusters to one class, the purity of the clusters, and how often pairs of rows agree.

Row: B15
"""

import suffice as sf

iris = sf.datasets.load("iris")
model = sf.KMeans(3, n_init=10, random_state=0).fit(iris.matrix())
found = sf.align(model.labels_, iris["species"])

assert round(found.accuracy, 4) == 0.8933
assert round(model.inertia_, 2) == 78.85
table = str(found)
