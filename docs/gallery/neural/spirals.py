"""Spirals, epoch by epoch

Three spirals that no line tells apart. A net of two hidden layers bends its boundaries a little further in every
epoch; the same seed and fewer epochs show where it came from.

Rows: J1, J2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.layers import Dense

rng = np.random.default_rng(0)
t = np.linspace(0.3, 3.2, 100)
angle = 2 * t + np.array([0.0, 2.1, 4.2])[:, None]  # (3, 100)
X = np.column_stack([(t * np.cos(angle)).ravel(), (t * np.sin(angle)).ravel()]) + 0.08 * rng.normal(size=(300, 2))
y = np.repeat(["a", "b", "c"], 100)

net = sf.NeuralClassifier([Dense(24, "tanh"), Dense(12)], learning_rate=0.02, batch_size=60, random_state=0)
figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
scores = []
for ax, epochs in zip(panels, (5, 25, 120), strict=True):
    scores.append(net.set_params(max_iter=epochs).fit(X, y).score(X, y))
    sf.plots.DecisionRegionsDisplay.from_estimator(net, X, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{epochs} epochs: {scores[-1]:.2f}")
    ax.get_legend().remove()

assert scores[0] < 0.8 < 0.97 < scores[-1]
