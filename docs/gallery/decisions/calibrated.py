"""Probabilities made true

Of new rows to which naive Bayes gave 0.9, far fewer than nine in ten were of the class: each column is there twice,
and it counts both. An isotonic function of its scores, learned from rows left out, says what is true.

Row: L1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 4000)
X = np.repeat(rng.normal(size=(4000, 3)) + 0.6 * y[:, None], 3, axis=1)
figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.6), layout="constrained")
found = []
for ax, model in zip(axes, (sf.GaussianNB(), sf.Calibrated(sf.GaussianNB(), "isotonic")), strict=True):
    p = model.fit(X[:2000], y[:2000]).predict_proba(X[2000:])[:, 1]
    found.append(sf.calibration(y[2000:], p)["1"])
    sf.calibration(y[2000:], p).plot(ax)
    ax.set_title(f"{type(model).__name__}: error {found[-1].error:.3f}", loc="left")

assert found[0].verdict == "too extreme"
assert found[1].error < 0.3 * found[0].error
