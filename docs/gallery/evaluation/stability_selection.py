"""How often halves of the rows choose a column

Three of 40 columns make up the target, the last of them only a little. Each column is chosen or not in 100 halves of
the rows; those above the dashed threshold stay, among which no more than one without effect is expected.

Row: K6
"""

import numpy as np

import suffice as sf

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 40))
y = 2 * X[:, 3] - X[:, 7] + 0.5 * X[:, 11] + rng.normal(size=150)
model = sf.StabilitySelection(random_state=0).fit(X, y)

assert set(model.get_support(indices=True)) <= {3, 7, 11}
assert model.frequencies_[[3, 7]].min() > 0.95
assert model.bound_ <= 1
figure = model.plot(most=12).figure_
