"""Dendrograms of three clusters

100 rows of xclara, a table of three round clusters. Complete and average linkage show three branches below a high
last merge. Single linkage chains: it joins the clusters one stray row at a time, and its tree shows no three
branches.

Row: B14
"""

from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("xclara").matrix()[::30]
figure, panels = plt.subplots(3, 1, figsize=(7, 6.6), layout="constrained")
sizes = {}
for ax, linkage in zip(panels, ("single", "complete", "average"), strict=True):
    tree = sf.AgglomerativeClustering(1, linkage=linkage).fit(X).tree_
    labels = tree.cut(k=3)
    sizes[linkage] = sorted(int((labels == k).sum()) for k in range(3))
    tree.dendrogram([""] * len(X), k=3, most=100, ax=ax)
    ax.set_title(f"{linkage} linkage: clusters of {', '.join(map(str, sizes[linkage]))} rows")

assert sizes["single"][0] == 1
assert min(sizes["complete"][0], sizes["average"][0]) > 25
