"""Mixtures of Gaussians on three tables, with figures: Old Faithful, the crabs, and iris."""

from pathlib import Path

import numpy as np

import suffice as sf
from suffice.plots import MixtureDisplay

PICTURES = Path(__file__).parents[1] / "images"


def faithful():
    """The eruptions: a table of two columns, and a mixture of two Gaussians."""
    table = sf.datasets.load("faithful").to_frame()
    return table, sf.GaussianMixture(2, tol=1e-6, random_state=0).fit(table)


def how_many():
    """The number of components for the eruptions, by two criteria."""
    table = sf.datasets.load("faithful").matrix()
    model = sf.GaussianMixture(n_init=5, max_iter=1000)
    return sf.select_components(model, table, range(1, 7), ("bic", "cv"), random_state=0)


def crabs():
    """Three principal components of the logarithms, species and sex together, and four Gaussians with tied covariance.

    The components are scaled to variance 1, so that size does not decide the initialisation.
    """
    table = sf.datasets.load("crabs")
    groups = np.char.add(table["sp"].astype(str), table["sex"].astype(str))
    shape = sf.PCA(3, whiten=True).fit_transform(np.log(table.matrix()))
    model = sf.GaussianMixture(4, covariance_type="tied", n_init=20, tol=1e-6, max_iter=1000, random_state=0)
    return shape, groups, model.fit(shape)


def iris():
    """The flowers, their species, and a mixture of three Gaussians."""
    table = sf.datasets.load("iris")
    model = sf.GaussianMixture(3, n_init=10, tol=1e-6, max_iter=1000, random_state=0)
    rows = table.to_frame()[list(table.features)]
    return rows, table["species"], model.fit(rows)


def pictures():
    """Each figure by its name."""
    table, model = faithful()
    eruptions = MixtureDisplay.from_estimator(model, table)
    eruptions.ax_.set(xlabel="eruption in minutes", ylabel="waiting in minutes")
    yield "mixture_faithful", eruptions
    yield "mixture_faithful_k", how_many().plot()
    shape, _, model = crabs()
    shown = MixtureDisplay.from_estimator(model, shape, columns=(1, 2))
    shown.ax_.set(xlabel="second component", ylabel="third component")
    yield "mixture_crabs", shown
    rows, _, model = iris()
    flowers = MixtureDisplay.from_estimator(model, rows, columns=("petal_length", "petal_width"))
    flowers.ax_.set(xlabel="petal length in cm", ylabel="petal width in cm")
    yield "mixture_iris", flowers


def save(folder=PICTURES):
    """Draw all of them into a folder."""
    for name, shown in pictures():
        shown.figure_.savefig(Path(folder) / f"{name}.png", dpi=120)


if __name__ == "__main__":
    shape, groups, model = crabs()
    print("crabs", sf.align(model.predict(shape), groups), sep="\n")
    rows, species, model = iris()
    print("\niris", sf.align(model.predict(rows), species), sep="\n")
    save()
