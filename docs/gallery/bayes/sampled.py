"""A generative model also samples

Gaussian Bayes models P(x, y), so it can draw rows together with their classes. Left iris, right as many rows that
quadratic discriminant analysis made up.

Row: D5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

iris = sf.datasets.load("iris")
X, y = iris.matrix(), iris["species"].astype(str)
model = sf.QuadraticDiscriminantAnalysis().fit(X, y)
made, classes = model.sample(150, random_state=0)
assert np.abs(made.mean(axis=0) - X.mean(axis=0)).max() < 0.4
assert (model.predict(made) == classes).mean() > 0.95

figure, panels = plt.subplots(1, 2, figsize=(8, 3.5), sharex=True, sharey=True, layout="constrained")
for ax, rows, labels, name in ((panels[0], X, y, "iris"), (panels[1], made, classes, "sampled")):
    for kind in model.classes_:
        own = rows[labels == kind]
        ax.scatter(own[:, 2], own[:, 3], s=12, label=kind)
    ax.set(title=name, xlabel="petal length", ylabel="petal width")
    ax.label_outer()
panels[0].legend()
