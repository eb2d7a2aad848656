"""The threshold decides who pays

The detection cost $C_{FP} \\cdot FP + C_{FN} \\cdot FN$ over the threshold on the probability, for three prices of a
miss. The dearer a miss, the lower the threshold at which one should call; for calibrated probabilities it is $C_{FP}
/ (C_{FP} + C_{FN})$, the dashed lines.

Row: K3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

crabs = sf.datasets.load("crabs")
found = sf.evaluate(sf.LinearDiscriminantAnalysis(), crabs.matrix(["FL", "RW"]), crabs["sp"], splits=5)
p, orange = found.probability[:, list(found.classes).index("O")], crabs["sp"] == "O"
thresholds = np.linspace(0.01, 0.99, 99)
figure, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
best = {}
for k, miss in enumerate((0.25, 1, 4)):
    cost = [((p >= t) & ~orange).sum() + miss * ((p < t) & orange).sum() for t in thresholds]
    best[miss] = thresholds[np.argmin(cost)]
    ax.plot(thresholds, cost, color=f"C{k}", label=f"a miss costs {miss:g}")
    ax.axvline(1 / (1 + miss), color=f"C{k}", linestyle="--", linewidth=0.8)
ax.set(xlabel="threshold", ylabel="cost, a false alarm 1", ylim=(0, 150))
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))

assert best[0.25] > best[1] > best[4]
