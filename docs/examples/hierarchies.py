"""The dendrograms of the page on hierarchies: ten cities, and 45 rows in three groups."""

from pathlib import Path

import numpy as np

import suffice as sf

IMAGES = Path(__file__).parents[1] / "images"


def cities():
    """The names of ten cities and the miles between them."""
    table = sf.datasets.load("us_city_distances")
    return table["city"].astype(str), table.matrix()


def forty_five():
    """45 rows in the plane, fifteen from each of three groups, and their groups."""
    groups = np.repeat([0, 1, 2], 15)
    centres = np.array([[0.0, 0.0], [4.2, 1.5], [-2.0, 6.5]])
    return 0.9 * np.random.default_rng(0).normal(size=(45, 2)) + centres[groups], groups


def draw_cities(linkage="average"):
    """The cities by average linkage, in an order that keeps neighbours together."""
    names, D = cities()
    model = sf.AgglomerativeClustering(3, linkage=linkage, metric="precomputed").fit(D)
    tree = model.tree_.ordered(D[np.triu_indices(len(D), 1)])
    return tree.dendrogram(names, k=3, orientation="left")


def draw_forty_five():
    """One tree of 45 rows, not cut, cut at height 9 and cut at height 5."""
    import matplotlib.pyplot as plt

    X, _ = forty_five()
    tree = sf.AgglomerativeClustering(1, linkage="complete").fit(X).tree_
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained", sharey=True)
    for ax, height in zip(axes, (None, 9.0, 5.0), strict=True):
        tree.dendrogram([""] * 45, height=height, ax=ax)
        ax.set_title("not cut" if height is None else f"cut at {height:g}", fontsize=9, loc="left")
        ax.set_ylabel("height" if height is None else "")
    return figure


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw_cities().figure_.savefig(IMAGES / "us_cities.png", dpi=160)
    draw_forty_five().savefig(IMAGES / "forty_five.png", dpi=160)
