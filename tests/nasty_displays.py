"""Displays of a table that has everything a table should not have."""

from types import SimpleNamespace

import numpy as np
from sklearn.datasets import make_blobs

import suffice as sf
from suffice.distributions import DiagonalGaussian, Mixture
from suffice.plots import (
    AssociationDisplay,
    BiplotDisplay,
    BoxDisplay,
    CalibrationDisplay,
    ClusterDisplay,
    ConfusionDisplay,
    ConvergenceDisplay,
    DecisionRegionsDisplay,
    DensityDisplay,
    FrequencyDisplay,
    GramDisplay,
    HistogramDisplay,
    IntervalsDisplay,
    LoadingsDisplay,
    MissingnessDisplay,
    MixtureDisplay,
    PairsDisplay,
    ParallelDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    ReplicatesDisplay,
    ResidualsDisplay,
    RocDisplay,
    ScreeDisplay,
    SilhouetteDisplay,
    SurfaceDisplay,
)


def nasty_table():
    """Long names, a formula, newline, constant, an empty and huge column, missing cells, infinity, and 20 classes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 7))
    X[:, 3], X[:, 4], X[:, 5] = 3.0, np.nan, 3e8 + 1e7 * X[:, 5]
    X[rng.random(X.shape) < 0.1] = np.nan
    X[5, 0] = np.inf
    names = [
        "a very long name of a column that nobody wants to read",
        "_under",
        "a $ and $",
        "x\ny",
        "",
        "huge",
        "x\ny",
    ]
    classes = np.array([f"class number {k} with a long name" for k in range(20)])[rng.integers(0, 20, 200)]
    return SimpleNamespace(X=X, names=names, classes=classes)


X20, K20 = make_blobs(400, 2, centers=20, random_state=0)
Y20 = np.array([f"class number {k} with a long name" for k in range(20)])[K20]


def of_a_table(cls):
    return lambda nasty, ax: cls.from_table(nasty.X, nasty.names, groups=nasty.classes, ax=ax)


def filled(nasty):
    return np.nan_to_num(nasty.X, posinf=0.0)


def pca(nasty):
    return sf.PCA(3, scaling="covariance").fit(filled(nasty))


def pairs_of(nasty):
    return PairsDisplay.from_table(nasty.X, nasty.names, most=7, ax=False).correlation


def intervals(nasty, ax):
    k = np.arange(20) / 20
    return IntervalsDisplay(np.unique(nasty.classes), k, k - 0.1, k + 0.1, "balanced_accuracy").drawn(ax)


def frame(nasty):
    """Columns with long names: one with missing cells, a constant, and one of huge numbers."""
    import pandas as pd

    X = np.where(np.isfinite(nasty.X), nasty.X, np.nan)[:, [0, 3, 5]]
    return pd.DataFrame(X, columns=[nasty.names[j] for j in (0, 3, 5)])


def mixture(nasty, k=1):
    return sf.GaussianMixture(k, random_state=0).fit(frame(nasty))


def density_of(column):
    return lambda nasty, ax: DensityDisplay.from_estimator(mixture(nasty), frame(nasty), column, ax=ax)


def tiny_weights():
    """Twelve narrow Gaussians, all but one with a weight of 1e-6."""
    parts = [DiagonalGaussian([float(k)] * 2, [1e-4] * 2) for k in range(12)]
    return Mixture.of([1e-6] * 11 + [1 - 11e-6], parts)


def bayes():
    return sf.GaussianNB().fit(X20, Y20)


MADE = {
    "box": of_a_table(BoxDisplay),
    "box of all": lambda nasty, ax: BoxDisplay.from_table(nasty.X, nasty.names, standardise=True, ax=ax),
    "histogram": of_a_table(HistogramDisplay),
    "histogram of all": lambda nasty, ax: HistogramDisplay.from_table(nasty.X, nasty.names, ax=ax),
    "pairs": of_a_table(PairsDisplay),
    "parallel": of_a_table(ParallelDisplay),
    "missingness": lambda nasty, ax: MissingnessDisplay.from_table(nasty.X, nasty.names, ax=ax),
    "scree": lambda nasty, ax: ScreeDisplay.from_estimator(pca(nasty), ax=ax),
    "path": lambda nasty, ax: sf.Lasso(n_alphas=5).path(frame(nasty).fillna(0.0), filled(nasty)[:, 1]).plot(ax),
    "biplot": lambda nasty, ax: BiplotDisplay.from_estimator(
        pca(nasty), filled(nasty), names=nasty.names, groups=nasty.classes, alpha=0.5, ax=ax
    ),
    "loadings": lambda nasty, ax: LoadingsDisplay.from_estimator(pca(nasty), names=nasty.names, ax=ax),
    "clusters": lambda nasty, ax: ClusterDisplay.from_estimator(
        sf.KMeans(20, random_state=0).fit(X20), X20, names=nasty.names[:2], ax=ax
    ),
    "clusters of gaps": lambda nasty, ax: ClusterDisplay.from_predictions(nasty.X[:, [0, 1, 5]], K20[:200] - 1, ax=ax),
    "soft clusters": lambda nasty, ax: ClusterDisplay.from_estimator(
        sf.SoftKMeans(20, beta=0.5, random_state=0, max_iter=1000).fit(X20), X20, names=nasty.names[:2], ax=ax
    ),
    "soft clusters of gaps": lambda nasty, ax: ClusterDisplay.from_estimator(mixture(nasty), frame(nasty), ax=ax),
    "density with gaps": density_of(0),
    "density of a constant": density_of(1),
    "density of huge numbers": density_of(2),
    "density of 12 components": lambda nasty, ax: DensityDisplay.from_estimator(tiny_weights(), X20, ax=ax),
    "probabilities": lambda nasty, ax: DensityDisplay.from_estimator(
        sf.MixtureModel(12, component="poisson", random_state=0, n_init=1, max_iter=20, tol=1.0).fit(
            K20[:, None] ** 3.0
        ),
        K20[:, None] ** 3.0,
        ax=ax,
    ),
    "replicates": lambda nasty, ax: ReplicatesDisplay.from_bootstrap(
        sf.bootstrap("mean", filled(nasty)[:, 5], resamples=50), name=nasty.names[0], ax=ax
    ),
    "replicates of a constant": lambda nasty, ax: ReplicatesDisplay.from_bootstrap(
        sf.bootstrap(np.mean, np.ones(5), resamples=9), ax=ax
    ),
    "replicates that are not defined": lambda nasty, ax: ReplicatesDisplay.from_bootstrap(
        sf.bootstrap(lambda w: np.nan, 5, resamples=9), ax=ax
    ),
    "surface": lambda nasty, ax: SurfaceDisplay.from_estimator(mixture(nasty), frame(nasty), (0, 2), ax=ax),
    "surface of a constant": lambda nasty, ax: SurfaceDisplay.from_estimator(
        mixture(nasty), frame(nasty), (1, 2), ax=ax
    ),
    "surface of 12 components": lambda nasty, ax: SurfaceDisplay.from_estimator(tiny_weights(), X20, ax=ax),
    "mixture with gaps": lambda nasty, ax: MixtureDisplay.from_estimator(mixture(nasty), frame(nasty), (0, 2), ax=ax),
    "silhouette": lambda nasty, ax: SilhouetteDisplay.from_predictions(X20, Y20, ax=ax),
    "convergence": lambda nasty, ax: ConvergenceDisplay.from_estimator(
        {name: sf.KMeans(3, random_state=0).fit(X20) for name in nasty.names}, ax=ax
    ),
    "regions": lambda nasty, ax: DecisionRegionsDisplay.from_estimator(
        bayes(), X20, Y20, names=nasty.names[:2], resolution=40, ax=ax
    ),
    "confusion": lambda nasty, ax: ConfusionDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "roc": lambda nasty, ax: RocDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "precision and recall": lambda nasty, ax: PrecisionRecallDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "calibration": lambda nasty, ax: CalibrationDisplay.from_estimator(bayes(), X20, Y20, ax=ax),
    "intervals": intervals,
    "frequency": lambda nasty, ax: FrequencyDisplay.from_column(nasty.classes, nasty.names[0], ax=ax),
    "association": lambda nasty, ax: AssociationDisplay(nasty.names, np.abs(pairs_of(nasty)), "a note").drawn(ax),
    "gram": lambda nasty, ax: GramDisplay.from_gram(X20 @ X20.T, groups=Y20, ax=ax),
    "prediction error": lambda nasty, ax: PredictionErrorDisplay.from_predictions(
        filled(nasty)[:, 5], filled(nasty)[:, 5] * 1.1, name=nasty.names[0], ax=ax
    ),
    "residuals": lambda nasty, ax: ResidualsDisplay.from_predictions(
        filled(nasty)[:, 5], filled(nasty)[:, 5] * 1.1, name=nasty.names[0], ax=ax
    ),
}
