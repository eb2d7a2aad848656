"""The likelihood surface of two Gaussians

200 rows from $\\frac12 N(10, 5^2) + \\frac12 N(-10, 5^2)$, and their log-likelihood as a function of the two means,
all else known. There are two maxima of the same height, since the components can change names, and a saddle between
them. EM from any start climbs to one of them; the lines are its paths.

Row: C1
"""

import numpy as np
from matplotlib import pyplot as plt

from suffice.distributions import DiagonalGaussian, Mixture

rng = np.random.default_rng(0)
x = np.where(rng.random(200) < 0.5, 10, -10)[:, None] + 5 * rng.normal(size=(200, 1))


def mixture(first, second):
    """Two Gaussians of variance 25 and weights 1/2."""
    return Mixture.of([0.5, 0.5], [DiagonalGaussian([mean], [25.0]) for mean in (first, second)])


def em(first, second, steps=30):
    """The means from the start on: each is the mean of the rows, weighted by its responsibilities."""
    path = [np.array([first, second])]
    for _ in range(steps):
        q = mixture(*path[-1]).posterior_of(x)
        path.append((q.T @ x)[:, 0] / q.sum(axis=0))
    return np.array(path)


grid = np.linspace(-20, 20, 41)
surface = np.array([[mixture(a, b).log_prob(x).sum() for a in grid] for b in grid])
ends = [em(*start) for start in ((-18, -15), (15, 18), (2, -1), (-5, 16))]
assert np.allclose(np.sort(ends[0][-1]), np.sort(ends[1][-1]), atol=0.01)  # the same up to their names
assert np.abs(np.sort(ends[0][-1]) - (-10, 10)).max() < 1.5

figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
left.hist(x[:, 0], bins=25, color="#0072B2", alpha=0.75)
left.set(xlabel="x", ylabel="rows")
right.contourf(grid, grid, surface, levels=np.quantile(surface, np.linspace(0.05, 1, 18)), cmap="Blues")
for path in ends:
    right.plot(*path.T, marker=".", color="#D55E00", linewidth=1)
right.set(xlabel="μ₁", ylabel="μ₂", aspect="equal")
