"""k-means on the crabs: what it finds before and after whitening."""

import numpy as np

import suffice as sf


def crabs():
    """The logarithms of the five lengths, (200, 5), the species, the sex, and both together."""
    table = sf.datasets.load("crabs")
    species, sex = table["sp"].astype(str), table["sex"].astype(str)
    return np.log(table.matrix()), species, sex, np.char.add(species, sex)


def found(X, k, starts=300):
    """The best of many random initialisations; whitened rows have many local optima."""
    return sf.KMeans(k, n_init=starts, random_state=0).fit(X)


def correlation(a, b):
    """The absolute correlation of two columns; a mark of two groups is a column of 0 and 1."""
    return abs(np.corrcoef(a, b)[0, 1])


def local_optima(X, classes, starts=200):
    """For single initialisations: the final objective and the accuracy against some classes, best objective first."""
    ends = {}
    for seed in range(starts):
        model = sf.KMeans(2, n_init=1, tol=0, random_state=seed).fit(X)
        accuracies = [sf.align(model.labels_, each).accuracy for each in classes]
        ends.setdefault(round(model.inertia_, 1), accuracies)
    return sorted((inertia, *accuracies) for inertia, accuracies in ends.items())


def rows():
    """What was clustered, into how many, the correlation with size, and the accuracy for as many classes."""
    X, species, sex, both = crabs()
    size = sf.PCA(1).fit_transform(X)[:, 0]
    white = sf.Whiten().fit_transform(X)
    for name, data, k in (("logarithms", X, 2), ("whitened", white, 2), ("logarithms", X, 4), ("whitened", white, 4)):
        labels = found(data, k).labels_
        with_size = correlation(labels, size) if k == 2 else np.nan
        classes = ((species, 2), (sex, 2), (both, 4))
        yield name, k, with_size, *(sf.align(labels, each).accuracy if m == k else np.nan for each, m in classes)


if __name__ == "__main__":
    print("rows        k  size  species   sex  both")
    for name, k, size, *accuracy in rows():
        size, species, sex, both = ("" if np.isnan(each) else f"{each:.3f}" for each in (size, *accuracy))
        print(f"{name:<10}  {k} {size:>5} {species:>8} {sex:>5} {both:>5}".rstrip())
    X, species, sex, _ = crabs()
    print("\nwhitened, single initialisations: the best local optima\nobjective  species   sex")
    for inertia, *accuracy in local_optima(sf.Whiten().fit_transform(X), (species, sex))[:4]:
        print(f"{inertia:9.1f}    {accuracy[0]:.3f} {accuracy[1]:.3f}")
