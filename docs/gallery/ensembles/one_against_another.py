"""One error against another, table by table

Each point is a table: across its error with one C4.5 tree, up its error with boosted trees or a random forest, all by
the same five folds. Below the line the ensemble is better. It is where many columns say a little each, as in the tables
of wine, tumours and diabetes; with few columns there is less to gain. Targets of numbers are cut at their median. The
last three tables come with scikit-learn.

Rows: I6, I7
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn import datasets

import suffice as sf


def halves(y):
    return np.where(y > np.median(y), "high", "low")


iris, crabs = sf.datasets.load("iris").matrix(), sf.datasets.load("crabs").matrix(["FL", "RW", "CL", "CW", "BD"])
kinds = sf.datasets.load("crabs")
arrests, faithful = sf.datasets.load("usarrests").matrix(), sf.datasets.load("faithful").matrix()
wine, tumours, sugar = datasets.load_wine(), datasets.load_breast_cancer(), datasets.load_diabetes()
tables = {
    "iris": (iris, sf.datasets.load("iris")["species"]),
    "iris, sepals": (iris[:, :2], sf.datasets.load("iris")["species"]),
    "crabs, species": (crabs, kinds["sp"]),
    "crabs, sex": (crabs, kinds["sex"]),
    "arrests, murder": (arrests[:, 1:], halves(arrests[:, 0])),
    "faithful": (faithful[:, :1], halves(faithful[:, 1])),
    "wine": (wine.data, wine.target),
    "tumours": (tumours.data[::2, :10], tumours.target[::2]),
    "diabetes": (sugar.data[::2], halves(sugar.target[::2])),
}
models = {
    "C4.5": sf.C45Classifier(),
    "boosted": sf.AdaBoostClassifier(sf.DecisionTreeClassifier(max_depth=3), n_estimators=30, random_state=0),
    "forest": sf.RandomForestClassifier(50, random_state=0),
}
errors = np.zeros((len(tables), 3))
for row, (X, y) in zip(errors, tables.values(), strict=True):
    found = sf.compare(models, X, y, splits=5, measures="accuracy", random_state=0, dummy=False)
    row[:] = [1 - found.evaluations[name].intervals["accuracy"].value for name in models]

figure, panels = plt.subplots(1, 2, figsize=(8.6, 4.2), layout="constrained", sharex=True, sharey=True)
for ax, j, name in zip(panels, (1, 2), ("AdaBoost of trees of depth 3", "random forest"), strict=True):
    ax.plot([0, 0.45], [0, 0.45], color="#8a8a8a", linewidth=0.8)
    ax.plot(errors[:, 0], errors[:, j], "o")
    for i, table in enumerate(tables):
        ax.annotate(table, errors[i, [0, j]], (5, 3 - 9 * (i % 2)), textcoords="offset points", fontsize=7)
    ax.set(xlabel="error of one C4.5 tree", ylabel=f"error of {name}", aspect="equal")
assert np.all(errors[-3:, 2] < errors[-3:, 0])
