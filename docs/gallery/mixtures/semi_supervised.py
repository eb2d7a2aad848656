"""A few labels go a long way

Iris with five labelled flowers of each species (large marks) and 135 without a label. A classifier of the fifteen
alone is compared with semi-supervised EM, where labelled rows keep their component and the others find theirs.

Row: C6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

iris = sf.datasets.load("iris")
X, species = iris.matrix(), iris["species"].astype(str)
known = np.arange(150) % 10 == 0
partly = sf.GaussianMixture(3, unlabelled="?", random_state=0).fit(X, np.where(known, species, "?"))
alone = sf.QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X[known], species[known])

found = partly.classes_[partly.predict(X)]
accuracy = {"15 labels": (alone.predict(X) == species).mean(), "15 labels and 135 rows": (found == species).mean()}
assert accuracy["15 labels and 135 rows"] > max(accuracy["15 labels"], 0.95)

figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), sharex=True, sharey=True, layout="constrained")
for ax, (name, share), labels in zip(panels, accuracy.items(), (alone.predict(X), found), strict=True):
    for kind in np.unique(species):
        for rows, size in ((~known, 8), (known, 60)):
            own = X[(labels == kind) & rows]
            ax.scatter(own[:, 2], own[:, 3], s=size, color=f"C{np.unique(species).tolist().index(kind)}", alpha=0.8)
    wrong = labels != species
    ax.scatter(*X[wrong][:, 2:].T, s=60, facecolors="none", edgecolors="black", linewidths=0.8, label="wrong")
    ax.set(title=f"{name}: accuracy {share:.3f}", xlabel="petal length", ylabel="petal width")
    ax.label_outer()
panels[0].legend(loc="upper left")
