"""Least squares

A straight line through the eruptions of Old Faithful: the slope that minimises the squared residuals, with the band
in which the mean lies and the band in which a new wait lies, with 95 % confidence. Minimising squares is maximum
likelihood for Gaussian noise.

Row: G1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

faithful = sf.datasets.load("faithful")
x, wait = faithful.matrix(["eruptions"]), faithful["waiting"]
model = sf.LinearRegression().fit(x, wait)
residuals = wait - model.predict(x)
assert round(model.coef_[0], 2) == 10.73
assert round(model.intercept_, 2) == 33.47
assert abs(residuals.mean()) < 1e-10
deviation = np.sqrt((residuals**2).sum() / (len(x) - 2))

line = np.linspace(1.5, 5.2, 60)[:, None]
from_mean = (line[:, 0] - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
figure, ax = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
ax.scatter(x, wait, s=8, color="#8a8a8a")
middle = model.predict(line)
for share, alpha in ((0, 0.45), (1, 0.15)):
    half = 1.969 * deviation * np.sqrt(share + 1 / len(x) + from_mean)  # t quantile with 270 degrees of freedom
    ax.fill_between(line[:, 0], middle - half, middle + half, color="#0072B2", alpha=alpha, linewidth=0)
ax.plot(line, middle)
ax.set(xlabel="eruption in minutes", ylabel="waiting in minutes", title="waiting = 33.47 + 10.73 · eruption")
