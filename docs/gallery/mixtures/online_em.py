"""EM, a few rows at a time

Instead of all rows before each update, `partial_fit` takes 50 at a time and weighs them against what it knew with a
decreasing step. After one pass it is near the solution that EM finds in many.

Row: C7
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = rng.integers(3, size=6000)
X = np.array([[0, 0], [5, 1], [2, 5]])[y] + rng.normal(size=(6000, 2))
full = sf.GaussianMixture(3, random_state=0).fit(X)

model, scores = sf.GaussianMixture(3, random_state=0), []
for first in range(0, len(X), 50):
    model.partial_fit(X[first : first + 50])
    scores.append(model.score(X))
assert full.score(X) - scores[-1] < 0.02
assert scores[-1] > scores[0]

figure, ax = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
ax.plot(np.arange(1, len(scores) + 1) * 50, scores, label="50 rows at a time, one pass")
ax.axhline(full.score(X), color="#D55E00", linestyle="--", label=f"EM on all rows, {full.n_iter_} passes")
ax.set(xlabel="rows seen", ylabel="mean log-likelihood of all rows")
ax.legend(loc="lower right")
