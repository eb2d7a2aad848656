"""One tree, two cuts

45 rows from three groups by complete linkage. Cut at height 9 the tree gives two clusters, cut at height 5 three: the
groups they came from. Colours are those of the cut; the tree is the same.

Row: B14
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

groups = np.repeat([0, 1, 2], 15)
centres = np.array([[0.0, 0.0], [4.2, 1.5], [-2.0, 6.5]])
X = 0.9 * np.random.default_rng(0).normal(size=(45, 2)) + centres[groups]
tree = sf.AgglomerativeClustering(1, linkage="complete").fit(X).tree_

figure, panels = plt.subplots(1, 4, figsize=(11, 3), layout="constrained", width_ratios=(3, 4, 4, 4))
sf.plots.ClusterDisplay.from_predictions(X, groups, names=("x₁", "x₂"), ax=panels[0])
panels[0].get_legend().remove()
panels[0].set_title("45 rows")
for ax, height in zip(panels[1:], (None, 9.0, 5.0), strict=True):
    tree.dendrogram([""] * 45, height=height, ax=ax)
    ax.set_title("not cut" if height is None else f"cut at height {height:g}")

assert np.bincount(tree.cut(height=9)).tolist() == [30, 15]
assert (tree.cut(height=5) == groups).all()
