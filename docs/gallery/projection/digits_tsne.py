"""Digits by t-SNE

Half of 1,000 handwritten digits, 8 × 8 pixels each, in two coordinates in which near digits stay near. The ten groups
come out though nobody told the map which digit is which; their sizes, and how far apart they are, mean nothing. The
other half is new to the map, and each is placed where its own divergence is least: 49 of 50 land among their kind.

Row: E5
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

import suffice as sf

digits = load_digits()
some, others = np.random.default_rng(0).permutation(1000).reshape(2, 500)
X, digit = digits.data, digits.target
model = sf.TSNE(2, max_iter=500, random_state=0).fit(X[some])
places = model.transform(X[others])

near = sf.KNeighborsClassifier(5).fit(model.embedding_, digit[some])
assert near.score(places, digit[others]) > 0.97

figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained", sharex=True, sharey=True)
for ax, Z, own, title in zip(
    axes, (model.embedding_, places), (digit[some], digit[others]), ("fit", "new"), strict=True
):
    ax.scatter(*Z.T, c=own, cmap="tab10", s=9)
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")
    for one in range(10):
        group = Z[own == one]
        inside = group[np.argmin(np.abs(group - np.median(group, axis=0)).sum(axis=1))]
        ax.annotate(str(one), inside, weight="bold", fontsize=13, ha="center", va="center")
