"""The cities from the top down

DIANA begins with all ten cities and splits off those that are nearer to each other than to the rest: the west first.
From the bottom up and from the top down need not give the same tree.

Row: B14
"""

import suffice as sf

cities = sf.datasets.load("us_city_distances")
names = cities["city"].astype(str)
model = sf.Divisive(2, metric="precomputed").fit(cities.matrix())

west = {name for name, label in zip(names, model.labels_, strict=True) if label == model.labels_[names == "Seattle"][0]}
assert {"Seattle", "San Francisco", "Los Angeles"} <= west
assert "New York" not in west
figure = model.tree_.dendrogram(names, k=2, orientation="left").figure_
