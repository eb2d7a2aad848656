"""The direction of variance may hide the classes

Two long classes side by side. The first principal component runs along both and mixes them; the linear discriminant
crosses them. Below are the rows projected on each.

Rows: D3, E1
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 150)
X = rng.multivariate_normal([0, 0], [[4, 1.8], [1.8, 1]], size=300) + np.outer(y, (0.8, -1.6))
axes = {"PCA": sf.PCA(1).fit(X).components_[0], "LDA": sf.LinearDiscriminantAnalysis().fit(X, y).scalings_[:, 0]}

figure, panels = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
panels[0].scatter(*X.T, s=8, c=np.where(y, "#D55E00", "#0072B2"))
panels[0].set(aspect="equal", xlabel="x₁", ylabel="x₂")
accuracy = {}
for ax, (name, axis), colour in zip(panels[1:], axes.items(), ("black", "#009E73"), strict=True):
    axis = axis / np.linalg.norm(axis)
    z = X @ axis[:, None]
    accuracy[name] = sf.LinearDiscriminantAnalysis().fit(z, y).score(z, y)
    panels[0].axline(X.mean(axis=0), slope=axis[1] / axis[0], color=colour, label=name)
    ax.hist([z[y == k, 0] for k in (0, 1)], bins=25, histtype="stepfilled", alpha=0.6, color=["#0072B2", "#D55E00"])
    ax.set(title=f"on the axis of {name}: accuracy {accuracy[name]:.2f}")
panels[0].legend()

assert accuracy["LDA"] > 0.95 > 0.7 > accuracy["PCA"]
