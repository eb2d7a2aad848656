"""Naive Bayes counts the same evidence twice

A column that is repeated d times multiplies the log-odds of naive Bayes by d, although nothing new is known: $f_d(x)
= d f_1(x)$. The boundary stays, the probabilities become overconfident. A Gaussian with full covariance sees that the
columns are correlated.

Row: D1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 500)
x = rng.normal(size=(1000, 1)) + np.where(y, 0.7, -0.7)[:, None]
line = np.linspace(-3, 3, 201)[:, None]
figure, ax = plt.subplots(figsize=(5, 3.3), layout="constrained")
odds = {}
for d in (1, 3, 10):
    p = sf.GaussianNB(var_smoothing=0).fit(np.tile(x, d), y).predict_proba(np.tile(line, d))
    odds[d] = np.log(p[:, 1] / p[:, 0])
    ax.plot(line, p[:, 1], label=f"naive Bayes, {d} cop{'y' if d == 1 else 'ies'}")
truth = 1 / (1 + np.exp(-1.4 * line))
ax.plot(line, truth, color="black", linestyle="--", linewidth=0.9, label="the truth")
ax.set(xlabel="x", ylabel="P(class 1 | x)")
ax.legend()

assert np.allclose(odds[3], 3 * odds[1])
assert np.abs(1 / (1 + np.exp(-odds[1])) - truth[:, 0]).max() < 0.05
