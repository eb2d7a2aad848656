"""Three Gaussians as a surface

The density of a mixture of three Gaussians over two columns, with its contours below. The height of a mountain is not
the weight of its component: a narrow one is high.

Row: C1
"""

import numpy as np
from scipy.stats import multivariate_normal

import suffice as sf

rng = np.random.default_rng(4)
shapes = [((0, 0), [[1.0, 0.6], [0.6, 1.0]]), ((5, 1), [[1.5, -0.8], [-0.8, 1.0]]), ((2, 5), [[0.6, 0], [0, 0.6]])]
X = np.vstack([rng.multivariate_normal(mean, covariance, 200) for mean, covariance in shapes])
model = sf.GaussianMixture(3, random_state=0).fit(X)
shown = sf.plots.SurfaceDisplay.from_estimator(model, X)
figure = shown.figure_

assert np.abs(model.weights_ - 1 / 3).max() < 0.02
true = sum(multivariate_normal(mean, covariance).pdf(np.stack(np.meshgrid(shown.x, shown.y), axis=-1)) / 3
           for mean, covariance in shapes)  # fmt: skip
assert np.abs(shown.density - true).max() < 0.15 * true.max()
