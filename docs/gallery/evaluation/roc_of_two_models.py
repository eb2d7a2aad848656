"""ROC curves of two models

The sex of crabs from two lengths by linear discriminant analysis and by naive Bayes, with every threshold on the
probability: the false positive rate across, the true positive rate upwards. The diagonal is guessing. The sexes
differ in how the lengths go together, which naive Bayes ignores. A curve that is above another everywhere is so for
precision and recall as well.

Row: K4
"""

from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
models = {"linear discriminant": sf.LinearDiscriminantAnalysis(), "naive Bayes": sf.GaussianNB()}
figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
areas = {}
for name, model in models.items():
    found = sf.evaluate(model, crabs.matrix(["FL", "RW"]), crabs["sex"], splits=5)
    roc, ranking = found.roc("M"), found.precision_recall("M")
    areas[name] = roc.area
    left.plot(roc.x, roc.y, label=f"{name}: {roc.area:.2f}")
    right.plot(ranking.x, ranking.y, label=f"{name}: {ranking.area:.2f}")
left.plot([0, 1], [0, 1], color="#8a8a8a", linestyle="--", linewidth=0.8)
left.set(xlabel="false positive rate", ylabel="true positive rate", title="ROC, with the area below", aspect="equal")
right.set(xlabel="recall", ylabel="precision", title="precision over recall", ylim=(0, 1.03))
right.axhline(0.5, color="#8a8a8a", linestyle="--", linewidth=0.8)
left.legend(loc="lower right")
right.legend(loc="lower left")

assert round(areas["linear discriminant"], 2) == 0.96
assert areas["naive Bayes"] < 0.8
