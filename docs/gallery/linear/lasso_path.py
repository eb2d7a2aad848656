"""The lasso lets columns in one after the other

An L1 penalty λ‖w‖₁ keeps slopes at exactly 0. From the λ that keeps all of them there downwards, columns enter one by
one; three of twelve have an effect. Cross-validation shows the error of new rows at each λ, all from one pass over
the rows; the largest λ within one standard error of the best is a good choice for a short list of columns.

Rows: G3, K6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(1)
X = rng.normal(size=(120, 12))
X[:, 3] = 0.7 * X[:, 0] + 0.7 * rng.normal(size=120)
y = X[:, :3] @ [2.0, -1.5, 1.0] + 1.5 * rng.normal(size=120)
path = sf.Lasso().path(X, y, n_alphas=60, eps=0.003)
chosen = sf.Lasso("cv", rule="1se", n_alphas=60).fit(X, y)
best = sf.Lasso("cv", n_alphas=60).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3.6), layout="constrained")
for j, slopes in enumerate(path.coef.T):
    left.plot(path.alphas, slopes, color=None if j < 3 else "#bbbbbb", label=f"x{j + 1}" if j < 3 else None)
left.set(xscale="log", xlabel="λ", title="slopes; the columns without an effect are grey")
left.invert_xaxis()
left.legend(loc="upper left")
table = chosen.cv_path_.table
right.errorbar(table["alpha"], table["error"], table["standard_error"], color="#8a8a8a", linewidth=0.8)
right.plot(table["alpha"], table["error"], color="#222222")
for name, model, colour in (("one standard error", chosen, "#D55E00"), ("least error", best, "#0072B2")):
    shown = f"{name}: {np.count_nonzero(model.coef_)} columns"
    right.axvline(model.alpha_, linestyle="--", linewidth=0.9, color=colour, label=shown)
right.legend()
right.set(xscale="log", xlabel="λ", title="squared error over folds")
right.invert_xaxis()

assert np.count_nonzero(path.coef[0]) == 0
assert set(np.flatnonzero(chosen.coef_)) == {0, 1, 2}
assert np.count_nonzero(best.coef_) > 3
