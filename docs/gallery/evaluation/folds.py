"""Cross-validation

Which rows are held out in which fold: five folds with the classes kept in proportion (stratified), five draws of a
quarter of the rows, and one row at a time. In the first and the last every row is held out once. The mean over the
folds estimates the accuracy on future rows.

Row: K1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.resampling import Folds, LeaveOneOut, MonteCarlo

iris = sf.datasets.load("iris")
X, y = iris.matrix()[::5], iris["species"][::5]
schemes = {"5 folds": Folds(5), "Monte Carlo": MonteCarlo(5, test=0.25), "leave one out": LeaveOneOut()}

figure, panels = plt.subplots(1, 3, figsize=(9.6, 3), sharex=True, layout="constrained")
for ax, (name, scheme) in zip(panels, schemes.items(), strict=True):
    found = sf.evaluate(sf.LinearDiscriminantAnalysis(), X, y, splits=scheme, random_state=0)
    used = np.zeros((len(found.folds), len(X)))
    for line, fold in zip(used, found.folds, strict=True):
        line[fold.test] = 1
    assert name == "Monte Carlo" or (used.sum(axis=0) == 1).all()  # every row once
    ax.imshow(used, aspect="auto", cmap="Oranges", vmax=1.4, interpolation="nearest")
    ax.set(title=f"{name}: accuracy {found.value('accuracy'):.2f}", xlabel="row", ylabel="fold")
