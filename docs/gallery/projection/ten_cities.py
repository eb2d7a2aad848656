"""The map of ten cities from their distances

Nobody tells classical scaling where ten cities of the USA are, only how far it is to fly from each to each other. It
gives back the map of the country, but for where it is turned to: here Procrustes' rotation and reflection bring it onto
the real places. The Shepard diagrams on the right have a dot for each pair of cities: metric scaling keeps the miles
almost exactly, and where they are only said in five steps, from very near to very far, non-metric scaling still finds
nearly the same map.

Row: E4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.plots import EmbeddingDisplay, ShepardDisplay

cities = sf.datasets.load("us_city_distances")
names, miles = cities["city"].astype(str), cities.matrix()
degrees = {  # west and north
    "Atlanta": (84.4, 33.7), "Chicago": (87.6, 41.9), "Denver": (105.0, 39.7), "Houston": (95.4, 29.8),
    "Los Angeles": (118.2, 34.1), "Miami": (80.2, 25.8), "New York": (74.0, 40.7), "San Francisco": (122.4, 37.8),
    "Seattle": (122.3, 47.6), "Washington DC": (77.0, 38.9),
}  # fmt: skip
west, north = np.array([degrees[name] for name in names]).T
real = 69.1 * np.column_stack([(95 - west) * np.cos(np.radians(37.5)), north - 37.5])

classical = sf.ClassicalMDS(2, metric="precomputed").fit(miles)
placed = sf.procrustes(real, classical.embedding_)
assert placed.disparity < 0.01

said = np.ceil(miles / 600)  # very near, near, …, very far
ranks = sf.MDS(2, kind="nonmetric", metric="precomputed").fit(said)
assert sf.procrustes(classical.embedding_, ranks.embedding_).disparity < 0.05

figure = plt.figure(figsize=(9.6, 4.4), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.7, 1))
ax = left.subplots()
EmbeddingDisplay.from_places(placed.aligned, labels=names, ax=ax)
ax.set(xlabel="miles", ylabel="miles")
above, below = right.subplots(2, 1)
ShepardDisplay.from_estimator(sf.MDS(2, metric="precomputed").fit(miles), ax=above)
ShepardDisplay.from_estimator(ranks, ax=below)
