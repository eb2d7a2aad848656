"""The Bayes classifier of two Gaussians

Two classes with equal priors, $N(-1, 1)$ and $N(1, \\sigma^2)$. With σ = 1 the boundary is 0. With σ = 1/3 the second
class is chosen between two points, where its density is above the first, best seen on a logarithmic scale.

Corrected: the interval is [0.34, 2.16]; the course prints [−0.39, 2.15], but at −0.39 the densities are 0.33 and
0.0002, no root.

Row: D2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

x = np.linspace(-4, 4, 8001)[:, None]
figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.3), layout="constrained")
ends = []
for ax, sigma in zip(panels, (1, 1 / 3), strict=True):
    rows = np.array([[-2.0], [0.0], [1 - sigma], [1 + sigma]])  # means −1 and 1, deviations 1 and σ
    model = sf.QuadraticDiscriminantAnalysis().fit(rows, [1, 1, 2, 2])
    second = x[model.predict(x) == 2]
    ends.append((second.min().round(2), second.max().round(2)))
    for k, (mean, deviation) in enumerate(((-1, 1), (1, sigma))):
        density = np.exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
        ax.plot(x, density, label=f"class {k + 1}: N({mean}, {'1' if deviation == 1 else '1/9'})")
    ax.axvspan(*ends[-1], color="#D55E00", alpha=0.12, linewidth=0)
    ax.set(xlabel="x", title=f"class 2 from {ends[-1][0]:g}" + (f" to {ends[-1][1]:g}" if sigma < 1 else " on"))
    ax.legend(loc="upper left")
panels[0].set_ylim(0, 0.52)
panels[1].set(yscale="log", ylim=(1e-4, 30))

assert ends[0][0] == 0
assert ends[1] == (0.34, 2.16)
