"""LDA separates the groups better than PCA

The first two principal components of the crabs show size and little else; the second and third, found without the
groups as well, do nearly as well as the first two linear discriminants, which were found with them and need no
choice.

Rows: D3, E1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
X = np.log(crabs.matrix())
groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
Z = sf.PCA(3).fit_transform(X)
views = {
    "components 1 and 2": Z[:, :2],
    "components 2 and 3": Z[:, 1:],
    "discriminants 1 and 2": sf.LinearDiscriminantAnalysis().fit(X, groups).transform(X)[:, :2],
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
scores = []
for ax, (name, view) in zip(panels, views.items(), strict=True):
    scores.append(sf.LinearDiscriminantAnalysis().fit(view, groups).score(view, groups))
    for group in np.unique(groups):
        ax.scatter(*view[groups == group].T, s=10, label=group)
    ax.set(title=f"{name}: accuracy {scores[-1]:.3f}")
panels[2].legend(loc="upper left", bbox_to_anchor=(1, 1))

assert np.round(scores, 2).tolist() == [0.63, 0.96, 0.97]
