"""Small objects of every form that a model file may have, each with what it is asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import suffice as sf
from suffice import contracts
from suffice.contracts.model_files import Ask, ask_estimator
from suffice.contracts.results import fresh
from suffice.distances import Mahalanobis, Minkowski
from suffice.distributions import (
    Bernoulli,
    Categorical,
    Dirichlet,
    DirichletMultinomial,
    Laplace,
    Lomax,
    Poisson,
    SphericalGaussian,
    StudentT,
    VonMises,
)
from suffice.holds.checking import undeclared
from suffice.indices import LSH
from suffice.losses import PowerLoss
from suffice.models.cluster.initialisation import FarthestPoint, KMeansPlusPlus
from suffice.models.neighbors.ties import RandomDecides
from suffice.penalties import L1, L2
from suffice.solvers import DualCoordinateDescent, GradientDescent
from suffice.solvers.rates import InverseScaling
from suffice.solvers.steps import Nesterov

Form = tuple[Any, Ask]
_RNG = np.random.default_rng(5)
X = _RNG.normal(size=(40, 3)) + np.repeat([[0.0, 0, 0], [4, 1, 2]], 20, axis=0)
GAPS = np.where((_RNG.random(X.shape) < 0.2) & [True, False, False], np.nan, X)
COUNTS = _RNG.poisson(3.0, (40, 3)).astype(float)
CLASSES = np.repeat(["ant", "bee"], 20)
THREE = np.repeat(["ant", "bee", "cat", "bee"], 10)
CODES = _RNG.integers(0, 3, (40, 2)).astype(float)
WEIGHT = _RNG.integers(1, 4, 40).astype(float)
TARGETS = np.column_stack([X.sum(axis=1), X[:, 0]])
WORDS = sparse.random(40, 9, density=0.4, format="csr", random_state=_RNG)
MIXED = pd.DataFrame({"town": _RNG.choice(["Bath", "York", "Ely"], 40), "age": X[:, 0], "pets": CODES[:, 0]})
ORDERED = MIXED.assign(town=pd.Categorical(MIXED["town"], ["Ely", "York", "Bath"], ordered=True))
PICTURE = np.add.outer(np.arange(0, 48, 4), np.arange(0, 48, 4)).astype(np.uint8)


def fitted(model: Any, rows: Any, y: Any = None, **more: Any) -> Callable[[], Form]:
    """A model fitted to rows, which is then asked of some of them."""

    def make() -> Form:
        ask = partial(ask_estimator, X=rows[:6], y=None if y is None else y[:6])
        return model.fit(rows, y, **more), ask

    return make


def _quantizer() -> Form:
    def ask(model: Any) -> None:
        model.decode(model.encode(PICTURE))
        model.bits(with_codebook=True)

    return sf.VectorQuantizer(5, block=(2, 3), random_state=0).fit(PICTURE), ask


def _words() -> Form:
    return sf.VisualWords(3, patch=3, random_state=0).fit([PICTURE]), lambda model: model.transform([PICTURE])


def _changed_neighbors() -> Form:
    model = sf.KNeighborsClassifier(2, algorithm="kd_tree").fit(X, CLASSES)
    model.partial_fit(X[:5] + 1, CLASSES[:5]).remove(rows=[3, 4])
    return model, partial(ask_estimator, X=X[:6], y=CLASSES[:6])


def _tree() -> Form:
    def ask(model: Any) -> None:
        ask_estimator(model, X[:6], None)
        model.cut(3), model.cut(height=1.0), model.tree_.newick(), model.tree_.cophenetic(), model.tree_.leaf_order()

    return sf.AgglomerativeClustering(3, linkage="complete", metric=Mahalanobis()).fit(X), ask


def _split_tree() -> Form:
    def ask(model: Any) -> None:
        ask_estimator(model, X[:6], None)
        model.tree_.hierarchy().cut(2)

    return sf.BisectingKMeans(4, random_state=0).fit(X), ask


def _batches() -> Form:
    model = sf.MiniBatchKMeans(2, random_state=0).partial_fit(X).partial_fit(X + 0.1)
    return model, partial(ask_estimator, X=X[:6], y=None)


D = np.abs(X[:, :1] - X[:, 0])  # distances of all pairs

FORMS: dict[str, Callable[[], Form]] = {
    "kmeans": fitted(sf.KMeans(3, init=KMeansPlusPlus(candidates=2), random_state=0), X),
    "kmeans_gaps": fitted(sf.KMeans(2, init=FarthestPoint(), random_state=np.random.default_rng(3)), GAPS),
    "kmeans_mahalanobis": fitted(sf.KMeans(2, metric="mahalanobis", random_state=0), X),
    "soft_kmeans_cosine": fitted(sf.SoftKMeans(2, metric="cosine", init=X[:2].copy()), X),
    "minibatch_kmeans": _batches,
    "bisecting_kmeans": _split_tree,
    "split_in_three": fitted(sf.BisectingKMeans(6, n_children=3, random_state=0), X),
    "cluster_features": fitted(
        sf.ClusterFeatures(sf.GaussianMixture(2, random_state=0), encode="responsibilities"), X),
    "per_cluster": fitted(sf.PerCluster(sf.KMeans(2, random_state=0), sf.Ridge()), X, TARGETS[:, 0]),
    "per_cluster_classes": fitted(sf.PerCluster(sf.KMeans(2, init=X[:2].copy()), sf.GaussianNB()), X, CLASSES[::-1]),
    "one_vs_rest": fitted(sf.OneVsRestClassifier(sf.LinearDiscriminantAnalysis(), normalize=True), X, THREE),
    "one_vs_one": fitted(sf.OneVsOneClassifier(sf.GaussianNB(), decision="coupling"), GAPS, THREE),
    "output_code": fitted(sf.OutputCodeClassifier(sf.KNeighborsClassifier(2), decoding="probability", random_state=0),
                          X, THREE),
    "bagging": fitted(sf.BaggingClassifier(sf.GaussianNB(), 3, max_features=2, random_state=0), GAPS, THREE),
    "bagging_numbers": fitted(
        sf.BaggingRegressor(sf.Ridge(), 3, bootstrap_features=True, oob_score=True, random_state=0), X, TARGETS),
    "adaboost": fitted(sf.AdaBoostClassifier(sf.GaussianNB(), n_estimators=3, by="sampling", random_state=0), X, THREE),
    "adaboost_numbers": fitted(sf.AdaBoostRegressor(n_estimators=3, loss="square"), GAPS, TARGETS[:, 0]),
    "kmedoids_ordinal": fitted(sf.KMedoids(2, metric="gower", method="alternate"), ORDERED),
    "kmedoids_seuclidean": fitted(sf.KMedoids(2, metric="seuclidean"), X),
    "kmedoids_precomputed": fitted(sf.KMedoids(2, metric="precomputed"), D),
    "kmodes_text": fitted(sf.KModes(2, random_state=0), MIXED),
    "kprototypes_text": fitted(sf.KPrototypes(2, categorical=["pets"], random_state=0), MIXED),
    "kernel_kmeans_precomputed": fitted(sf.KernelKMeans(2, kernel="precomputed", random_state=0), X @ X.T),
    "kernel_kmeans_polynomial": fitted(sf.KernelKMeans(2, kernel="polynomial", random_state=0), X),
    "affinity_precomputed": fitted(sf.AffinityPropagation(affinity="precomputed", random_state=0), -(D**2)),
    "agglomerative": _tree,
    "agglomerative_gower": fitted(sf.AgglomerativeClustering(2, linkage="average", metric="gower"), GAPS),
    "agglomerative_precomputed": fitted(sf.AgglomerativeClustering(2, linkage="single", metric="precomputed"), D),
    "vector_quantizer": _quantizer,
    "visual_words": _words,
    "mixture_tied": fitted(sf.GaussianMixture(2, covariance_type="tied", random_state=0), GAPS),
    "mixture_diag": fitted(sf.GaussianMixture(2, covariance_type="diag", random_state=0), X),
    "mixture_spherical": fitted(sf.GaussianMixture(2, covariance_type="spherical", random_state=0), X),
    "mixture_labelled": fitted(sf.GaussianMixture(2, unlabelled="bee", random_state=0), X, CLASSES),
    "mixture_poisson": fitted(sf.MixtureModel(2, component=Poisson(), random_state=0), COUNTS),
    "mixture_student": fitted(sf.MixtureModel(2, component=StudentT(), random_state=0, max_iter=5), X),
    "mixture_lomax": fitted(sf.MixtureModel(2, component=Lomax(), random_state=0, max_iter=3), COUNTS),
    "mixture_overdispersed": fitted(
        sf.MixtureModel(2, component=DirichletMultinomial(), random_state=0, max_iter=3), COUNTS),
    "mixture_angles": fitted(sf.MixtureModel(1, component=VonMises(), max_iter=3), np.clip(X / 3, -3, 3)),
    "mixture_mixed": fitted(
        sf.MixtureModel(2, component=[Laplace(floor=0.1), Poisson(), Poisson()], random_state=0, max_iter=5), COUNTS),
    "mixture_text": fitted(sf.MixtureModel(2, random_state=0), MIXED),
    "mixture_known": fitted(sf.MixtureModel(2, component=SphericalGaussian(variance=1.0), random_state=0), X),
    "mixture_shared": fitted(
        sf.MixtureModel(3, component="diagonal_gaussian", tied=[0, 0, 1], fixed_weights="equal", random_state=0), X),
    "mixture_emptied": fitted(
        sf.GaussianMixture(4, weight_concentration_prior="figueiredo_jain", random_state=0, max_iter=20), X),
    "mixture_of_ppca": fitted(sf.MixtureOfPPCA(2, rank=2, random_state=0), X),
    "mixture_of_factor_analysers": fitted(sf.MixtureOfFactorAnalysers(2, random_state=0, max_iter=5), X),
    "ppca": fitted(sf.PPCA(2), X),
    "factor_analysis": fitted(sf.FactorAnalysis(2, rotation="varimax"), X),
    "mixture_imputer": fitted(sf.MixtureImputer(2, random_state=0), GAPS),
    "density_anomaly": fitted(sf.DensityAnomaly(Poisson()), COUNTS),
    "density_anomaly_labelled": fitted(sf.DensityAnomaly(sf.PPCA(1), anomaly="bee"), X, CLASSES),
    "density_of_classes": fitted(sf.DensityAnomaly(sf.GaussianNB()), X, CLASSES),
    "density_and_classifier": fitted(sf.DensityAndClassifier(unknown="?"), X, CLASSES),
    "density_bayes": fitted(sf.DensityBayes({"ant": "gaussian", "bee": StudentT()}, max_iter=5), X, CLASSES),
    "density_bayes_shared": fitted(sf.DensityBayes(shared=True, priors=Dirichlet(1.0)), X, CLASSES),
    "bins": fitted(sf.KBinsDiscretizer([2, 3, 4]), GAPS),
    "bins_by_entropy": fitted(sf.KBinsDiscretizer(strategy="entropy", encode="ordinal"), X, CLASSES),
    "polynomial": fitted(sf.PolynomialFeatures((1, 3), columns=[0, 2]), GAPS),
    "fourier": fitted(sf.FourierFeatures([1.0, 2.5], period=[1.0, 2.0, 3.0]), GAPS),
    "sigmoids": fitted(sf.SigmoidFeatures(3, columns=[1]), GAPS),
    "bumps": fitted(sf.RBFFeatures(4, centers="k-means", random_state=0), X),
    "splines": fitted(sf.SplineTransformer(4, knots="quantile", extrapolation="periodic"), GAPS),
    "splines_natural": fitted(sf.SplineTransformer(natural=True, include_bias=False, columns=[2, 0]), X),
    "one_hot": fitted(sf.OneHotEncoder(min_frequency=2, handle_unknown="own_column"), CODES),
    "one_hot_text": fitted(sf.OneHotEncoder(columns="categorical", drop="first", sparse_output=True), MIXED),
    "one_hot_levels": fitted(sf.OneHotEncoder(columns="categorical", handle_unknown="ignore"), ORDERED),
    "simple_imputer": fitted(sf.SimpleImputer(strategy="median", add_indicator=True), GAPS),
    "missing_indicator": fitted(sf.MissingIndicator(features="all"), GAPS),
    "function": fitted(sf.FunctionTransformer("arcsinh", columns=[1]), GAPS),
    "power": fitted(sf.PowerTransformer(columns=[0, 2]), GAPS),
    "box_cox": fitted(sf.PowerTransformer("box-cox", standardize=False), COUNTS + 1),
    "quantiles": fitted(sf.QuantileTransformer(n_quantiles=7, output_distribution="normal"), GAPS),
    "outliers": fitted(sf.OutlierClipper("mad", action="missing", add_indicator=True, columns=[1, 2]), GAPS),
    "naive_bayes_text": fitted(sf.NaiveBayes({"pets": "poisson"}), MIXED, CLASSES),
    "naive_bayes_joint": fitted(sf.NaiveBayes({(0, 2): sf.distributions.Gaussian(), 1: Bernoulli()}),
                                np.column_stack([X[:, 0], X[:, 1] > 0, X[:, 2]]), CLASSES),
    "categorical_nb": fitted(sf.CategoricalNB(alpha=[0.5, 2.0]), CODES, CLASSES),
    "bernoulli_nb_sharp": fitted(sf.BernoulliNB(alpha=0.0), COUNTS > 3, CLASSES),
    "multinomial_nb_sparse": fitted(sf.MultinomialNB(), WORDS, CLASSES),
    "mixture_bayes": fitted(sf.MixtureBayes({"ant": 1, "bee": 2}, random_state=0), X, CLASSES),
    "gaussian_bayes_spherical": fitted(sf.GaussianBayes("spherical"), GAPS, CLASSES),
    "gaussian_bayes_gaps": fitted(sf.GaussianBayes("full"), GAPS, CLASSES),
    "linear_discriminant_auto": fitted(sf.LinearDiscriminantAnalysis(shrinkage="auto"), X, CLASSES),
    "quadratic_discriminant": fitted(sf.QuadraticDiscriminantAnalysis(reg_param=0.1, priors=[0.3, 0.7]), X, CLASSES),
    "logistic": fitted(sf.LogisticRegression(class_weight="balanced"), X, CLASSES, sample_weight=WEIGHT),
    "logistic_codes": fitted(sf.LogisticRegression(C=0.5), X, CODES[:, 0]),
    "logistic_chosen": fitted(sf.LogisticRegression(C="cv", folds=2, n_alphas=4), X, CODES[:, 0]),
    "poisson_chosen": fitted(sf.PoissonRegressor(alpha="cv", folds=2, n_alphas=4), X, CODES[:, 0]),
    "poisson_offset": fitted(sf.PoissonRegressor(alpha=0.1, offset=2), X, COUNTS[:, 0]),
    "gamma_regressor": fitted(sf.GammaRegressor(alpha=0.5), X, COUNTS[:, 0] + 1.0),
    "tweedie_regressor": fitted(sf.TweedieRegressor(power=1.5), X, COUNTS[:, 0], sample_weight=WEIGHT),
    "glm": fitted(sf.GeneralizedLinearRegressor("gamma", link="sqrt", penalty=L2(0.1)), X, COUNTS[:, 0] + 1.0),
    "elastic_net": fitted(sf.ElasticNet(0.01, l1_ratio=0.3, positive=True, solver="coordinate"), X, TARGETS[:, 0]),
    "lasso_targets": fitted(sf.Lasso(alpha=0.1, fit_intercept=False), X, TARGETS),
    "lasso_chosen": fitted(sf.Lasso("cv", folds=2, n_alphas=4), X, TARGETS[:, 0]),
    "ridge_chosen": fitted(sf.Ridge("cv", folds=2, n_alphas=4), X, TARGETS[:, 0]),
    "ridge_targets": fitted(sf.Ridge(alpha=[1.0, 2.0], solver="qr"), X, TARGETS),
    "linear_classes": fitted(sf.LinearModelClassifier("hinge", penalty=L2(0.1), class_weight="balanced"), X, CLASSES),
    "linear_model": fitted(sf.LinearModel(PowerLoss(1.5), penalty=L1(0.1, (1.0, 2.0, 0.5))), X, TARGETS[:, 0]),
    "quantile_regressor": fitted(sf.QuantileRegressor(quantile=0.8, alpha=0.0), X, TARGETS[:, 0]),
    "huber_regressor": fitted(sf.HuberRegressor(epsilon=1.2), X, TARGETS[:, 0], sample_weight=WEIGHT),
    "student_t_regressor": fitted(sf.StudentTRegressor(df=None), X, TARGETS[:, 0]),
    "bayesian_ridge": fitted(sf.BayesianRidge(lambda_init=0.5), X, TARGETS[:, 0], sample_weight=WEIGHT),
    "lp_regressor": fitted(sf.LpRegressor(3), X, TARGETS[:, 0]),
    "linear_regression": fitted(sf.LinearRegression(fit_intercept=False), X, TARGETS[:, 0], sample_weight=WEIGHT),
    "sgd_classifier": fitted(
        sf.SGDClassifier("log_loss", average=True, learning_rate="adaptive", random_state=0), X, CLASSES,
        sample_weight=WEIGHT),
    "sgd_classes_l1": fitted(sf.SGDClassifier(penalty="l1", random_state=0, max_iter=5, tol=None), X, CODES[:, 0]),
    "sgd_regressor": fitted(
        sf.SGDRegressor("huber", learning_rate=InverseScaling(0.1, 0.6), random_state=0), X, X[:, 1]),
    "perceptron": fitted(sf.Perceptron(), X, X[:, 0] > 2),
    "linear_svc": fitted(sf.LinearSVC(C=0.5), X, CODES[:, 1]),
    "linear_svc_hinge": fitted(sf.LinearSVC(loss="hinge", solver=DualCoordinateDescent(seed=3)), X, CLASSES),
    "linear_svr": fitted(sf.LinearSVR(epsilon=0.2, C=0.1), X, TARGETS[:, 0]),
    "linear_svr_descent": fitted(
        sf.LinearSVR(loss="squared_epsilon_insensitive", solver=GradientDescent(Nesterov(1e-3)), tol=1e-3), X, X[:, 1]),
    "svc": fitted(sf.SVC(probability=True, random_state=0), X, X[:, 0] > 2),
    "svc_polynomial": fitted(sf.SVC(kernel="poly", C=0.5), X, CLASSES, sample_weight=WEIGHT),
    "svc_sparse": fitted(sf.SVC(kernel="linear"), WORDS, CLASSES),
    "nu_svr": fitted(sf.NuSVR(nu=0.4), X, TARGETS[:, 0]),
    "svr_precomputed": fitted(sf.SVR(kernel="precomputed"), X @ X.T, TARGETS[:, 0]),
    "one_class_svm": fitted(sf.OneClassSVM(nu=0.3), X),
    "boosted_classes": fitted(sf.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=1), X, CLASSES),
    "boosted_numbers": fitted(
        sf.HistGradientBoostingRegressor("quantile", quantile=0.3, max_iter=2, min_samples_leaf=2), X, TARGETS[:, 0],
        sample_weight=WEIGHT),
    "pca_correlation": fitted(sf.PCA(2, scaling="correlation", whiten=True, solver="svd"), X),
    "whiten_zca": fitted(sf.Whiten("zca"), X),
    "standardize_sparse": fitted(sf.StandardScaler(with_mean=False), WORDS),
    "neighbors_changed": _changed_neighbors,
    "neighbors_weights": fitted(sf.KNeighborsClassifier(3, ties=RandomDecides(4), metric=Minkowski(3.0)), X, CLASSES,
                                sample_weight=WEIGHT),
    "neighbors_mahalanobis": fitted(sf.KNeighborsRegressor(2, metric="mahalanobis"), X, TARGETS),
    "neighbors_gower": fitted(sf.KNeighborsClassifier(2, metric="gower"), MIXED, CLASSES),
    "neighbors_sparse": fitted(sf.NearestNeighbors(n_neighbors=2, metric="cosine"), WORDS),
    "neighbors_jaccard": fitted(sf.NearestNeighbors(n_neighbors=2, metric="jaccard"), WORDS),
    "neighbors_lsh": fitted(sf.NearestNeighbors(n_neighbors=2, algorithm=LSH(n_tables=2)), X),
    "neighbors_arguments": fitted(sf.NearestNeighbors(metric="seuclidean", metric_params={"V": [1.0, 2.0, 3.0]}), X),
    "parzen_classifier": fitted(sf.ParzenClassifier(2.0, window="gaussian"), X, CLASSES),
    "parzen_regressor": fitted(sf.ParzenRegressor(2.0, window="biweight", empty="prior"), X, TARGETS[:, 0]),
    "pruned_tree": fitted(sf.DecisionTreeClassifier(ccp_alpha="cv", folds=3), GAPS, THREE),
    "median_tree": fitted(sf.DecisionTreeRegressor(criterion="absolute_error", max_depth=3), GAPS, TARGETS[:, 0]),
    "id3": fitted(sf.ID3Classifier(), MIXED, THREE),
    "c45": fitted(sf.C45Classifier(), GAPS, THREE),
    "linear_tree": fitted(sf.LinearTreeRegressor(max_leaf_nodes=3), GAPS, TARGETS[:, 0]),
    "tree": fitted(sf.DecisionTreeClassifier(splitter="histogram", max_features=2, random_state=0), MIXED, CLASSES),
    "tree_numbers": fitted(sf.DecisionTreeRegressor(max_leaf_nodes=4, monotonic_cst=[1, 0, 0]), X, TARGETS[:, 0]),
    "tree_targets": fitted(sf.DecisionTreeRegressor(splitter="random", random_state=1), X, TARGETS),
    "forest": fitted(sf.RandomForestClassifier(5, oob_score=True, random_state=0), MIXED, CLASSES),
    "forest_numbers": fitted(sf.RandomForestRegressor(4, max_samples=0.8, random_state=0), X, TARGETS,
                             sample_weight=WEIGHT),
    "extra_trees": fitted(sf.ExtraTreesClassifier(3, max_features_of_tree=2, random_state=0), X, CLASSES),
    "extra_trees_numbers": fitted(sf.ExtraTreesRegressor(3, bootstrap=True, random_state=0), X, TARGETS[:, 1]),
    "isolation": fitted(sf.IsolationForest(n_estimators=4, contamination=0.2, random_state=0), X),
    "categorical": lambda: (Categorical(categories=(3, 3)).fit(CODES), lambda own: own.log_prob(own.sample(3, 0))),
    "unfitted": lambda: (sf.KMeans(2, init=X[:2].tolist()), lambda model: model.fit(X)),
}  # fmt: skip


def every_class() -> dict[str, Callable[[], Form]]:
    """Every estimator as its class has it, fitted to its example; for a long run."""
    made = {}
    for cls in contracts.estimators():
        if not undeclared(cls):
            rows, y = cls.example(np.random.default_rng(9), 40)
            made[cls.__name__] = fitted(fresh(cls), rows, y)
    return made
