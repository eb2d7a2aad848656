"""k-means on the crabs finds large and small

Two clusters of the logarithms of five lengths: nearly all of the variance is size, and so are the clusters. They have
nothing to do with species or sex.

Row: B12
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
X = np.log(crabs.matrix())
model = sf.KMeans(2, n_init=10, random_state=0).fit(X)

size = sf.PCA(1).fit_transform(X)[:, 0]
assert abs(np.corrcoef(size, model.labels_)[0, 1]) > 0.75
assert sf.align(model.labels_, crabs["sp"]).accuracy < 0.65
assert sf.align(model.labels_, crabs["sex"]).accuracy < 0.6

groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.6), sharex=True, sharey=True, layout="constrained")
for ax, colours, name in ((panels[0], groups, "species and sex"), (panels[1], model.labels_, "two clusters")):
    for group in np.unique(colours):
        own = X[colours == group]
        ax.scatter(own[:, 1], own[:, 2], s=9, label=group)
    ax.set(title=name, xlabel="log RW", ylabel="log CL")
    ax.label_outer()
    ax.legend()
