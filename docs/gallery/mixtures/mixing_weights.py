"""The influence of the mixing weights

Three Gaussians in the plane, and rows drawn from two mixtures of them. The Gaussians say where rows may lie, the
weights how many lie in each: only the weights differ between the panels.

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
x, y = np.meshgrid(np.linspace(-5, 5, 60), np.linspace(-4.5, 4.5, 60))
points = np.column_stack([x.ravel(), y.ravel()])
figure = plt.figure(figsize=(8, 6), layout="constrained")
for column, weights in enumerate(((1 / 3, 1 / 3, 1 / 3), (0.1, 0.7, 0.2)), 1):
    mixture = Mixture.of(weights, parts)
    density = np.exp(mixture.log_prob(points)).reshape(x.shape)
    assert abs(density.sum() * (10 / 59) * (9 / 59) - 1) < 0.01  # it integrates to 1
    rows = mixture.sample(300, random_state=0)
    surface = figure.add_subplot(2, 2, column, projection="3d")
    surface.plot_surface(x, y, density, cmap="Blues", rcount=40, ccount=40)
    surface.set(title="weights " + ", ".join(f"{w:.2f}" for w in weights), zticks=[], xticks=[], yticks=[])
    plane = figure.add_subplot(2, 2, 2 + column)
    plane.contour(x, y, density, levels=6, colors="#8a8a8a", linewidths=0.6)
    plane.scatter(*rows.T, s=6)
    plane.set(xlim=(-5, 5), ylim=(-4.5, 4.5))
