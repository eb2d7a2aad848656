"""How many clusters: several criteria

The cost of k-means always falls with K, also for rows that were held out; its elbow, the silhouette and the gap do
not. On xclara, three clusters of a thousand rows, they all say three. One call asks them, and the plot marks what
each prefers.

Row: B11
"""

import suffice as sf

X = sf.datasets.load("xclara").matrix()[::6]
found = sf.select_k(sf.KMeans(n_init=3), X, range(1, 8), ["elbow", "silhouette", "gap"], random_state=0)

assert found.best == {"elbow": 3, "silhouette": 3, "gap": 3}
figure = found.plot().figure_
