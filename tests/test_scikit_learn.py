"""A scikit-learn user changes an import: the same lines give the same answers, by either package."""

import importlib
import pickle
import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.discovery import all_estimators

import suffice as sf
from suffice import contracts
from suffice.errors import InvalidParameter, Renamed, UnknownParameter
from suffice.renamed import FORMER

OURS = {cls.__name__: cls for cls in contracts.estimators()}
MIRRORED = {name: cls for name, cls in OURS.items() if cls.counterpart is not None}

SNIPPET = """from {module} import {name}
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
model = {name}({arguments}).fit({data})
answer = {answer}
"""
CLASSES, ROWS = "X, y", "X"
GAPPED = "[[float('nan') if x == 1.4 else x for x in row] for row in X]"
NUMBERS = "X[:, :3], X[:, 3]"
PERTURBED = "model.predict_proba(X + X[::-1] / 97)"  # no two rows are equally near
AFFINITY = "((X - X[model.cluster_centers_indices_][model.labels_]) ** 2).sum()"
UNTIED = "X[50:] + X[:100] / 97"
PLACES = "((model.embedding_[:, None] - model.embedding_) ** 2).sum(axis=2)"  # whatever way a map is turned
INSIDE = "__import__('sklearn.svm').svm.LinearSVC(random_state=0)"  # what is wrapped, by name in a snippet

# What stands in the brackets, what is fitted, what is compared, and how closely.
KERNEL = "model.transform(X) @ model.transform(X).T"  # what features are drawn for
USES = {
    "AffinityPropagation": ("random_state=0, verbose=False", ROWS, AFFINITY, 1e-2),  # ours end a little better
    "AgglomerativeClustering": ("n_clusters=4, linkage='average', metric='l1'", ROWS, "model.labels_", "partition"),
    "BernoulliNB": ("binarize=2.0, alpha=0.5, force_alpha=True", CLASSES, "model.predict_proba(X)", 1e-8),
    "BisectingKMeans": ("n_clusters=3, random_state=0, n_init=3", ROWS, "model.inertia_", 1e-2),
    "CategoricalNB": ("alpha=0.5", "X.astype(int), y", "model.predict_proba(X.astype(int))", 1e-8),
    "AdaBoostClassifier": ("__import__('sklearn.naive_bayes').naive_bayes.GaussianNB(), n_estimators=7",
                           CLASSES, "model.decision_function(X)", 1e-6),
    "AdaBoostRegressor": ("n_estimators=30, loss='square', random_state=0", NUMBERS,
                          "model.score(X[:, :3], X[:, 3])", 0.05),
    "BaggingClassifier": (f"{INSIDE}, n_estimators=30, n_jobs=1, random_state=0", CLASSES, "model.score(X, y)", 0.05),
    "BaggingRegressor": ("n_estimators=50, max_features=2, random_state=0, verbose=0", NUMBERS,
                         "model.score(X[:, :3], X[:, 3])", 0.05),
    "ElasticNet": ("0.1, l1_ratio=0.7, tol=1e-12, selection='random'", NUMBERS, "model.predict(X[:, :3])", 1e-6),
    "FactorAnalysis": ("n_components=1, tol=1e-10, max_iter=5000", ROWS, "model.score(X)", 1e-4),
    "GaussianMixture": ("n_components=3, tol=1e-8, max_iter=2000, random_state=0", ROWS, "model.score(X)", 1e-4),
    "GaussianNB": ("var_smoothing=1e-6", CLASSES, "model.predict_proba(X)", 1e-6),
    "HistGradientBoostingClassifier": ("max_iter=30, verbose=0", CLASSES, "model.predict_proba(X)", 0.05),
    "HistGradientBoostingRegressor": ("max_iter=30, verbose=0", NUMBERS, "model.predict(X[:, :3])", 0.05),
    "DecisionTreeClassifier": ("max_depth=3, criterion='entropy'", CLASSES, "model.predict_proba(X)", 1e-8),
    "DecisionTreeRegressor": ("min_samples_leaf=5", "X, X[:, 0]", "model.predict(X)", 1e-8),
    "ExtraTreesClassifier": ("n_estimators=300, min_samples_leaf=3, random_state=0", CLASSES, "model.score(X, y)",
                             0.03),
    "ExtraTreesRegressor": ("n_estimators=300, random_state=0", "X, X[:, 0]", "model.score(X, X[:, 0])", 0.01),
    "IsolationForest": ("n_estimators=300, random_state=0", ROWS, "model.score_samples(X)", 0.15),
    "RandomForestClassifier": ("n_estimators=300, random_state=0, oob_score=True", CLASSES, "model.oob_score_", 0.03),
    "RandomForestRegressor": ("n_estimators=300, random_state=0", "X, X[:, 0]", "model.score(X, X[:, 0])", 0.02),
    "KMeans": ("n_clusters=3, n_init=10, random_state=0, copy_x=False", ROWS, "model.inertia_", 1e-6),
    "KNeighborsClassifier": ("n_neighbors=7, weights='distance'", CLASSES, PERTURBED, 1e-8),
    "KNeighborsRegressor": ("n_neighbors=4, leaf_size=10", "X, X[:, 0]", "model.predict(X + X[::-1] / 97)", 1e-8),
    "Lasso": ("alpha=0.1, tol=1e-12, precompute=True", NUMBERS, "model.predict(X[:, :3])", 1e-6),
    "LinearDiscriminantAnalysis": ("solver='lsqr', shrinkage=0.2", CLASSES, "model.predict_proba(X)", 1e-6),
    "LinearRegression": ("n_jobs=2, positive=False", NUMBERS, "model.predict(X[:, :3])", 1e-8),
    "LinearSVC": ("loss='hinge', C=0.1, fit_intercept=False, dual=True, random_state=0, tol=1e-9, max_iter=100_000",
                  "X, y == 2", "model.decision_function(X)", 1e-4),
    "LinearSVR": ("epsilon=0.1, fit_intercept=False, random_state=0, tol=1e-9, max_iter=100_000", NUMBERS,
                  "model.predict(X[:, :3])", 1e-4),
    "MiniBatchKMeans": ("n_clusters=3, batch_size=50, n_init=10, random_state=0", ROWS, "model.inertia_", 0.1),
    "MultinomialNB": ("alpha=0.3, fit_prior=False", CLASSES, "model.predict_proba(X)", 1e-8),
    "NearestNeighbors": ("n_neighbors=3, algorithm='kd_tree', n_jobs=-1", ROWS, "model.kneighbors(X + 0.05)[0]", 1e-8),
    "OneVsOneClassifier": (f"{INSIDE}, n_jobs=1", CLASSES, "model.decision_function(X)", 1e-8),
    "OneVsRestClassifier": (f"{INSIDE}, verbose=0", CLASSES, "model.decision_function(X)", 1e-8),
    "OutputCodeClassifier": (f"{INSIDE}, code_size=9, random_state=0", CLASSES, "model.score(X, y)", 0.05),
    "Perceptron": ("tol=None, shuffle=False, n_jobs=2", "X, y == 0", "model.decision_function(X)", 1e-8),
    "PCA": ("n_components=2, whiten=True, svd_solver='full'", ROWS, "abs(model.transform(X))", 1e-8),
    "QuadraticDiscriminantAnalysis": ("reg_param=0.1, store_covariance=True", CLASSES, "model.predict_proba(X)", 1e-6),
    "MissingIndicator": ("features='all'", GAPPED, "model.transform(X)", 1e-12),
    "SimpleImputer": ("strategy='median', add_indicator=True", GAPPED, f"model.transform({GAPPED})", 1e-12),
    "FunctionTransformer": ("validate=True", ROWS, "model.transform(X)", 1e-12),
    "PowerTransformer": ("method='box-cox', standardize=False", ROWS, "model.transform(X)", 1e-6),
    "QuantileTransformer": ("n_quantiles=20, output_distribution='normal'", ROWS, "model.transform(X)", 1e-10),
    "OneHotEncoder": ("drop='first', sparse_output=False", "X.astype(int)", "model.transform(X.astype(int))", 1e-12),
    "PolynomialFeatures": ("degree=3, include_bias=False", ROWS, "model.transform(X)", 1e-10),
    "SplineTransformer": ("n_knots=4, extrapolation='linear'", ROWS, "model.transform(X + 0.5)", 1e-10),
    "NuSVC": ("nu=0.3, tol=1e-8, verbose=False", CLASSES, "model.decision_function(X)", 1e-4),
    "NuSVR": ("nu=0.3, C=2.0, tol=1e-8", NUMBERS, "model.predict(X[:, :3])", 1e-4),
    "OneClassSVM": ("nu=0.2, gamma=0.1, tol=1e-8", ROWS, "model.decision_function(X)", 1e-4),
    "SVC": ("C=2.0, kernel='poly', cache_size=50, tol=1e-8", CLASSES, "model.decision_function(X)", 1e-3),
    "SVR": ("epsilon=0.2, shrinking=False, tol=1e-8", NUMBERS, "model.predict(X[:, :3])", 1e-4),
    "GaussianProcessClassifier": ("optimizer=None, n_jobs=1", CLASSES, "model.predict_proba(X)", 5e-3),
    "GaussianProcessRegressor": ("optimizer=None, alpha=0.1", NUMBERS, "model.predict(X[:, :3])", 1e-8),
    "LatentDirichletAllocation": ("n_components=2, max_iter=200, random_state=0", ROWS, "model.perplexity(X)", 0.5),
    "NMF": ("n_components=2, init='nndsvd', tol=1e-9, max_iter=5000", ROWS, "model.reconstruction_err_", 1e-4),
    "TruncatedSVD": ("n_components=2, algorithm='arpack', tol=1e-12", ROWS, "abs(model.transform(X))", 1e-8),
    "KernelPCA": ("n_components=3, kernel='rbf', gamma=0.1, n_jobs=1", ROWS, "model.transform(X)", 1e-8),
    "KernelRidge": ("alpha=0.5, kernel='rbf', gamma=0.1", NUMBERS, "model.predict(X[:, :3])", 1e-8),
    "Ridge": ("alpha=2.0, copy_X=True, random_state=3", NUMBERS, "model.predict(X[:, :3])", 1e-8),
    "LogisticRegression": ("C=0.5, n_jobs=1, tol=1e-10, max_iter=5000", CLASSES, "model.predict_proba(X)", 1e-3),
    "BayesianRidge": ("alpha_init=1.0", NUMBERS, "model.predict(X[:, :3])", 1e-4),
    "HuberRegressor": ("epsilon=1.5, max_iter=1000, tol=1e-8", NUMBERS, "model.predict(X[:, :3])", 1e-2),
    "QuantileRegressor": ("quantile=0.7, alpha=0.01", NUMBERS, "model.predict(X[:, :3])", 1e-6),
    "PoissonRegressor": ("alpha=0.1, tol=1e-10", "X[:, :3], X[:, 3]", "model.predict(X[:, :3])", 1e-4),
    "GammaRegressor": ("alpha=0.1, tol=1e-10", "X[:, :3], X[:, 3]", "model.predict(X[:, :3])", 1e-4),
    "TweedieRegressor": ("power=1.5, alpha=0.1, tol=1e-10", "X[:, :3], X[:, 3]", "model.predict(X[:, :3])", 1e-4),
    "SGDClassifier": ("shuffle=False, max_iter=3, tol=None, verbose=0", CLASSES, "model.decision_function(X)", 1e-6),
    "SGDRegressor": ("shuffle=False, max_iter=3, tol=None, penalty='l1'", "X[:, :3] - 3, X[:, 3]",
                     "model.predict(X[:, :3])", 1e-6),
    "AdditiveChi2Sampler": ("sample_steps=3", ROWS, "model.transform(X)", 1e-10),
    "Nystroem": ("gamma=0.3, n_components=150, n_jobs=1", ROWS, KERNEL, 1e-6),
    "PolynomialCountSketch": ("degree=1, n_components=3000, random_state=0", ROWS, KERNEL, 1e-8),
    "RBFSampler": ("gamma=0.3, n_components=3000, random_state=0", ROWS, KERNEL, 0.1),
    "SkewedChi2Sampler": ("skewedness=0.5, n_components=3000, random_state=0", ROWS, KERNEL, 0.1),
    "KBinsDiscretizer": ("n_bins=3, encode='onehot-dense', subsample=None", ROWS, "model.transform(X)", 1e-10),
    "ClassicalMDS": ("n_components=2", ROWS, PLACES, 1e-8),
    "Isomap": ("n_neighbors=7, n_components=2, path_method='D'", UNTIED, PLACES, 1e-8),
    "LocallyLinearEmbedding": ("n_neighbors=7, n_components=2, eigen_solver='dense'", UNTIED, PLACES, 1e-7),
    "MDS": ("n_components=2, n_init=1, random_state=0, init='classical_mds', eps=1e-9", ROWS, "model.stress_", 0.02),
    "SpectralClustering": ("n_clusters=3, random_state=0, gamma=0.5", UNTIED, "model.labels_", "partition"),
    "SpectralEmbedding": ("n_components=2, n_neighbors=8, random_state=0", UNTIED, PLACES, 1e-8),
    "TSNE": ("2, perplexity=20, init='pca', random_state=0", ROWS, "model.kl_divergence_", 0.02),
    "StandardScaler": ("with_std=True, copy=False", ROWS, "model.transform(X.copy())", 1e-10),
}  # fmt: skip


def answer_of(module, name):
    arguments, data, answer, _ = USES[name]
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs warn of what comes in later versions
        exec(SNIPPET.format(module=module, name=name, arguments=arguments, data=data, answer=answer), names)
    return names["answer"]


@pytest.mark.parametrize("name", MIRRORED)
def test_the_same_five_lines_give_the_same_answer(name):
    ours, theirs = answer_of("suffice", name), answer_of(MIRRORED[name].counterpart.module, name)
    if USES[name][3] == "partition":
        assert adjusted_rand_score(ours, theirs) == 1
    else:
        np.testing.assert_allclose(ours, theirs, rtol=USES[name][3], atol=USES[name][3])


def test_every_estimator_with_a_name_of_theirs_says_so():
    theirs = dict(all_estimators())
    assert MIRRORED.keys() == OURS.keys() & theirs.keys()
    for name, cls in MIRRORED.items():
        assert theirs[name].__module__.startswith(cls.counterpart.module)


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_former_names_warn_and_are_the_same_class(former, name):
    with pytest.warns(Renamed, match=f"{former} is called {name} now") as caught:
        cls = getattr(sf, former)
    assert cls is getattr(sf, name)
    assert caught[0].filename == __file__
    assert former not in dir(sf)
    assert issubclass(Renamed, DeprecationWarning)


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_pickles_that_have_the_former_name_are_read(former, name):
    model = getattr(sf, name)()
    earlier = pickle.dumps(model, protocol=0).replace(f"\n{name}\n".encode(), f"\n{former}\n".encode())
    assert former.encode() in earlier
    assert repr(pickle.loads(earlier)) == repr(model)


def test_arguments_that_are_not_known_are_refused_with_a_hint():
    with pytest.raises(
        UnknownParameter, match=r"KMeans: there is no parameter 'n_cluster'\. Did you mean 'n_clusters'"
    ):
        sf.KMeans(n_cluster=3)
    with pytest.raises(TypeError, match=r"penalty is a parameter of scikit-learn's that is not here; got 'l1'"):
        sf.LogisticRegression(penalty="l1")
    with pytest.raises(UnknownParameter, match="clusters are merged by distance alone"):
        sf.AgglomerativeClustering(connectivity=np.eye(3))


@pytest.mark.parametrize("threshold", [0.0, 1.0, 1.5, 5.25, 30.0])
def test_distance_threshold_is_that_of_scikit_learn(threshold):
    from sklearn.cluster import AgglomerativeClustering

    X = np.array([[0.0], [1.0], [5.0], [6.5], [20.0]])
    setup = {"n_clusters": None, "distance_threshold": threshold, "linkage": "average"}
    ours, theirs = sf.AgglomerativeClustering(**setup).fit(X), AgglomerativeClustering(**setup).fit(X)
    assert ours.n_clusters_ == theirs.n_clusters_
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1


def test_height_and_threshold_exclude_each_other():
    with pytest.raises(InvalidParameter, match="say the same"):
        sf.AgglomerativeClustering(None, height=1.0, distance_threshold=1.0).fit([[0.0], [1.0]])


@pytest.mark.parametrize(
    ("folder", "former"), [("bayes", "LinearDiscriminant"), ("hierarchy", "Agglomerative"), ("prepare", "Standardize")]
)
def test_former_names_in_the_folder_of_their_model(folder, former):
    module = importlib.import_module(f"suffice.models.{folder}")
    with pytest.warns(Renamed, match=f"suffice.models.{folder}.{former} is called"):
        assert getattr(module, former).__name__ in module.__all__
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = module.Nonsense


def test_the_answer_of_fit_transform_is_that_of_transform_in_its_container(rng):
    X = rng.normal(size=(40, 3))
    model = sf.PCA(2).set_output(transform="pandas")
    found = model.fit_transform(X)
    assert list(found.columns) == ["pca0", "pca1"]
    np.testing.assert_array_equal(found.to_numpy(), model.transform(X).to_numpy())
    weight = rng.random(40)
    expected = sf.PCA(2).fit(X, sample_weight=weight).transform(X)
    np.testing.assert_array_equal(sf.PCA(2).fit_transform(X, sample_weight=weight), expected)
