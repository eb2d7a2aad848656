"""A sheet, rolled up and unrolled

1,000 rows on a rolled sheet, coloured by how far along it they lie. PCA looks at the roll from the side, so that turns
lie on each other. Isomap measures ways along the sheet, locally linear embedding keeps what neighbours are to each
other, Laplacian eigenmaps spend both coordinates on the long way, so that the sheet becomes a bow. The way back from
Isomap's map, by a mixture of planes, misses rows that it has not seen by less than a thirtieth of what PCA misses them
by.

Row: E5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
t, height = 1.5 * np.pi * (1 + 2 * rng.random(1500)), 21 * rng.random(1500)
rows = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
roll, new, along = rows[:1000], rows[1000:], t[:1000]
maps = {
    "PCA": sf.PCA(2),
    "Isomap": sf.Isomap(2, n_neighbors=8),
    "locally linear": sf.LocallyLinearEmbedding(2, n_neighbors=10),
    "Laplacian eigenmaps": sf.SpectralEmbedding(2, n_neighbors=10),
}
places = {name: model.fit_transform(roll) for name, model in maps.items()}

errors = [np.mean((maps[name].inverse_transform(maps[name].transform(new)) - new) ** 2) for name in ("Isomap", "PCA")]
assert errors[0] < errors[1] / 30
assert sf.trustworthiness(roll, places["Isomap"]) > 0.999 > sf.trustworthiness(roll, places["PCA"])

figure = plt.figure(figsize=(9.6, 5.2), layout="constrained")
solid = figure.add_subplot(2, 3, 1, projection="3d")
solid.scatter(*roll.T, c=along, s=4)
solid.set(title="the rows", xticks=[], yticks=[], zticks=[])
solid.view_init(8, -75)
for at, (name, Z) in enumerate(places.items(), 2):
    ax = figure.add_subplot(2, 3, at)
    ax.scatter(*Z.T, c=along, s=4)
    ax.set(title=name, xticks=[], yticks=[])
kept = sf.neighbor_preservation(roll, places["Isomap"]), sf.neighbor_preservation(roll, places["PCA"])
ax = figure.add_subplot(2, 3, 6)
for name, found in zip(("Isomap", "PCA"), kept, strict=True):
    ax.semilogx(found.n_neighbors, found.shared, label=name)
ax.set(title="share of neighbours kept", xlabel="neighbours")
ax.legend(frameon=False)
