"""Clusters of categories

k-modes puts the most frequent value of every column into each centre and counts the columns in which a row differs.
Ten animals in two clusters:

Row: B6
"""

import pandas as pd

import suffice as sf

animals = {
    "lion": ["hair", "land", "meat"], "wolf": ["hair", "land", "meat"], "cow": ["hair", "land", "plants"],
    "horse": ["hair", "land", "plants"], "otter": ["hair", "water", "meat"], "trout": ["scales", "water", "meat"],
    "shark": ["scales", "water", "meat"], "carp": ["scales", "water", "plants"], "salmon": ["scales", "water", "meat"],
    "snake": ["scales", "land", "meat"],
}  # fmt: skip
X = pd.DataFrame(animals.values(), columns=["covering", "lives on", "eats"])
model = sf.KModes(2, n_init=10, random_state=0).fit(X)
modes = [list(mode) for mode in model.cluster_centers_]

assert ["hair", "land", "meat"] in modes or ["hair", "land", "plants"] in modes
assert ["scales", "water", "meat"] in modes
assert model.inertia_ == 5

lines = [f"cluster {k}: {', '.join(map(str, mode))}" for k, mode in enumerate(modes)]
lines += ["", "animal  covering  lives on  eats    cluster  differs in"]
for name, row, k in zip(animals, animals.values(), model.labels_, strict=True):
    off = sum(a != b for a, b in zip(row, modes[k], strict=True))
    lines.append(f"{name:<8}{row[0]:<10}{row[1]:<10}{row[2]:<8}{k:7}{off:12}")
table = "\n".join([*lines, f"cost {model.inertia_:g}"])
