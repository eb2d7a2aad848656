"""Ten American cities by average linkage

The flight mileages between ten cities, merged from the bottom up: New York and Washington first, at 205 miles, then
the nearest clusters by their average distance. The dashed line cuts the tree into three: the west coast, Denver with
Houston, and the east.

Row: B14
"""

import numpy as np

import suffice as sf

cities = sf.datasets.load("us_city_distances")
D = cities.matrix()
model = sf.AgglomerativeClustering(3, linkage="average", metric="precomputed").fit(D)

assert model.distances_[0] == 205
names = cities["city"].astype(str)
tree = model.tree_.ordered(D[np.triu_indices(len(D), 1)])
figure = tree.dendrogram(names, k=3, orientation="left").figure_
