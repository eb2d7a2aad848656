"""Factor analysis and probabilistic PCA

Five columns that follow one factor, and a sixth that is noise with a large variance. Probabilistic PCA has the same
noise in every column, so it spends its factor on the loud one; factor analysis gives each column its own noise, and
finds the common factor.

Row: C8
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
z = rng.normal(size=500)
X = np.column_stack([z[:, None] + 0.5 * rng.normal(size=(500, 5)), 4 * rng.normal(size=500)])
models = {"probabilistic PCA": sf.PPCA(1).fit(X), "factor analysis": sf.FactorAnalysis(1).fit(X)}

figure, panels = plt.subplots(1, 2, figsize=(8, 2.9), layout="constrained")
agreement = {}
for ax, (name, model) in zip(panels, models.items(), strict=True):
    factor = model.transform(X)[:, 0]
    agreement[name] = abs(np.corrcoef(factor, z)[0, 1])
    ax.bar([f"x{j}" for j in range(1, 7)], np.abs(model.components_[0]))
    ax.set(title=f"{name}: correlation with the truth {agreement[name]:.2f}", ylabel="loading")
    ax.label_outer()

assert agreement["factor analysis"] > 0.95
assert agreement["probabilistic PCA"] < 0.2
