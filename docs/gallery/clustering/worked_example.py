"""Four points, two clusters

The example of the course with numbers: points 1 to 4, the assignment (1, 2, 1, 1), the centres that minimise the cost
for it, and what the next assignment would be. Nothing but the mean of each cluster does better.

Row: B1
"""

import numpy as np

import suffice as sf

X = np.array([[0.0, 0.0], [4.0, 3.0], [1.0, 0.0], [2.0, 3.0]])
c = np.array([1, 2, 1, 1])
centres = np.array([X[c == k].mean(axis=0) for k in (1, 2)])
cost = ((X - centres[c - 1]) ** 2).sum()
again = 1 + sf.distances.Euclidean().pairwise(X, centres).argmin(axis=1)
done = sf.KMeans(2, init=centres, n_init=1).fit(X)

assert centres.tolist() == [[1, 1], [4, 3]]
assert cost == 8
assert again.tolist() == [1, 2, 1, 2]
assert round(done.inertia_, 6) == 2.5

lines = ["point       x₁  x₂  cluster  next"]
lines += [f"{i:<10}{x[0]:4.0f}{x[1]:4.0f}{k:9}{n:6}" for i, (x, k, n) in enumerate(zip(X, c, again, strict=True), 1)]
lines += [f"centre {k}  {m[0]:4.0f}{m[1]:4.0f}" for k, m in enumerate(centres, 1)]
table = "\n".join([*lines, f"cost {cost:.1f}, and {done.inertia_:.1f} after convergence"])
