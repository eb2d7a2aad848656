"""One step of Lance and Williams

After clusters A and B are merged, the distance to any other cluster C follows from the three old distances, $d(A
\\cup B, C) = \\alpha_A d(A, C) + \\alpha_B d(B, C) + \\beta d(A, B) + \\gamma |d(A, C) - d(B, C)|$; the rows are not
needed again. Here A = {New York}, B = {Washington}, C = {Chicago}.

Row: B14
"""

import numpy as np

import suffice as sf

cities = sf.datasets.load("us_city_distances")
names, D = list(cities["city"].astype(str)), cities.matrix()
a, b, c = (names.index(name) for name in ("New York", "Washington DC", "Chicago"))
rules = {"single": (0.5, 0.5, 0, -0.5), "complete": (0.5, 0.5, 0, 0.5), "average": (0.5, 0.5, 0, 0)}

lines = [f"d(A, B) = {D[a, b]:.0f}, d(A, C) = {D[a, c]:.0f}, d(B, C) = {D[b, c]:.0f} miles", ""]
lines += ["linkage     α_A   α_B     β     γ   d(A ∪ B, C)"]
for linkage, (alpha, beta_too, beta, gamma) in rules.items():
    new = alpha * D[a, c] + beta_too * D[b, c] + beta * D[a, b] + gamma * abs(D[a, c] - D[b, c])
    tree = sf.AgglomerativeClustering(1, linkage=linkage, metric="precomputed").fit(D[np.ix_([a, b, c], [a, b, c])])
    assert tree.distances_[-1] == new
    lines.append(f"{linkage:<10}{alpha:5g} {beta_too:5g} {beta:5g} {gamma:5g} {new:13.1f}")
table = "\n".join(lines)
