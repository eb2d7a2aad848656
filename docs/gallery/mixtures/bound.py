"""The log-likelihood is a bound plus KL

$\\ln p(x | \\theta) = L(q, \\theta) + \\mathrm{KL}(q \\| p)$: the E-step makes KL zero, the M-step raises the bound
L, which opens KL again. Between the bound and the next log-likelihood there is exactly the KL that the next E-step
removes.

Row: C1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("faithful").matrix()
model = sf.GaussianMixture(2, means_init=[[2.5, 75], [4.0, 60]], tol=1e-6, max_iter=100).fit(X)
likelihood = np.asarray(model.history_.objective)
bound = np.asarray(model.history_.metric("free_energy"))

assert (np.diff(likelihood) >= 0).all()
assert (likelihood[1:] >= bound[:-1] - 1e-12).all()

step = slice(1, 13)
raised, opened = bound[:-1] - likelihood[:-1], likelihood[1:] - bound[:-1]
number = np.arange(len(raised))[step] + 1
figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.3), layout="constrained")
left.plot(range(1, len(likelihood) + 1), likelihood, marker=".")
left.set(xlabel="iteration", title="mean log-likelihood")
right.bar(number, raised[step], label="the M-step raises the bound L")
right.bar(number, opened[step], bottom=raised[step], label="the E-step closes KL")
right.set(xlabel="iteration", title="its gain", ylim=(0, 0.18))
right.legend()
