"""A linear model of other columns bends

The model is linear in its slopes, not in x: of monomials it is a polynomial, of bumps a radial basis function
network, of sines and cosines a Fourier series, of splines a smooth piecewise cubic. Twelve columns each, one ridge
penalty, and the same 80 rows of a wave with a period of 1. Between 1 and 1.5 there are no rows: only the Fourier
series knows that the wave goes on.

Row: A4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
x = np.concatenate([rng.uniform(0, 1, 40), rng.uniform(1.5, 2.5, 40)])[:, None]


def wave(x):
    """The truth."""
    return np.sin(2 * np.pi * x[:, 0]) + 0.5 * np.cos(4 * np.pi * x[:, 0])


y = wave(x) + 0.2 * rng.normal(size=80)
maps = {
    "monomials up to degree 12": sf.make_pipeline(sf.StandardScaler(), sf.PolynomialFeatures(12, include_bias=False)),
    "12 bumps": sf.RBFFeatures(centers=np.linspace(0, 2.5, 12)[:, None], width=0.2),
    "6 harmonics": sf.FourierFeatures(6, period=1),
    "12 splines": sf.SplineTransformer(9, degree=3, include_bias=True),
}
line = np.linspace(0, 2.5, 300)[:, None]
gap = (line[:, 0] > 1.05) & (line[:, 0] < 1.45)
figure, panels = plt.subplots(1, 4, figsize=(12.6, 2.9), sharey=True, layout="constrained")
errors = {}
for ax, (name, feature_map) in zip(panels, maps.items(), strict=True):
    model = sf.make_pipeline(feature_map, sf.Ridge(1e-3)).fit(x, y)
    answer = model.predict(line)
    errors[name] = np.sqrt(((answer - wave(line)) ** 2)[gap].mean()), model.score(x, y)
    ax.plot(line, wave(line), "--", color="#bbbbbb")
    ax.plot(line, answer)
    ax.scatter(x, y, s=6, color="#222222")
    ax.set(xlabel="x", ylim=(-2.6, 2.6), title=name)
assert all(fit > 0.85 for _, fit in errors.values())
assert errors["6 harmonics"][0] < 0.3 < min(away for name, (away, _) in errors.items() if name != "6 harmonics")
