"""The figures of the page on plots: one function each, all from the bundled tables."""

from pathlib import Path

import numpy as np

import suffice as sf
from suffice.evaluation import compare, evaluate
from suffice.report import associations, read_rows

IMAGES = Path(__file__).parents[1] / "images" / "plots"

iris, crabs = sf.datasets.load("iris"), sf.datasets.load("crabs")
arrests, faithful = sf.datasets.load("usarrests"), sf.datasets.load("faithful")
species = iris["species"].astype(str)
sizes, sex = np.log(crabs.matrix()), crabs["sex"].astype(str)


def box():
    return sf.plots.BoxDisplay.from_table(iris.matrix(), iris.features, groups=species)


def histogram():
    return sf.plots.HistogramDisplay.from_table(iris.matrix(), iris.features, groups=species)


def pairs():
    return sf.plots.PairsDisplay.from_table(iris.matrix(), iris.features, groups=species)


def parallel():
    return sf.plots.ParallelDisplay.from_table(iris.matrix(), iris.features, groups=species)


def with_missing():
    """The crabs, with a tenth of the values missing, and all of one column in the last third."""
    X = crabs.matrix()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[140:, 1] = np.nan
    return X


def missingness():
    return sf.plots.MissingnessDisplay.from_table(with_missing(), crabs.features)


def frequency():
    return sf.plots.FrequencyDisplay.from_column(iris["species"], "species")


def association():
    return sf.plots.AssociationDisplay.from_associations(associations(read_rows("crabs")))


def prediction_error():
    X, y = crabs.matrix(["FL", "RW"]), crabs["CW"]
    found = evaluate(sf.LinearRegression(), X, y, splits=5)
    return sf.plots.PredictionErrorDisplay.from_evaluation(found, name="CW")


def scree():
    return sf.plots.ScreeDisplay.from_estimator(sf.PCA(scaling="correlation").fit(arrests.matrix()))


def biplot():
    model = sf.PCA(scaling="correlation").fit(arrests.matrix())
    names = {"names": arrests.features, "labels": arrests["state"]}
    return sf.plots.BiplotDisplay.from_estimator(model, arrests.matrix(), **names)


def loadings():
    model = sf.PCA(scaling="correlation").fit(arrests.matrix())
    return sf.plots.LoadingsDisplay.from_estimator(model, names=arrests.features)


def clusters():
    X = sf.StandardScaler().fit_transform(faithful.matrix())
    return sf.plots.ClusterDisplay.from_estimator(sf.KMeans(3, random_state=0).fit(X), X, names=faithful.features)


def silhouette():
    return sf.plots.SilhouetteDisplay.from_estimator(sf.KMeans(3, random_state=0).fit(iris.matrix()), iris.matrix())


def criteria():
    return sf.select_k(sf.KMeans(), iris.matrix(), range(1, 8), ["elbow", "silhouette", "gap"], random_state=0).plot()


def mixture():
    table = faithful.to_frame()[list(faithful.features)]
    return sf.plots.MixtureDisplay.from_estimator(sf.GaussianMixture(2, random_state=0).fit(table), table)


def convergence():
    fits = {f"k = {k}": sf.GaussianMixture(k, random_state=0).fit(faithful.matrix()) for k in (2, 3, 4)}
    return sf.plots.ConvergenceDisplay.from_estimator(fits)


def regions():
    X = iris.matrix(["petal_length", "petal_width"])
    model = sf.QuadraticDiscriminantAnalysis().fit(X, species)
    return sf.plots.DecisionRegionsDisplay.from_estimator(model, X, species, names=("petal length", "petal width"))


def evaluation():
    """The species of crabs by two of their lengths, in five folds."""
    return evaluate(sf.LinearDiscriminantAnalysis(), crabs.matrix(["FL", "RW"]), crabs["sp"], splits=5)


def confusion():
    return sf.plots.ConfusionDisplay.from_evaluation(evaluation())


def roc():
    return sf.plots.RocDisplay.from_evaluation(evaluation())


def precision_recall():
    return sf.plots.PrecisionRecallDisplay.from_evaluation(evaluation())


def calibration():
    return sf.plots.CalibrationDisplay.from_evaluation(evaluation(), bins=8)


def intervals():
    models = {
        "linear": sf.LinearDiscriminantAnalysis(),
        "quadratic": sf.QuadraticDiscriminantAnalysis(),
        "naive": sf.GaussianNB(),
    }
    return sf.plots.IntervalsDisplay.from_comparison(compare(models, sizes, sex, measures="accuracy"))


GALLERY = (
    box, histogram, pairs, parallel, missingness, frequency, association, scree, biplot, loadings, clusters, silhouette,
    criteria, mixture, convergence, regions, confusion, roc, precision_recall, calibration, intervals, prediction_error,
)  # fmt: skip


if __name__ == "__main__":
    IMAGES.mkdir(parents=True, exist_ok=True)
    for draw in GALLERY:
        draw().figure_.savefig(IMAGES / f"{draw.__name__}.png", dpi=110)
