"""Missing values by EM

Two lengths of the crabs, and the second missing for half of the animals. EM for one Gaussian gives every missing
value a distribution: its mean lies on the regression line, with its deviation as a bar. Filling in the mean of the
column puts all of them on a flat line, and takes variance and correlation away. The log-likelihood of what was
observed never falls.

Row: C5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

truth = sf.datasets.load("crabs").matrix(["CL", "RW"])
gone = np.random.default_rng(0).random(200) < 0.5
X = truth.copy()
X[gone, 1] = np.nan

model = sf.GaussianMixture(1, tol=1e-9, max_iter=500).fit(X)
mean, covariance = model.conditional(X[gone])
deviation = np.sqrt(covariance[:, 1, 1])
flat = np.where(gone, np.nanmean(X[:, 1]), truth[:, 1])
errors = [np.sqrt(((filled - truth[gone, 1]) ** 2).mean()) for filled in (mean[:, 1], flat[gone])]
assert errors[0] < 0.5 * errors[1]
assert (np.diff(model.history_.objective) > -1e-12).all()
assert np.allclose(model.impute(X)[gone], mean)

figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.6), layout="constrained", width_ratios=(3, 2))
left.scatter(*truth[~gone].T, s=10, label="observed")
left.errorbar(mean[:, 0], mean[:, 1], deviation, fmt=".", ms=5, elinewidth=0.5, color="#D55E00", label="by EM")
left.scatter(truth[gone, 0], flat[gone], s=9, marker="_", color="#009E73", label="mean of the column")
left.set(xlabel="CL", ylabel="RW")
left.legend()
right.plot(range(1, len(model.history_.objective) + 1), model.history_.objective, marker=".")
right.set(xlabel="iteration", title="mean log-likelihood of what was observed")
