"""How many neighbours

The error of k nearest neighbours on the rows themselves and on held-out folds, for two classes that overlap. With k =
1 the training error is 0 and says nothing; the held-out error is lowest in between, and grows again when k is too
large.

Rows: F1, K1, K9
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(1)
y = np.repeat(["a", "b"], (120, 80))
X = rng.normal(size=(200, 2)) + np.where(y == "a", 0, 1.4)[:, None]
numbers = [1, 3, 7, 15, 31, 63, 155]
train, future = [], []
for k in numbers:
    model = sf.KNeighborsClassifier(k)
    train.append(1 - model.fit(X, y).score(X, y))
    future.append(1 - sf.evaluate(model, X, y, splits=5).value("accuracy"))

assert train[0] == 0
assert 0 < np.argmin(future) < len(numbers) - 1

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
ax.plot(numbers, train, marker=".", label="training error")
ax.plot(numbers, future, marker=".", label="held-out error")
ax.set(xscale="log", xlabel="k", ylabel="error", xticks=numbers, xticklabels=numbers)
ax.minorticks_off()
ax.annotate("overfitting", (1, 0.21), fontsize=8, color="#8a8a8a")
ax.annotate("underfitting", (85, 0.3), fontsize=8, color="#8a8a8a", ha="right")
ax.legend(loc="upper center")
