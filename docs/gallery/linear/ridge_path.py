"""Ridge regression shrinks

Two columns that are nearly the same, and three others. Least squares gives the two large slopes of opposite sign that
nearly cancel; a penalty α on the squares of the slopes makes them alike at once, and all of them small in the end.
The error of new rows is lowest in between.

Row: G3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(4)
X = rng.normal(size=(412, 5))
X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=412)
y = X @ [1.0, 1.0, -1.0, 0.5, 0.0] + 2 * rng.normal(size=412)
train, new = slice(0, 12), slice(12, 412)
alphas = np.logspace(-4, 4, 40)
fits = [sf.Ridge(alpha=alpha).fit(X[train], y[train]) for alpha in alphas]
slopes = np.array([fit.coef_ for fit in fits])
errors = np.array([np.sqrt(((fit.predict(X[new]) - y[new]) ** 2).mean()) for fit in fits])
plain = sf.LinearRegression().fit(X[train], y[train])

assert np.allclose(slopes[0], plain.coef_, rtol=0.1)
assert abs(slopes[0, 0] - slopes[0, 1]) > 2 > 0.2 > abs(slopes[25, 0] - slopes[25, 1])
assert np.abs(slopes[-1]).max() < 0.05
assert errors.min() < 0.95 * min(errors[0], errors[-1])

figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
for j, line in enumerate(slopes.T, 1):
    left.plot(alphas, line, label=f"x{j}")
left.set(xscale="log", xlabel="α", title="slopes")
left.legend()
right.plot(alphas, errors, color="#222222")
right.plot(alphas[errors.argmin()], errors.min(), "o", color="#D55E00")
right.set(xscale="log", xlabel="α", title="RMSE of new rows")
