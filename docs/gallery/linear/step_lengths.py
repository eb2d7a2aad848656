"""How long a step should be

Least squares of two standardised columns that are correlated: a long valley. A step is right below 2 / (the largest
curvature L); 5 % above it the objective grows without end. Short steps are soon in the valley and then crawl along
it. Momentum keeps going, and Adam, whose steps are about the same in every direction, swings around the minimum.

Row: G2
"""

import warnings

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.errors import Diverged, NotConverged
from suffice.solvers import GradientDescent
from suffice.solvers.steps import Adam, FixedStep, Momentum

rng = np.random.default_rng(0)
Z = sf.StandardScaler().fit_transform(rng.normal(size=(200, 2)) @ [[1.0, 0.9], [0.0, 0.44]])
y = Z @ [1.0, 2.0]
most = np.linalg.eigvalsh(Z.T @ Z / len(Z))[-1]
ways = {
    "too long: 2.1 / L": FixedStep(2.1 / most),
    "short: 0.3 / L": FixedStep(0.3 / most),
    "momentum 0.7": Momentum(0.3 / most, 0.7),
    "Adam": Adam(0.25),
}
figure, panels = plt.subplots(1, 5, figsize=(13.4, 3.0), layout="constrained", width_ratios=[1, 1, 1, 1, 1.5])
a, b = np.meshgrid(np.linspace(-1.5, 4.5, 80), np.linspace(-1.5, 4.5, 80))
bowl = 0.5 * ((Z @ (np.stack([a.ravel(), b.ravel()]) - [[1.0], [2.0]])) ** 2).mean(axis=0).reshape(a.shape)
ends = {}
for k, (name, step) in enumerate(ways.items()):
    with warnings.catch_warnings(), sf.recording() as trace:
        warnings.simplefilter("ignore", (Diverged, NotConverged))
        model = sf.LinearModel(solver=GradientDescent(step), fit_intercept=False, max_iter=40, tol=0).fit(Z, y)
    path = np.array([[0.0, 0.0], *(snapshot["coef_"] for snapshot in trace.fits[0].snapshots)])
    ends[name] = model.history_.objective[-1]
    panels[k].contour(a, b, bowl, levels=[0.02, 0.1, 0.3, 0.8, 2, 4], colors="#bbbbbb", linewidths=0.7)
    panels[k].plot(*path.T, color=f"C{k}", marker=".", markersize=4, linewidth=0.9)
    panels[k].set(xlabel="w₁", xlim=(-1.5, 4.5), ylim=(-1.5, 4.5), title=name)
    panels[4].semilogy(model.history_.objective, label=name)
panels[0].set_ylabel("w₂")
panels[4].set(xlabel="iteration", ylim=(1e-4, 1e3), title="objective")
assert ends["too long: 2.1 / L"] > 50 > 0.02 > ends["short: 0.3 / L"]
assert ends["momentum 0.7"] < 0.1 * ends["short: 0.3 / L"], ends
