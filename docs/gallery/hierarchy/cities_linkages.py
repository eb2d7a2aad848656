"""The cities by three linkages

The same mileages, merged by the smallest, the largest and the average distance between clusters. The first merge is
the same, and the last is highest for complete linkage. Different ways to measure give different trees.

Row: B14
"""

from matplotlib import pyplot as plt

import suffice as sf

cities = sf.datasets.load("us_city_distances")
names = cities["city"].astype(str)
last = {}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, linkage in zip(panels, ("single", "complete", "average"), strict=True):
    model = sf.AgglomerativeClustering(1, linkage=linkage, metric="precomputed").fit(cities.matrix())
    last[linkage] = round(float(model.distances_[-1]), 1)
    model.tree_.dendrogram(names, ax=ax)
    ax.set_title(f"{linkage}: the last merge at {last[linkage]:g} miles")
    ax.tick_params(axis="x", labelrotation=90)

assert last["single"] < last["average"] < last["complete"] == 2734  # Miami and Seattle
