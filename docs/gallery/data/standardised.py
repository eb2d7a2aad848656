"""Standardised columns

Subtracting the mean and dividing by the standard deviation (with 1/n) puts columns of any unit on one scale; the
shape of each distribution stays. Above the arrests as they are: the box of assaults is far from the others. Below
standardised.

Row: A3
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

arrests = sf.datasets.load("usarrests")
X = arrests.matrix()
Z = sf.StandardScaler().fit_transform(X)

assert np.allclose(Z.mean(axis=0), 0)
assert np.allclose((Z**2).mean(axis=0), 1)

figure, (above, below) = plt.subplots(2, 1, figsize=(5, 4.2), layout="constrained")
sf.plots.BoxDisplay.from_table(X, arrests.features, ax=above)
sf.plots.BoxDisplay.from_table(Z, arrests.features, ax=below)
above.set_title("as they are")
below.set_title("standardised")
