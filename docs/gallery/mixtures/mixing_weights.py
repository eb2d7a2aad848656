"""The influence of the mixing weights

Three Gaussians in the plane, their mixture with two choices of weights, and rows drawn from it. The Gaussians say
where rows may lie, the weights how many lie in each: only the weights differ between the columns.

Row: C1
"""

import numpy as np
from matplotlib import pyplot as plt

from suffice.distributions import Gaussian, Mixture

parts = [
    Gaussian([-2.0, 0.0], [[0.6, 0.3], [0.3, 0.6]]),
    Gaussian([1.5, 1.5], [[1.0, -0.5], [-0.5, 0.5]]),
    Gaussian([1.5, -2.0], [[0.3, 0.0], [0.0, 0.3]]),
]
x, y = np.meshgrid(np.linspace(-5, 5, 101), np.linspace(-4.5, 4.5, 91))
points = np.column_stack([x.ravel(), y.ravel()])
figure, panels = plt.subplots(2, 2, figsize=(7.4, 6), sharex=True, sharey=True, layout="constrained")
for (above, below), weights in zip(panels.T, ((1 / 3, 1 / 3, 1 / 3), (0.1, 0.7, 0.2)), strict=True):
    mixture = Mixture.of(weights, parts)
    density = np.exp(mixture.log_prob(points)).reshape(x.shape)
    assert abs(density.sum() * 0.1 * 0.1 - 1) < 1e-3  # it integrates to 1
    shades = above.contourf(x, y, density, levels=14, cmap="Blues")
    above.set_title("weights " + ", ".join(f"{w:.2f}" for w in weights))
    figure.colorbar(shades, label="density", ax=above)
    below.contour(x, y, density, levels=6, colors="#8a8a8a", linewidths=0.6)
    below.scatter(*mixture.sample(300, random_state=0).T, s=6)
