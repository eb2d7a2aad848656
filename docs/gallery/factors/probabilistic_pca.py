"""Probabilistic PCA

Rows are $x = \\mu + L z + \\varepsilon$ with $z \\sim \\mathcal N(0, I)$ and noise of variance σ² in every direction.
The maximum of the likelihood is known: L from the leading eigenvectors, σ² the mean of the variances left out. EM
finds the same covariance. Left the crabs' log-likelihood during EM with the closed form as a line; right rows and the
Gaussian of one factor.

Row: C8
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = np.log(sf.datasets.load("crabs").matrix())
closed = sf.PPCA(2).fit(X)
by_em = sf.PPCA(2, method="em", tol=1e-10, max_iter=5000, random_state=0).fit(X)
variances = np.linalg.eigvalsh(np.cov(X, rowvar=False, bias=True))[::-1]
assert np.isclose(closed.noise_variance_, variances[2:].mean())
assert np.allclose(closed.get_covariance(), by_em.get_covariance(), rtol=0.01)

two = X[:, [1, 2]]
line = sf.PPCA(1).fit(two)
figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.5), layout="constrained")
left.plot(range(1, len(by_em.history_.objective) + 1), by_em.history_.objective, label="EM")
left.axhline(closed.score(X), color="#D55E00", linestyle="--", label="closed form")
left.set(xlabel="iteration", ylabel="mean log-likelihood", xscale="log")
left.legend(loc="lower right")
shape = {"weights": [1.0], "means": line.mean_[None], "covariances": line.get_covariance()[None]}
sf.plots.MixtureDisplay(two, np.ones((200, 1)), **shape, names=("log RW", "log CL")).plot(right)
