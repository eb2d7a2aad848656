"""A missing attribute is left out

Naive Bayes of iris, when columns of the new flower are unknown: their factors are 1, and the posterior comes from the
rest. With nothing known it is the prior.

Row: D1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

iris = sf.datasets.load("iris")
model = sf.GaussianNB().fit(iris.matrix(), iris["species"].astype(str))
flower = np.array([5.9, 3.2, 4.8, 1.8])
known = {"all four": [0, 1, 2, 3], "no petal width": [0, 1, 2], "sepals only": [0, 1], "nothing": []}
rows = np.full((4, 4), np.nan)
for row, columns in zip(rows, known.values(), strict=True):
    row[columns] = flower[columns]
P = model.predict_proba(rows)

assert np.allclose(P[3], 1 / 3)
assert P[0].argmax() == 2
two = sf.GaussianNB().fit(iris.matrix()[:, :2], iris["species"].astype(str))
assert np.allclose(P[2], two.predict_proba(flower[None, :2]))

figure, ax = plt.subplots(figsize=(5.4, 2.6), layout="constrained")
left = np.zeros(4)
for k, name in enumerate(model.classes_):
    ax.barh(list(known), P[:, k], left=left, label=name)
    left += P[:, k]
ax.set(xlabel="posterior probability", xlim=(0, 1))
ax.invert_yaxis()
ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.45, 1))
