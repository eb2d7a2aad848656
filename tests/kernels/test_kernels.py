"""Kernels and windows keep their laws, equal scikit-learn's, and are found by name."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as their_processes
from sklearn.metrics import pairwise as theirs
from sklearn.neighbors import KernelDensity

import suffice as sf
from suffice import contracts
from suffice.errors import InvalidData, InvalidParameter
from suffice.kernels import (
    KERNELS,
    WINDOWS,
    AdditiveChi2Kernel,
    CategoryKernel,
    Chi2Kernel,
    ConstantKernel,
    CosineKernel,
    GaussianKernel,
    Gram,
    HistogramIntersectionKernel,
    Kernel,
    LaplacianKernel,
    LinearKernel,
    MaternKernel,
    MonomialKernel,
    PeriodicKernel,
    PolynomialKernel,
    RationalQuadraticKernel,
    SpectrumKernel,
    TanhKernel,
    TricubeWindow,
    WhiteNoiseKernel,
    as_kernel,
)

MEMBERS = [pytest.param(member, id=repr(member)) for cls in contracts.kernels() for member in cls.examples()]


@pytest.mark.parametrize("kernel", MEMBERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_kernel(kernel, seed):
    contracts.check_kernel(kernel, seed)


@pytest.mark.parametrize("name", WINDOWS)
def test_window(name):
    contracts.check_window(WINDOWS.make(name))


def _one_column(kernel):
    """The product over the columns: of several at once theirs is not positive."""
    return lambda X, Y=None: np.prod(
        [kernel(X[:, [j]], None if Y is None else Y[:, [j]]) for j in range(X.shape[1])], axis=0
    )


def _inner_product(minus_chi2):
    """Half the sum of all cells less half of χ²."""
    return lambda X, Y=None: (
        (X.sum(axis=1)[:, None] + (X if Y is None else Y).sum(axis=1) + minus_chi2(X, X if Y is None else Y)) / 2
    )


def _by_hamming(unequal):
    return lambda X, Y=None: 1 - (1 - unequal) * theirs.pairwise_distances(X, Y, metric="hamming")


PEERS = [
    (LinearKernel(), theirs.linear_kernel, {}),
    (CosineKernel(), theirs.cosine_similarity, {}),
    (MonomialKernel(3), theirs.polynomial_kernel, {"degree": 3, "gamma": 1.0, "coef0": 0.0}),
    (TanhKernel(0.1, -0.5), theirs.sigmoid_kernel, {"gamma": 0.1, "coef0": -0.5}),
    (Chi2Kernel(0.7), theirs.chi2_kernel, {"gamma": 0.7}),
    (Chi2Kernel(), theirs.chi2_kernel, {}),
    (AdditiveChi2Kernel(), _inner_product(theirs.additive_chi2_kernel), {}),
    (HistogramIntersectionKernel(), lambda X, Y=None: np.minimum(X[:, None], X if Y is None else Y).sum(axis=2), {}),
    (CategoryKernel(0.2), _by_hamming(0.2), {}),
    (ConstantKernel(2.5), their_processes.ConstantKernel(2.5), {}),
    (GaussianKernel(0.7), theirs.rbf_kernel, {"gamma": 0.7}),
    (GaussianKernel(), theirs.rbf_kernel, {}),
    (LaplacianKernel(0.7), theirs.laplacian_kernel, {"gamma": 0.7}),
    (MaternKernel(1.3, nu=0.5), their_processes.Matern(1.3, nu=0.5), {}),
    (MaternKernel(1.3, nu=1.5), their_processes.Matern(1.3, nu=1.5), {}),
    (MaternKernel((0.5, 1.0, 2.0, 3.0, 4.0), nu=2.5), their_processes.Matern((0.5, 1.0, 2.0, 3.0, 4.0), nu=2.5), {}),
    (MaternKernel(1.3, nu=3.2), their_processes.Matern(1.3, nu=3.2), {}),
    (MaternKernel(1.3, nu=np.inf), their_processes.RBF(1.3), {}),
    (RationalQuadraticKernel(1.3, 0.4), their_processes.RationalQuadratic(1.3, 0.4), {}),
    (PeriodicKernel(1.3, 2.5), _one_column(their_processes.ExpSineSquared(1.3, 2.5)), {}),
    (WhiteNoiseKernel(0.4), their_processes.WhiteKernel(0.4), {}),
    (PolynomialKernel(4, 0.3, 2.0), theirs.polynomial_kernel, {"degree": 4, "gamma": 0.3, "coef0": 2.0}),
]


def test_every_kernel_has_a_peer():
    found = {type(kernel) for kernel, _, _ in PEERS} | {SpectrumKernel}  # R's kernlab, in test_r_values
    assert found == {KERNELS.classes[name] for name in KERNELS}


@pytest.mark.parametrize(("ours", "function", "arguments"), PEERS, ids=[str(peer[0]) for peer in PEERS])
def test_equals_scikit_learn(ours, function, arguments):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 5)) + 3, rng.normal(size=(17, 5))
    if isinstance(ours, Chi2Kernel | AdditiveChi2Kernel | HistogramIntersectionKernel):
        X, Y = np.abs(X), np.abs(Y)
    if isinstance(ours, CategoryKernel):
        X, Y = X.round(), Y.round()
    np.testing.assert_allclose(ours(X, Y), function(X, Y, **arguments), rtol=1e-9)
    np.testing.assert_allclose(ours(X), function(X, **arguments), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["tophat", "linear", "epanechnikov", "cosine", "gaussian", "exponential"])
def test_windows_equal_the_kernels_of_scikit_learns_density(name):
    density = KernelDensity(kernel=name, bandwidth=1.0).fit([[0.0]])
    u = np.array([0.0, 0.2, 0.5, 0.9, 1.5])
    at = np.exp(density.score_samples(u[:, None]))
    np.testing.assert_allclose(WINDOWS.make(name)(u), at / at[0], atol=1e-12)


UNUSABLE = {
    "constant",
    "white",
    "white_noise",
    "tanh",
    "sigmoid",
    "spectrum",
}  # or of text


@pytest.mark.parametrize("name", sorted({*KERNELS} - UNUSABLE))
def test_kernel_k_means_takes_every_kernel_by_name_and_as_an_object(name):
    X = np.abs(np.random.default_rng(0).normal(size=(60, 3))).round(1)
    by_name = sf.KernelKMeans(3, kernel=name, gamma=0.5, degree=2, random_state=0).fit(X)
    same = sf.KernelKMeans(3, kernel=as_kernel(name, gamma=0.5, degree=2, coef0=1.0), random_state=0).fit(X)
    np.testing.assert_array_equal(by_name.labels_, same.labels_)


@pytest.mark.parametrize("name", WINDOWS)
def test_parzen_takes_every_window(name):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    by_name = sf.ParzenClassifier(1.5, window=name).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(
        by_name, sf.ParzenClassifier(1.5, window=WINDOWS.make(name)).fit(X, y).predict_proba(X)
    )
    np.testing.assert_allclose(
        sf.ParzenClassifier(1.5, window=WINDOWS.make(name).__call__).fit(X, y).predict_proba(X), by_name
    )


def test_a_kernel_that_is_no_inner_product_is_refused_with_the_reason():
    class Difference(Kernel):
        """Minus the distance."""

        names = ("difference",)
        is_positive = False

        def between(self, X, Y):
            return -np.abs(X[:, :1] - Y[:, 0])

    try:
        with pytest.raises(InvalidParameter, match=r"kernel .* 'difference': Difference is no inner product"):
            sf.KernelKMeans(2, kernel="difference").fit(np.eye(3))
    finally:
        del KERNELS.classes["difference"]
        Kernel.members.remove(Difference)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GaussianKernel(0.0), "GaussianKernel: gamma must be a number, above 0; got 0.0"),
        (lambda: PolynomialKernel(0), "degree must be an integer, at least 1 and at most 1000; got 0"),
        (lambda: PolynomialKernel(coef0=-1.0), "coef0 must be a number, at least 0"),
        (lambda: as_kernel("gausian"), "Did you mean 'gaussian'"),
        (lambda: sf.KernelKMeans(2, kernel="gausian").fit(np.eye(3)), "Did you mean 'gaussian'"),
        (lambda: sf.ParzenClassifier(window="tricub").fit(np.eye(2), [0, 1]), "Did you mean 'tricube'"),
        (lambda: as_kernel(3), "got 3"),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_a_function_that_gives_no_matrix_is_refused():
    with pytest.raises(InvalidData, match=r"shape \(3, 3\)"):
        Gram.of(np.eye(3), lambda X, Y: X[:, :2], 100, "Model")


def test_a_model_with_a_kernel_or_window_goes_into_a_file(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    for model in (sf.KernelKMeans(2, kernel=LaplacianKernel(0.5)), sf.ParzenClassifier(2.0, window=TricubeWindow())):
        sf.save(model.fit(X, y), tmp_path / "model.sff")
        np.testing.assert_array_equal(sf.load(tmp_path / "model.sff").predict(X), model.predict(X))
