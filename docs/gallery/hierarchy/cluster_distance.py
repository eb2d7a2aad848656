"""The distance of two clusters

Points 1 and 2 are one cluster, 3, 4 and 5 the other. Single linkage takes the nearest pair, complete the farthest,
average the mean of all six, centroid the distance of the means; Ward's method asks how much the cost of k-means would
grow. The last merge of each tree has that height.

Row: B14
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.array([[0.0, 0.0], [1.0, 0.6], [4.0, 1.4], [3.4, 0.4], [5.2, 0.2]])
one, other = X[:2], X[2:]
pairs = sf.distances.Euclidean().pairwise(one, other)  # (2, 3)
means = np.linalg.norm(one.mean(axis=0) - other.mean(axis=0))
wanted = {"single": pairs.min(), "complete": pairs.max(), "average": pairs.mean(), "centroid": means}
wanted["ward"] = np.sqrt(2 * 2 * 3 / 5) * means  # √(2 · the growth of the cost)
for linkage, height in wanted.items():
    tree = sf.AgglomerativeClustering(1, linkage=linkage).fit(X).tree_
    assert np.isclose(tree.heights[-1], height), linkage

figure, panels = plt.subplots(1, 3, figsize=(9, 1.9), sharex=True, sharey=True, layout="constrained")
drawn = {"single": [np.unravel_index(pairs.argmin(), (2, 3))], "complete": [np.unravel_index(pairs.argmax(), (2, 3))]}
drawn["average"] = list(np.ndindex(2, 3))
for ax, (linkage, lines) in zip(panels, drawn.items(), strict=True):
    for i, j in lines:
        ax.plot(*np.array([one[i], other[j]]).T, color="#8a8a8a", zorder=0)
    ax.scatter(*X.T, s=160, c=["#0072B2"] * 2 + ["#D55E00"] * 3)
    for i, point in enumerate(X, 1):
        ax.annotate(str(i), point, color="white", ha="center", va="center", fontsize=8)
    ax.set(title=f"{linkage}: {wanted[linkage]:.2f}", aspect="equal", xticks=[], yticks=[])
    ax.margins(0.1, 0.3)
    ax.spines[:].set_visible(False)
