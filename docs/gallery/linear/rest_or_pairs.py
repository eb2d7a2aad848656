"""One against the rest, or one against one

Five classes in a row, and linear classifiers of two. No line has an inner class on one side and all others on the
other, so one against the rest has next to no confidence in these, and fails. One against one asks every pair, each of
which a line separates, and lets them vote. Softmax, which learns all classes at once, needs no such scheme.

Row: G7
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = np.repeat(list("abcde"), 50)
X = np.column_stack([2.0 * np.repeat(range(5), 50), np.zeros(250)]) + rng.normal(size=(250, 2)) * (0.5, 1.0)
svm = sf.LinearSVC(loss="hinge")
models = {
    "one against the rest": sf.OneVsRestClassifier(svm),
    "one against one": sf.OneVsOneClassifier(svm),
    "softmax": sf.LogisticRegression(),
}
figure, panels = plt.subplots(1, 3, figsize=(10.6, 3.3), layout="constrained")
right = {}
for ax, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(X, y)
    right[name] = model.score(X, y)
    sf.plots.DecisionRegionsDisplay.from_estimator(model, X, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{name}: {right[name]:.0%} right")
    ax.get_legend().remove()
assert right["one against the rest"] < 0.85
assert min(right["one against one"], right["softmax"]) > 0.95
