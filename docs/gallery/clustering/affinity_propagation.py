"""Affinity propagation

Rows exchange messages about who may represent whom, until some are exemplars; nobody says how many. The lines join
each eruption with its exemplar. The preference of a row for itself decides the number.

Row: B13
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())[::4]
model = sf.AffinityPropagation(preference=-20, random_state=0).fit(X)
exemplars = X[model.cluster_centers_indices_]

figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
ends = exemplars[model.labels_]
ax.plot(*np.stack([X, ends], axis=1).transpose(2, 1, 0), color="#cccccc", linewidth=0.6, zorder=0)
sf.plots.ClusterDisplay.from_predictions(
    X, model.labels_, exemplars, names=("eruption", "waiting"), voronoi=False, ax=ax
)

assert len(exemplars) == 2
