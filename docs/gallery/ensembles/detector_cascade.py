"""A cascade finds patterns in a picture

Windows of 16 × 16 pixels are told apart by differences of boxes, of which there are 832. The cascade of
`docs/examples/cascade.py` boosts stumps on them in four stages. The first looks at three differences and rejects three
of four windows without a pattern; only what passes is looked at by the next, so that a window costs five differences on
average. Left: patterns that are looked for. Middle: some of the chosen boxes on the mean of the patterns, white less
black. Right: what is found, groups of at least three windows that pass all stages.

Row: I7
"""

import importlib.util
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

PATH = Path(__file__).parents[2] / "examples" / "cascade.py"
spec = importlib.util.spec_from_file_location("suffice_example_cascade", PATH)
cascade = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cascade)

rng, side = np.random.default_rng(0), cascade.SIDE
stages, let_through = cascade.learned(rng)
patterns, which = cascade.patterns(16, rng), cascade.boxes()
picture = cascade.backgrounds(1, rng, 5 * side)[0]
places = np.array([(6, 10), (40, 50), (58, 8)])
for row, column in places:
    picture[row : row + side, column : column + side] = cascade.patterns(1, rng)[0]
found = cascade.found(stages, picture)

figure, panels = plt.subplots(1, 3, figsize=(10.6, 3.7), layout="constrained")
panels[0].imshow(np.block([list(patterns[4 * i : 4 * i + 4]) for i in range(4)]), cmap="gray")
panels[1].imshow(np.tile(cascade.patterns(400, rng).mean(axis=0), (2, 2)), cmap="gray", alpha=0.5)
for k, (top, left, high, wide, way) in enumerate(which[[s.columns[j] for s in stages[:2] for j in range(2)]]):
    corner = np.array([side * (k % 2) + left, side * (k // 2) + top]) - 0.5
    for shift, paint in ((0, "white"), (1, "black")):
        at = corner + shift * np.array([(1 - way) * wide, way * high])
        panels[1].add_patch(plt.Rectangle(at, wide, high, facecolor=paint, alpha=0.8))
panels[2].imshow(picture, cmap="gray")
for row, column in found:
    panels[2].add_patch(plt.Rectangle((column, row), side, side, fill=False, edgecolor="#E69F00", linewidth=2))
for ax, title in zip(panels, ("patterns", "four of the chosen differences", "found in a picture"), strict=True):
    ax.set(title=title, xticks=[], yticks=[])
distance = np.abs(found[:, None] - places).max(axis=2)
assert np.all(distance.min(axis=0) < 3)
assert len(found) <= 4
assert let_through[0] < 0.4
