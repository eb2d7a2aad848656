"""Which points are at distance 1

Circles of radius 1 of Minkowski distances: a diamond for p = 1, a circle for p = 2, a square for p = ∞. As p → 0 the
distance becomes a count of the columns that differ (Hamming): any difference counts the same.

Row: F1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

side = np.linspace(-1.5, 1.5, 201)
points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
distances = {"p = 1": sf.distances.Manhattan(), "p = 2": sf.distances.Euclidean(), "p = 4": sf.distances.Minkowski(p=4)}
distances |= {"p = ∞": sf.distances.Chebyshev()}
figure, ax = plt.subplots(figsize=(4.4, 3.8), layout="constrained")
for k, (name, distance) in enumerate(distances.items()):
    away = distance.pairwise(points, np.zeros((1, 2))).reshape(201, 201)
    ax.contour(side, side, away, levels=[1], colors=[f"C{k}"])
    ax.plot([], [], color=f"C{k}", label=name)
ax.set(aspect="equal", xlabel="x₁", ylabel="x₂")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))

corner = np.array([[0.6, 0.8]])
found = [distance.pairwise(corner, np.zeros((1, 2)))[0, 0] for distance in distances.values()]
assert np.allclose(found, [1.4, 1.0, (0.6**4 + 0.8**4) ** 0.25, 0.8])
assert sf.distances.Minkowski(p=0).pairwise(np.array([[1.0, 5.0, 2.0]]), np.array([[1.0, 4.0, 9.0]]))[0, 0] == 2
