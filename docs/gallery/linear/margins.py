"""Margins and support vectors

A support vector machine takes the line with the widest margin $2 / \\lVert w \\rVert$. With a large C no row may lie
within (the hard margin, left); a small C buys a wider margin with rows inside or on the wrong side. Only the rows at
or within the margin, drawn with rings, hold the line: without all the others the fit is the same.

Row: G6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(4)
X = np.vstack([rng.normal((-1.4, -0.6), 0.75, (40, 2)), rng.normal((1.4, 0.6), 0.75, (40, 2))])
y = np.repeat([-1, 1], 40)
figure, panels = plt.subplots(1, 3, figsize=(10.6, 3.5), sharey=True, layout="constrained")
across = np.array([-3.6, 3.6])
widths, counts = [], []
for ax, C in zip(panels, (1000.0, 1.0, 0.02), strict=True):
    model = sf.LinearSVC(loss="hinge", C=C, tol=1e-8).fit(X, y)
    (w,), b = model.coef_, model.intercept_[0]
    support = y * model.decision_function(X) <= 1 + 1e-3
    again = sf.LinearSVC(loss="hinge", C=C, tol=1e-8).fit(X[support], y[support])
    assert np.allclose(again.coef_, model.coef_, atol=1e-3)
    widths.append(2 / np.linalg.norm(w))
    counts.append(int(support.sum()))
    for level, style in ((-1, "--"), (0, "-"), (1, "--")):
        ax.plot(across, (level - b - w[0] * across) / w[1], style, color="#222222", linewidth=0.9)
    for label, colour in ((-1, "C0"), (1, "C1")):
        ax.scatter(*X[y == label].T, s=14, color=colour)
    ax.scatter(*X[support].T, s=55, facecolors="none", edgecolors="#222222", linewidths=0.8)
    ax.set(
        xlabel="x₁",
        ylim=(-3, 3),
        xlim=across,
        title=f"C = {C:g}: margin {widths[-1]:.2f}, {counts[-1]} on or within",
    )
panels[0].set_ylabel("x₂")
assert widths[0] < widths[1] < widths[2]
assert counts[0] == 3 < counts[1] < counts[2]
