"""One outlier moves the line

Squared residuals give a far row great influence: one wrong value changes the slope from 2 to less than 1.

Row: G1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
x = np.linspace(0, 10, 21)[:, None]
y = 2 * x[:, 0] + 1 + rng.normal(size=21)
wrong = y.copy()
wrong[-1] = -40

fits = {"clean": sf.LinearRegression().fit(x, y), "one wrong value": sf.LinearRegression().fit(x, wrong)}
assert abs(fits["clean"].coef_[0] - 2) < 0.15
assert fits["one wrong value"].coef_[0] < 1

figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
ax.scatter(x, wrong, s=16, color="#222222")
ax.scatter(x[-1], y[-1], s=26, facecolors="none", edgecolors="#222222")
for name, fit in fits.items():
    ax.plot(x, fit.predict(x), label=f"{name}: slope {fit.coef_[0]:.2f}")
ax.set(xlabel="x", ylabel="y")
ax.legend(loc="lower left")
