"""The cells of three centres

The centres of k-means carve the plane into convex cells: each cell holds the points to which its centre is the
nearest. Three clusters of the eruptions of Old Faithful split the long ones, which two clusters leave whole.

Row: B1
"""

import suffice as sf

faithful = sf.datasets.load("faithful")
X = sf.StandardScaler().fit_transform(faithful.matrix())
model = sf.KMeans(3, random_state=0).fit(X)
shown = sf.plots.ClusterDisplay.from_estimator(model, X, names=faithful.features)

assert sf.KMeans(2, n_init=10, random_state=0).fit(X).inertia_ > model.inertia_
assert (sf.distances.Euclidean().pairwise(X, model.cluster_centers_).argmin(axis=1) == model.labels_).all()
figure = shown.figure_
