"""The second and third component of the crabs

The components with 1 % and less of the variance show the groups best: the second separates the sexes, the third the
species. Variance is not what matters for classes.

Row: E1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
Z = sf.PCA(3).fit_transform(crabs.matrix())

figure, ax = plt.subplots(figsize=(4.8, 3.8), layout="constrained")
for group in np.unique(groups):
    ax.scatter(*Z[groups == group][:, 1:].T, s=12, label=group)
ax.set(xlabel="second component", ylabel="third component")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))

both = sf.LinearDiscriminantAnalysis().fit(Z[:, 1:], groups)
assert both.score(Z[:, 1:], groups) == 0.95
