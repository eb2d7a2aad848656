"""Every pair of columns of the arrests

Arrests for murder, assault and rape per 100,000 residents in the 50 US states in 1973, and the percentage of people
in towns. The three crimes go together; towns have little to do with murder.

Row: A5
"""

import numpy as np

import suffice as sf

arrests = sf.datasets.load("usarrests")
shown = sf.plots.PairsDisplay.from_table(arrests.matrix(), arrests.features)

r = np.corrcoef(arrests.matrix(), rowvar=False)
assert r[0, 1].round(2) == 0.80  # murder and assault
assert r[0, 2].round(2) == 0.07  # murder and towns
figure = shown.figure_
