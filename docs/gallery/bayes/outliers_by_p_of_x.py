"""An outlier is unlikely under every class

Linear discriminant analysis says *virginica* with certainty for a flower of a size that no iris has. Its density
$P(x) = \\sum_y P(y) P(x | y)$ knows better: it is far below that of any flower seen.

Row: D4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

iris = sf.datasets.load("iris")
X, y = iris.matrix(["petal_length", "petal_width"]), iris["species"].astype(str)
model = sf.LinearDiscriminantAnalysis().fit(X, y)
strange = np.array([[3.5, 2.6]])
assert model.predict_proba(strange).max() > 0.99
assert model.log_density(strange)[0] < model.log_density(X).min() - 5

a, b = np.meshgrid(np.linspace(0.5, 7.5, 120), np.linspace(-0.2, 3, 120))
density = model.log_density(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
shades = ax.contourf(a, b, density, levels=np.linspace(-40, 1, 16), cmap="Blues", extend="min", alpha=0.5)
figure.colorbar(shades, label="log P(x)")
for kind in model.classes_:
    ax.scatter(*X[y == kind].T, s=10, label=kind)
ax.plot(*strange[0], "X", color="black", ms=9)
ax.annotate(f"{model.predict(strange)[0]}?", strange[0], xytext=(8, 4), textcoords="offset points")
ax.set(xlabel="petal length", ylabel="petal width")
ax.legend(loc="lower right")
