"""Too simple and too complex

Polynomials of degree 1, 3 and 12 through twenty rows of a sine with noise. The straight line underfits; degree 12
follows the noise and overfits. The training error falls with the degree all the time, the error of new rows has a
minimum.

Rows: G1, K9
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(3)
x, new = np.sort(rng.uniform(-1, 1, 20)), rng.uniform(-1, 1, 1000)
y, truth = (np.sin(3 * each) + 0.25 * rng.normal(size=len(each)) for each in (x, new))
grid = np.linspace(-1, 1, 200)


def powers(values, degree):
    """The columns x, x², … up to the degree."""
    return values[:, None] ** np.arange(1, degree + 1)


train, future = [], []
figure, panels = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained")
for degree in range(1, 13):
    model = sf.LinearRegression().fit(powers(x, degree), y)
    train.append(np.sqrt(((model.predict(powers(x, degree)) - y) ** 2).mean()))
    future.append(np.sqrt(((model.predict(powers(new, degree)) - truth) ** 2).mean()))
    if degree in (1, 3, 12):
        ax = panels[(1, 3, 12).index(degree)]
        ax.plot(grid, model.predict(powers(grid, degree)))
        ax.scatter(x, y, s=14, color="#222222")
        ax.set(title=f"degree {degree}", ylim=(-2, 2))
panels[3].plot(range(1, 13), train, marker=".", label="training")
panels[3].plot(range(1, 13), future, marker=".", label="new rows")
panels[3].set(xlabel="degree", title="RMSE", ylim=(0, 1))
panels[3].legend()

assert (np.diff(train) < 1e-9).all()
assert 1 < 1 + np.argmin(future) < 8
