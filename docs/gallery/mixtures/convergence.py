"""EM climbs

The mean log-likelihood of mixtures of two, three and four Gaussians over the iterations: it never falls. It rises
fast at first and then for long by little, which `tol` decides about.

Row: C1
"""

import numpy as np

import suffice as sf

X = sf.datasets.load("faithful").matrix()
fits = {f"k = {k}": sf.GaussianMixture(k, random_state=0).fit(X) for k in (2, 3, 4)}

assert all((np.diff(fit.history_.objective) >= 0).all() for fit in fits.values())
figure = sf.plots.ConvergenceDisplay.from_estimator(fits).figure_
