"""A Beta prior for the probability of a class

The Beta distribution is conjugate to yes and no: prior Beta(α₊, α₋) and n₊, n₋ observations give Beta(α₊ + n₊, α₋ +
n₋). Its mode $(\\alpha_+ + n_+ - 1) / (\\alpha_+ + n_+ + \\alpha_- + n_- - 2)$ is the MAP estimate, so α act as
pseudo-counts.

Corrected: for large α the distribution concentrates at $\\alpha_+ / (\\alpha_+ + \\alpha_-)$, not at $\\alpha_+ /
\\alpha_-$, and a smaller α₊ moves the peak to the left.

Rows: C11, D6
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import beta

from suffice.distributions import Bernoulli, Beta

rows = np.repeat([[1.0], [0.0]], [3, 1], axis=0)  # three of the class, one not
seen = Bernoulli().statistic(rows)
t = np.linspace(0.001, 0.999, 400)
figure, panels = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
for ax, (a, b) in zip(panels, ((1, 1), (2, 5), (40, 40)), strict=True):
    map_estimate = Bernoulli().map_estimate(seen, Beta(a, b)).probability.item()
    assert np.isclose(map_estimate, (a + 3 - 1) / (a + 3 + b + 1 - 2))
    assert np.isclose(Bernoulli().posterior(seen, Beta(a, b)).mean()["probability"], (a + 3) / (a + b + 4))
    ax.plot(t, beta.pdf(t, a, b), color="#8a8a8a", label=f"prior Beta({a}, {b})")
    ax.plot(t, beta.pdf(t, a + 3, b + 1), label="posterior")
    ax.axvline(map_estimate, color="#D55E00", linestyle="--", linewidth=0.9, label=f"MAP {map_estimate:.3f}")
    ax.set(xlabel="θ", yticks=[], ylim=(0, 1.55 * beta.pdf(t, a + 3, b + 1).max()))
    ax.legend(loc="upper left")
