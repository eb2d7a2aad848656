"""Guessing lies on the diagonal

Calling every row positive with probability p, whatever it is: the expected true and false positive rates are both p.
That is the baseline of a ROC curve; its precision is the fraction of positives, whatever p.

Row: K4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = rng.random(4000) < 0.3
figure, ax = plt.subplots(figsize=(4, 3.8), layout="constrained")
for p in (0.1, 0.3, 0.5, 0.7, 0.9):
    called = rng.random(4000) < p
    counts = sf.plots.ConfusionDisplay.from_predictions(y, called, ax=False).counts
    true_rate, false_rate = counts[1, 1] / counts[1].sum(), counts[0, 1] / counts[0].sum()
    assert max(abs(true_rate - p), abs(false_rate - p)) < 0.04
    ax.plot(false_rate, true_rate, "o", color="#0072B2")
    ax.annotate(f"p = {p}", (false_rate, true_rate), xytext=(8, -8), textcoords="offset points")
ax.plot([0, 1], [0, 1], color="#8a8a8a", linestyle="--", linewidth=0.8, zorder=0)
ax.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal", xlim=(0, 1.15), ylim=(0, 1))
