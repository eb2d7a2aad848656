"""Linear discriminant analysis is a sigmoid

For two classes with one covariance and equal priors, $P(y = 1 | x) = \\sigma(w^\\top x + w_0)$ with $w = \\Sigma^{-1}
(\\mu_+ - \\mu_-)$ and $w_0 = \\frac12 (\\mu_-^\\top \\Sigma^{-1} \\mu_- - \\mu_+^\\top \\Sigma^{-1} \\mu_+)$: the
form of logistic regression, with the weights from means and covariance. Points are the crabs by their sex, the curve
is σ.

Row: D2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
X, male = np.log(crabs.matrix(["FL", "RW"])), crabs["sex"] == "M"
model = sf.LinearDiscriminantAnalysis().fit(X, male)
plus, minus = X[male].mean(axis=0), X[~male].mean(axis=0)
centred = np.vstack([X[male] - plus, X[~male] - minus])
inverse = np.linalg.inv(centred.T @ centred / len(X))
w = inverse @ (plus - minus)
w0 = (minus @ inverse @ minus - plus @ inverse @ plus) / 2
score = X @ w + w0
assert np.allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-score)))

figure, ax = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
line = np.linspace(score.min(), score.max(), 200)
ax.plot(line, 1 / (1 + np.exp(-line)), color="#8a8a8a", zorder=0)
jitter = np.random.default_rng(0).uniform(-0.03, 0.03, len(X))
for label, name in ((False, "female"), (True, "male")):
    ax.scatter(score[male == label], (male + jitter)[male == label], s=8, label=name)
ax.set(xlabel="wᵀx + w₀", ylabel="P(male | x)", yticks=[0, 0.5, 1])
ax.legend(loc="center left")
