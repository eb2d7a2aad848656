"""Parallel coordinates of the crabs

Each crab is a line across five axes. Lines that stay high or low throughout are large and small animals; where lines
of one colour cross those of another, the groups differ in shape.

Row: A5
"""

import numpy as np

import suffice as sf

crabs = sf.datasets.load("crabs")
groups = np.char.add(crabs["sp"].astype(str), crabs["sex"].astype(str))
shown = sf.plots.ParallelDisplay.from_table(crabs.matrix(), crabs.features, groups=groups)

assert set(groups) == {"BF", "BM", "OF", "OM"}
figure = shown.figure_
