"""A mixture of Poisson distributions

EM is the same for every family: only the likelihood of a row and the weighted maximum-likelihood estimate change.
Visits a day of two kinds of customers are counts; their mixture is found with its rates, without saying who is who.

Row: C3
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import poisson

import suffice as sf

rng = np.random.default_rng(0)
visits = np.concatenate([rng.poisson(2, 300), rng.poisson(9, 200)])[:, None].astype(float)
model = sf.MixtureModel(2, component="poisson", tol=1e-8, max_iter=2000, random_state=0).fit(visits)
order = np.argsort([part.rate[0] for part in model.mixture_.parts])
rates = [model.mixture_.parts[j].rate[0] for j in order]
weights = model.weights_[order]
assert np.allclose(rates, (2, 9), atol=0.6)
assert np.allclose(weights, (0.6, 0.4), atol=0.05)

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
shown = sf.plots.DensityDisplay.from_estimator(model, visits, ax=ax)
ax.set_xlabel("visits a day")
ax.legend(frameon=False)
for j, rate, weight in zip(order, rates, weights, strict=True):
    assert np.allclose(shown.components[j], weight * poisson.pmf(shown.x, rate))
