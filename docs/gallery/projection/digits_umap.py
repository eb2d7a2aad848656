"""Digits by UMAP, without and with labels

Half of 1,796 handwritten digits in two coordinates: on the left nobody told the map which digit is which, in the middle
edges between different digits count half, so that the classes part. The other half, on the right, is placed in that map
without its labels: each goes where its own cross-entropy is least, and 98 of 100 land among their kind. Groups of the
map in the middle are no finding, as it was told them; where the new rows land is one.

Row: E5
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

import suffice as sf

digits = load_digits()
some, others = np.random.default_rng(0).permutation(1796).reshape(2, 898)
X, digit = digits.data, digits.target
plain = sf.UMAP(2, random_state=0).fit(X[some])
told = sf.UMAP(2, target_weight=0.5, random_state=0).fit(X[some], digit[some])
places = told.transform(X[others])

near = sf.KNeighborsClassifier(5).fit(told.embedding_, digit[some])
assert near.score(places, digit[others]) > 0.97
assert sf.trustworthiness(X[some], plain.embedding_) > sf.trustworthiness(X[some], told.embedding_) > 0.95

figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
axes[2].sharex(axes[1])
axes[2].sharey(axes[1])
maps = (plain.embedding_, some, "rows alone"), (told.embedding_, some, "with labels"), (places, others, "new rows")
for ax, (Z, rows, title) in zip(axes, maps, strict=True):
    own = digit[rows]
    ax.scatter(*Z.T, c=own, cmap="tab10", s=9)
    ax.set(title=title, xticks=[], yticks=[])
    for one in range(10):
        group = Z[own == one]
        inside = group[np.argmin(np.abs(group - np.median(group, axis=0)).sum(axis=1))]
        ax.annotate(str(one), inside, weight="bold", fontsize=13, ha="center", va="center")
