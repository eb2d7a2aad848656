"""The held-out cost falls too

The cost of k-means on the rows it was fitted to falls with K, down to 0 for a centre on every row. The cost of rows
that were held out falls as well, since more centres are nearer to anything: it cannot choose K, unlike the held-out
likelihood of a mixture.

Row: B11
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.random.default_rng(0).permutation(sf.datasets.load("xclara").matrix())
fitted, held_out = X[:400], X[400:1400]
numbers = [1, 2, 3, 4, 6, 8, 12, 16, 24]
train, future, likelihood = [], [], []
for k in numbers:
    model = sf.KMeans(k, n_init=5, random_state=0).fit(fitted)
    train.append(model.inertia_ / len(fitted))
    away = sf.distances.Euclidean().pairwise(held_out, model.cluster_centers_).min(axis=1)
    future.append((away**2).mean())
    likelihood.append(sf.GaussianMixture(k, max_iter=1000, random_state=0).fit(fitted).score(held_out))

assert (np.diff(train) < 0).all()
assert (np.diff(future) < 0).all()
assert numbers[np.argmax(likelihood)] == 3

figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
left.plot(numbers, train, marker=".", label="fitted rows")
left.plot(numbers, future, marker=".", label="held-out rows")
left.set(xlabel="K", title="mean cost of k-means", yscale="log")
left.legend()
right.plot(numbers, likelihood, marker=".", color="#009E73")
right.set(xlabel="K", title="held-out log-likelihood of a mixture")
