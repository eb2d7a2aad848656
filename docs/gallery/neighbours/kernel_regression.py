"""Regression by windows and neighbours

The wait after an eruption of Old Faithful: the mean of the waits of similar eruptions, weighted by a Gaussian window,
or of the 15 nearest. Both follow the data without any formula.

Rows: F1, F2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

faithful = sf.datasets.load("faithful")
x, wait = faithful.matrix(["eruptions"]), faithful["waiting"]
line = np.linspace(1.5, 5.2, 300)[:, None]
models = {
    "window of 0.3 minutes": sf.ParzenRegressor(0.3, window="gaussian"),
    "15 neighbours": sf.KNeighborsRegressor(15),
    "straight line": sf.LinearRegression(),
}
figure, ax = plt.subplots(figsize=(5.4, 3.6), layout="constrained")
ax.scatter(x, wait, s=7, color="#bbbbbb")
for name, model in models.items():
    ax.plot(line, model.fit(x, wait).predict(line), label=name)
ax.set(xlabel="eruption in minutes", ylabel="waiting in minutes")
ax.legend()

weights = np.exp(-(((2.0 - x[:, 0]) / 0.3) ** 2) / 2)
assert np.isclose(models["window of 0.3 minutes"].predict([[2.0]])[0], (weights * wait).sum() / weights.sum())
