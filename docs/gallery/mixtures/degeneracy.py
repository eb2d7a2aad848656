"""Why the likelihood has no maximum

A Gaussian that sits on one value may shrink for ever: with each row of that value the log-likelihood grows like −log
σ without a bound. Adding ν² to the diagonal of each covariance, a prior on it, gives a maximum.

Row: C2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.distributions import DiagonalGaussian, Mixture

x = sf.datasets.load("faithful").matrix(["eruptions"])
wide = DiagonalGaussian().fit(x)
sigmas = np.logspace(0, -60, 61)


def score(sigma):
    """The log-likelihood of a mixture of which one part sits on the first row."""
    return Mixture.of([0.01, 0.99], [DiagonalGaussian(x[0], [sigma**2]), wide]).log_prob(x).sum()


free = np.array([score(sigma) for sigma in sigmas])
kept = np.array([score(np.sqrt(sigma**2 + 0.1**2)) for sigma in sigmas])  # ν = 0.1
assert free[-1] > kept.max() + 50
slope = np.diff(free[-20:]) / np.diff(-np.log(sigmas[-20:]))
assert np.allclose(slope, (x == x[0]).sum())

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
ax.plot(sigmas, free, label="maximum likelihood")
ax.plot(sigmas, kept, label="with ν² = 0.01 on the diagonal")
ax.set(xscale="log", xlabel="σ of the Gaussian on one value", ylabel="log-likelihood")
ax.invert_xaxis()
ax.legend()
