"""Few rows: model the classes; many rows: model the boundary

Naive Bayes with variances shared by the classes and logistic regression have the same form, $P(y | x) =
\\sigma(w^\\top x + b)$. Naive Bayes takes w from means and variances, and is soon as good as it will be; logistic
regression takes the w that is best for the boundary. With few rows naive Bayes has the lower error. Where its
assumption holds (left: independent columns) it stays ahead; where it does not, the curves cross, and with many rows
logistic regression wins.

Rows: D1, G5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

SIZES = (14, 30, 60, 120, 300, 1000)
rng = np.random.default_rng(0)


def table(kind, n):
    """Rows of two classes and which they are of."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 10)) + 0.6 * y[:, None]
    if kind == "noise that columns share":
        X[:, 5:] = 0.5 * (X[:, :5] - 0.6 * y[:, None]) + 0.9 * rng.normal(size=(n, 5))
    if kind == "iris with eight columns of noise":
        iris = sf.datasets.load("iris")
        X = np.column_stack([iris.matrix()[50 + 50 * y + rng.integers(0, 50, n)], rng.normal(size=(n, 8))])
        X[:, :4] += 0.3 * rng.normal(size=(n, 4))
    return X, y


kinds = ("independent columns", "noise that columns share", "iris with eight columns of noise")
figure, panels = plt.subplots(1, 3, figsize=(11, 3.3), layout="constrained")
for ax, kind in zip(panels, kinds, strict=True):
    new, truth = table(kind, 2000)
    bayes, logistic = np.zeros((2, 15, len(SIZES)))
    for i, k in np.ndindex(15, len(SIZES)):
        X, y = table(kind, SIZES[k])
        bayes[i, k] = 1 - sf.DensityBayes("diagonal_gaussian", shared=True).fit(X, y).score(new, truth)
        logistic[i, k] = 1 - sf.LogisticRegression(C=1e3).fit(X, y).score(new, truth)
    ax.plot(SIZES, bayes.mean(axis=0), marker=".", label="naive Bayes")
    ax.plot(SIZES, logistic.mean(axis=0), marker=".", label="logistic regression")
    ax.set(xscale="log", xlabel="rows of the fit", title=kind)
    assert bayes[:, 0].mean() < logistic[:, 0].mean()
    assert (bayes[:, -1].mean() > logistic[:, -1].mean()) == (kind != kinds[0])
panels[0].set_ylabel("error of new rows")
panels[0].legend()
