"""Boosting round by round

Stumps, trees of one split, are boosted on two columns. Each learner looks hardest at the rows that those before it got
wrong, which are drawn larger. The training error falls below both bounds: the product of
$2\\sqrt{\\varepsilon(1-\\varepsilon)}$, and $\\exp(-2\\sum(\\frac12-\\varepsilon)^2)$.

Row: I7
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(1)
X = rng.uniform(-1, 1, size=(250, 2))
y = np.where(np.hypot(*X.T) + 0.1 * rng.normal(size=250) > 0.7, "outside", "inside")
with sf.recording() as trace:
    model = sf.AdaBoostClassifier(n_estimators=60).fit(X, y)

figure, panels = plt.subplots(1, 3, figsize=(10.6, 3.2), layout="constrained")
for ax, rounds in zip(panels, (3, 60), strict=False):
    few = sf.AdaBoostClassifier(n_estimators=rounds).fit(X, y)
    sf.plots.DecisionRegionsDisplay.from_estimator(few, X, names=("x₁", "x₂"), ax=ax)
    weights = trace.fits[0].snapshots[rounds - 1]["sample_weights_"]
    ax.scatter(
        *X.T, s=2000 * weights, c=np.where(y == "inside", "#0072B2", "#D55E00"), edgecolors="white", linewidths=0.3
    )
    ax.set_title(f"after {rounds} rounds, rows by weight")
    if ax.get_legend() is not None:
        ax.get_legend().remove()
last, rounds = panels[2], np.arange(1, len(model.history_) + 1)
for name, words in {"bound": "loose bound", "tight_bound": "tight bound", "training_error": "training error"}.items():
    last.plot(rounds, model.history_.metric(name), label=words)
last.set(xlabel="round", title="the error and its bounds", ylim=0)
last.legend()
error, tight, loose = (model.history_.metric(name) for name in ("training_error", "tight_bound", "bound"))
assert np.all(error <= tight)
assert np.all(tight <= loose)
assert error[-1] < error[0] / 2
