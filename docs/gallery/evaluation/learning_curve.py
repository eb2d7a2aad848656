"""A learning curve

Each class has a covariance of its own, with 55 numbers to learn. With few rows the loss of new rows is far above that
of the rows that were learned from; with more rows both meet.

Row: K6
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 3000)
X = rng.normal(size=(3000, 10)) + 0.4 * y[:, None]
curve = sf.learning_curve(
    sf.QuadraticDiscriminantAnalysis(), X, y, measure="log_loss", sizes=[60, 120, 240, 480, 960, 1]
)

assert np.all(np.diff(curve.value) < 0)
figure = curve.plot().figure_
