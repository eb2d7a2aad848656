"""One display of each class, from the bundled tables; none is drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import plots
from ..data import datasets
from ..evaluation import Comparison, Evaluation, bootstrap, compare, evaluate, partial_dependence
from ..kernels import GaussianKernel
from ..models.bayes import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from ..models.cluster import KMeans
from ..models.hierarchy import AgglomerativeClustering
from ..models.kernel import GaussianProcessRegressor
from ..models.linear import Lasso, LinearRegression
from ..models.manifold import ClassicalMDS
from ..models.mixture import GaussianMixture
from ..models.neighbors import KNeighborsClassifier
from ..models.pictures.compression import rate_distortion
from ..models.projection import PCA
from ..models.select import ForwardSelection
from ..models.tree import DecisionTreeClassifier
from ..plots import Display
from ..report import associations, read_rows
from ..selection import search, select_k
from ..typing import Floats, Labels

EXAMPLES: dict[type[Display], Callable[[], Display]] = {}


def example(cls: type[Display]) -> Callable[[Callable[[], Display]], Callable[[], Display]]:
    """Register a function that makes a display of a class."""

    def register(make: Callable[[], Display]) -> Callable[[], Display]:
        EXAMPLES[cls] = make
        return make

    return register


def _iris() -> tuple[Floats, Labels, tuple[str, ...]]:
    table = datasets.load("iris")
    return table.matrix(), table["species"].astype(str), table.features


def _crabs(*names: str) -> Floats:
    return datasets.load("crabs").matrix(list(names) or None)


def _with_gaps() -> Floats:
    X = _crabs()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[140:, 1] = np.nan
    return X


def _evaluated() -> Evaluation:
    return evaluate(LinearDiscriminantAnalysis(), _crabs("FL", "RW"), datasets.load("crabs")["sp"], splits=5)


def _compared() -> Comparison:
    models = {
        "linear": LinearDiscriminantAnalysis(),
        "quadratic": QuadraticDiscriminantAnalysis(),
        "naive": GaussianNB(),
    }
    return compare(models, np.log(_crabs()), datasets.load("crabs")["sex"], measures="accuracy", splits=5, train=True)


@example(plots.HistogramDisplay)
def histogram() -> Display:
    X, species, names = _iris()
    return plots.HistogramDisplay.from_table(X, names, groups=species, ax=False)


@example(plots.BoxDisplay)
def box() -> Display:
    X, species, names = _iris()
    return plots.BoxDisplay.from_table(X, names, groups=species, ax=False)


@example(plots.PairsDisplay)
def pairs() -> Display:
    X, species, names = _iris()
    return plots.PairsDisplay.from_table(X, names, groups=species, ax=False)


@example(plots.ParallelDisplay)
def parallel() -> Display:
    X, species, names = _iris()
    return plots.ParallelDisplay.from_table(X, names, groups=species, ax=False)


@example(plots.MissingnessDisplay)
def missingness() -> Display:
    return plots.MissingnessDisplay.from_table(_with_gaps(), datasets.load("crabs").features, ax=False)


@example(plots.FrequencyDisplay)
def frequency() -> Display:
    return plots.FrequencyDisplay.from_column(datasets.load("iris")["species"], "species", ax=False)


@example(plots.AssociationDisplay)
def association() -> Display:
    return plots.AssociationDisplay.from_associations(associations(read_rows("crabs")), ax=False)


@example(plots.ScreeDisplay)
def scree() -> Display:
    model = PCA(scaling="correlation").fit(datasets.load("usarrests").matrix())
    return plots.ScreeDisplay.from_estimator(model, ax=False)


@example(plots.PathDisplay)
def path() -> Display:
    table = datasets.load("usarrests")
    X = table.matrix()
    return Lasso(n_alphas=20).path(X[:, 1:], X[:, 0]).plot(ax=False)


@example(plots.BandsDisplay)
def bands() -> Display:
    table = datasets.load("crabs")
    return ForwardSelection(patience=None).fit(table.matrix(), table["CW"]).path_.plot(ax=False)


@example(plots.HeatMapDisplay)
def heat_map() -> Display:
    X, species, _ = _iris()
    space = {"n_neighbors": [1, 5, 25, 75], "weights": ["uniform", "distance"]}
    return search(KNeighborsClassifier(), space, X, species, measures="accuracy").heat_map(ax=False)


@example(plots.PruningDisplay)
def pruning() -> Display:
    X, y = datasets.load("iris").matrix(), datasets.load("iris")["species"]
    return DecisionTreeClassifier().fit(X[::2], y[::2]).cost_complexity_path(X[1::2], y[1::2]).plot(ax=False)


@example(plots.BiplotDisplay)
def biplot() -> Display:
    table = datasets.load("usarrests")
    model = PCA(scaling="correlation").fit(table.matrix())
    return plots.BiplotDisplay.from_estimator(model, table.matrix(), names=table.features, ax=False)


@example(plots.GramDisplay)
def gram() -> Display:
    X, species, _ = _iris()
    return plots.GramDisplay.from_gram(GaussianKernel(0.5)(X), groups=species, most=30, ax=False)


@example(plots.EmbeddingDisplay)
def embedding() -> Display:
    X, species, _ = _iris()
    names = [f"flower {i + 1}" for i in range(len(X))]
    return plots.EmbeddingDisplay.from_estimator(ClassicalMDS(2).fit(X), groups=species, labels=names, ax=False)


@example(plots.ShepardDisplay)
def shepard() -> Display:
    cities = datasets.load("us_city_distances").matrix()
    return plots.ShepardDisplay.from_estimator(ClassicalMDS(1, metric="precomputed").fit(cities), ax=False)


@example(plots.LoadingsDisplay)
def loadings() -> Display:
    table = datasets.load("usarrests")
    return plots.LoadingsDisplay.from_estimator(PCA().fit(table.matrix()), names=table.features, ax=False)


@example(plots.ClusterDisplay)
def clusters() -> Display:
    X = datasets.load("faithful").matrix()
    return plots.ClusterDisplay.from_estimator(KMeans(3, random_state=0).fit(X), X, ax=False)


@example(plots.SilhouetteDisplay)
def silhouette() -> Display:
    X, _, _ = _iris()
    return plots.SilhouetteDisplay.from_estimator(KMeans(3, random_state=0).fit(X), X, ax=False)


@example(plots.CriteriaDisplay)
def criteria() -> Display:
    X, _, _ = _iris()
    found = select_k(KMeans(), X, range(1, 6), ["elbow", "silhouette", "gap"], references=3, random_state=0)
    shown: Display = found.plot(ax=False)
    return shown


@example(plots.DendrogramDisplay)
def dendrogram() -> Display:
    table = datasets.load("usarrests")
    return AgglomerativeClustering(4).fit(table.matrix()).dendrogram(table["state"].tolist(), ax=False)


@example(plots.DependenceDisplay)
def dependence() -> Display:
    X, y, _ = _iris()
    return partial_dependence(GaussianNB().fit(X, y), X, 2, grid=20).plot(ax=False)


@example(plots.TreeDisplay)
def tree() -> Display:
    table = datasets.load("iris")
    return DecisionTreeClassifier().fit(table.matrix(), table["species"]).plot(max_depth=3, ax=False)


@example(plots.MixtureDisplay)
def mixture() -> Display:
    X = datasets.load("faithful").matrix()
    return plots.MixtureDisplay.from_estimator(GaussianMixture(2, random_state=0).fit(X), X, ax=False)


@example(plots.DensityDisplay)
def density() -> Display:
    X = datasets.load("faithful").matrix()
    return plots.DensityDisplay.from_estimator(GaussianMixture(2, random_state=0).fit(X), X, column=1, ax=False)


@example(plots.SurfaceDisplay)
def surface() -> Display:
    X = datasets.load("faithful").matrix()
    return plots.SurfaceDisplay.from_estimator(GaussianMixture(2, random_state=0).fit(X), X, ax=False)


@example(plots.ReplicatesDisplay)
def replicates() -> Display:
    waiting = datasets.load("faithful").matrix()[:, 1]
    return plots.ReplicatesDisplay.from_bootstrap(bootstrap("mean", waiting, resamples=200), ax=False)


@example(plots.ConvergenceDisplay)
def convergence() -> Display:
    X = datasets.load("faithful").matrix()
    fits = {f"k = {k}": GaussianMixture(k, random_state=0).fit(X) for k in (2, 3)}
    return plots.ConvergenceDisplay.from_estimator(fits, gap=True, ax=False)


@example(plots.DecisionRegionsDisplay)
def regions() -> Display:
    X, species, names = _iris()
    model = QuadraticDiscriminantAnalysis().fit(X[:, 2:], species)
    return plots.DecisionRegionsDisplay.from_estimator(
        model, X[:, 2:], species, names=names[2:], resolution=60, ax=False
    )


@example(plots.ConfusionDisplay)
def confusion() -> Display:
    return plots.ConfusionDisplay.from_evaluation(_evaluated(), ax=False)


@example(plots.RocDisplay)
def roc() -> Display:
    return plots.RocDisplay.from_evaluation(_evaluated(), ax=False)


@example(plots.PrecisionRecallDisplay)
def precision_recall() -> Display:
    found = _evaluated().answers
    return plots.PrecisionRecallDisplay.from_predictions(found.truth, found.probability[:, 1], ax=False)


@example(plots.CalibrationDisplay)
def calibration() -> Display:
    return plots.CalibrationDisplay.from_evaluation(_evaluated(), bins=8, ax=False)


@example(plots.IntervalsDisplay)
def intervals() -> Display:
    return plots.IntervalsDisplay.from_comparison(_compared(), ax=False)


@example(plots.PredictionErrorDisplay)
def prediction_error() -> Display:
    X, y = _crabs("FL", "RW"), datasets.load("crabs")["CW"]
    return plots.PredictionErrorDisplay.from_estimator(LinearRegression().fit(X, y), X, y, name="CW", ax=False)


@example(plots.ResidualsDisplay)
def residuals() -> Display:
    X, y = _crabs("FL", "RW"), datasets.load("crabs")["CW"]
    return plots.ResidualsDisplay.from_estimator(LinearRegression().fit(X, y), X, y, name="CW", ax=False)


@example(plots.ProcessDisplay)
def process() -> Display:
    X = datasets.load("faithful").matrix()[:40]
    model = GaussianProcessRegressor(
        100.0 * GaussianKernel(bandwidth=1.0), alpha=30.0, normalize_y=False, optimizer=None
    )
    model.fit(X[:, :1], X[:, 1] - X[:, 1].mean())
    return plots.ProcessDisplay.from_estimator(
        model, X[:, :1], X[:, 1] - X[:, 1].mean(), names=("eruptions",), resolution=50, ax=False
    )


@example(plots.RateDistortionDisplay)
def rate() -> Display:
    image = np.random.default_rng(0).integers(0, 256, (16, 16), dtype=np.uint8)
    found: Display = rate_distortion(image, (2, 4, 8), (1, 2), random_state=0).plot(ax=False)
    return found
