"""Threshold and components by cross-validation

150 flowers of iris and 15 rows that are no flowers. Where such examples exist, the threshold on the density and the
number of Gaussians are chosen by the F1 of held-out rows. A threshold that is too low flags flowers, one too high
misses what is strange.

Row: C9
"""

import numpy as np

import suffice as sf

iris = sf.datasets.load("iris")
strange = np.random.default_rng(0).uniform(0, 9, (15, 4))
X, y = np.vstack([iris.matrix(), strange]), np.repeat(["flower", "odd"], [150, 15])

lines = ["F1 of five folds     " + "".join(f"{share:>8.0%}" for share in (0.02, 0.05, 0.1, 0.3)) + "   flagged"]
best = {}
for k in (1, 3):
    scores = []
    for share in (0.02, 0.05, 0.1, 0.3):
        model = sf.DensityAnomaly(sf.GaussianMixture(k, random_state=0), contamination=share)
        found = sf.evaluate(model, X, y, positive="odd", splits=5, measures="f1", random_state=0)
        scores.append(best.setdefault((k, share), found.value("f1")))
    lines.append(f"{k} Gaussian{' ' if k == 1 else 's'}          " + "".join(f"{score:8.2f}" for score in scores))

assert max(best, key=best.get)[1] == 0.1  # 15 of 165 are strange
assert best[1, 0.1] > max(best[1, 0.02], best[1, 0.3])
table = "\n".join(lines)
