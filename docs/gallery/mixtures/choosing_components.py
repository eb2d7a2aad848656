"""How many components: BIC and cross-validation

More components always fit the rows they were learned from better. BIC counts their parameters, and cross-validation
asks rows that were held out; for Old Faithful both prefer few.

Row: C4
"""

import suffice as sf

X = sf.datasets.load("faithful").matrix()
found = sf.select_components(sf.GaussianMixture(n_init=3, max_iter=1000), X, range(1, 6), ("bic", "cv"), random_state=0)

assert found.best["bic"] == 2
figure = found.plot().figure_
