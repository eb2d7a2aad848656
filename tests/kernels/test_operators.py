"""Kernels of kernels: what each operator means, exact features, gradients by name, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.gaussian_process import kernels as theirs

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded
from suffice.kernels import (
    AnovaKernel,
    CategoryKernel,
    Chi2Kernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    MaternKernel,
    MatrixKernel,
    PeriodicKernel,
    PrecomputedKernel,
    RationalQuadraticKernel,
    SpectrumKernel,
    TanhKernel,
    WhiteNoiseKernel,
    gram_features,
)

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 3)), RNG.normal(size=(11, 3))
K = GaussianKernel(0.5)


@pytest.mark.parametrize(
    ("kernel", "wanted"),
    [
        (np.exp(K), np.exp),
        (K**3, lambda k: k**3),
        (K.series((1.0, 0.0, 2.0)), lambda k: 1 + 2 * k**2),
        (2.5 * K + 1, lambda k: 2.5 * k + 1),
        (K * K + K, lambda k: k * k + k),
        (K @ (lambda rows: rows), lambda k: k),
        (K.on((0, 1, 2)), lambda k: k),
        (K.normalized(), lambda k: k),
        (AnovaKernel(K, 3), lambda k: k),  # the product of the columns
        (K + WhiteNoiseKernel(), lambda k: k),  # between two tables
    ],
)
def test_what_operators_mean(kernel, wanted):
    np.testing.assert_allclose(kernel(X, Y), wanted(K(X, Y)), rtol=1e-12)


def test_columns_and_maps():
    np.testing.assert_array_equal(K.on(1)(X, Y), K(X[:, [1]], Y[:, [1]]))
    scaler = sf.StandardScaler().fit(X)
    np.testing.assert_allclose((K @ scaler)(X, Y), K(scaler.transform(X), scaler.transform(Y)))
    frame = pd.DataFrame(X, columns=list("abc"))
    np.testing.assert_allclose((K @ sf.StandardScaler().fit(frame))(frame), K(scaler.transform(X)))
    np.testing.assert_allclose(MatrixKernel(np.diag([1.0, 2.0, 3.0]))(X, Y), X @ np.diag([1.0, 2.0, 3.0]) @ Y.T)


def test_a_semi_parametric_kernel_has_the_explicit_features():
    both = 0.5 * K + 2 * (LinearKernel() @ np.square)
    np.testing.assert_allclose(both(X, Y), 0.5 * K(X, Y) + 2 * X**2 @ (Y**2).T)
    assert both.theta_names == ("left__kernel__gamma", "left__factor", "right__factor")


def test_centred_kernels_have_no_mean():
    centred = K.centered(X)(X)
    np.testing.assert_allclose(centred.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(LinearKernel().centered(X)(X, Y), (X - X.mean(axis=0)) @ (Y - X.mean(axis=0)).T)


def test_mixed_columns_of_a_frame():
    frame = pd.DataFrame({"size": [1.0, 2.0, 9.0, 8.0], "colour": ["red", "red", "blue", "blue"]})
    mixed = GaussianKernel(0.5).on(0) * CategoryKernel(0.1).on(1)
    by_hand = K(frame[["size"]].to_numpy()) * np.where(
        frame.colour.to_numpy()[:, None] == frame.colour.to_numpy(), 1, 0.1
    )
    np.testing.assert_allclose(mixed(frame), by_hand)
    model = sf.KernelKMeans(2, kernel=mixed, random_state=0).fit(frame)
    assert len(set(model.labels_[:2])) == len(set(model.labels_[2:])) == 1
    np.testing.assert_array_equal(model.predict(frame), model.labels_)


def test_kernel_k_means_is_k_means_of_the_exact_features():
    rows = np.vstack([RNG.normal(size=(40, 2)), RNG.normal(size=(40, 2)) + 3])
    gram = GaussianKernel(0.3)(rows)
    features = gram_features(gram)
    np.testing.assert_allclose(features @ features.T, gram, atol=1e-10)
    start = np.arange(80) % 2
    kernel = sf.KernelKMeans(2, kernel=GaussianKernel(0.3), init=start).fit(rows)
    centres = np.array([features[start == k].mean(axis=0) for k in (0, 1)])
    plain = sf.KMeans(2, init=centres, tol=0.0).fit(features)
    np.testing.assert_array_equal(kernel.labels_, plain.labels_)
    np.testing.assert_allclose(kernel.inertia_, plain.inertia_, rtol=1e-8)


@pytest.mark.parametrize(
    ("ours", "peer"),
    [
        (MaternKernel(1.3, 2.5), theirs.Matern(1.3, nu=2.5)),
        (MaternKernel((0.5, 1.0, 2.0), 1.5), theirs.Matern((0.5, 1.0, 2.0), nu=1.5)),
        (RationalQuadraticKernel(1.3, 0.4), theirs.RationalQuadratic(1.3, 0.4)),
        (WhiteNoiseKernel(0.3), theirs.WhiteKernel(0.3)),
        (2.0 * GaussianKernel(bandwidth=1.0), theirs.RBF(0.5**0.5) * theirs.ConstantKernel(2.0)),
    ],
)
def test_gradients_equal_those_of_scikit_learn(ours, peer):
    _, wanted = peer(X, eval_gradient=True)
    names = [hyperparameter.name for hyperparameter in peer.hyperparameters]
    _, slopes = ours.gradients(X)
    found = np.stack(slopes, axis=2)
    if names == ["alpha", "length_scale"]:  # theirs are in the order of the alphabet
        found = found[:, :, ::-1]
    np.testing.assert_allclose(found, wanted, atol=1e-10)


def test_hyperparameters_are_named_nested_and_searched():
    kernel = 2.0 * MaternKernel(1.5) + WhiteNoiseKernel(0.1)
    assert kernel.theta_names == ("left__kernel__length_scale", "left__factor", "right__variance")
    changed = clone(kernel).set_params(left__kernel__length_scale=3.0)
    assert (changed.left.kernel.length_scale, kernel.left.kernel.length_scale) == (3.0, 1.5)
    np.testing.assert_allclose(
        kernel.with_theta(kernel.theta + 1)(X), (2 * np.e) * MaternKernel(1.5 * np.e)(X) + 0.1 * np.e * np.eye(30)
    )
    with pytest.raises(InvalidParameter, match="MaternKernel has no parameter 'lenght_scale'"):
        kernel.set_params(left__kernel__lenght_scale=1.0)


@given(st.floats(1e-3, 1e3), st.floats(0.3, 60.0), st.floats(0, 1e6))
def test_matern_kernels_fall_from_one_to_zero(length, nu, apart):
    values = MaternKernel(length, nu)([[0.0]], [[0.0], [apart], [2 * apart]])[0]
    assert values[0] == 1
    assert np.all(np.diff(values) <= 1e-9)
    assert values[2] >= 0


@given(st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_sums_and_products_of_kernels_stay_positive(d, n, seed):
    rng = np.random.default_rng(seed)
    rows = np.abs(rng.normal(size=(n, d)))
    atoms = [
        GaussianKernel(0.7),
        LinearKernel(),
        Chi2Kernel(),
        PeriodicKernel(1.0, 2.0),
        LaplacianKernel(),
        CategoryKernel(),
    ]
    left, right, third = (atoms[i] for i in rng.integers(0, len(atoms), 3))
    for kernel in (
        left + right * third,
        np.exp(0.1 * left),
        (left + right) ** 2,
        left.normalized(),
        left.centered(rows),
    ):
        gram = kernel(rows)
        assert np.linalg.eigvalsh((gram + gram.T) / 2)[0] >= -1e-8 * max(1.0, np.abs(gram).max())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MaternKernel(nu=0.0), "nu must be a number above 0"),
        (lambda: MaternKernel(0.0), "length_scale must be a finite number above 0"),
        (lambda: GaussianKernel(bandwidth=np.inf), "bandwidth must be a finite number above 0"),
        (lambda: PeriodicKernel(period=-1.0), "period must be"),
        (lambda: K**0.5, "degree must be an integer"),
        (lambda: K.series((1.0, -1.0)), "at least 0"),
        (lambda: K.on("age"), "numbers of columns"),
        (lambda: K @ 3, "a function of rows or a fitted estimator"),
        (lambda: K * "2", "unsupported operand|can't multiply"),
        (lambda: AnovaKernel(3), "kernel must be a kernel"),
        (lambda: SpectrumKernel(0), "length must be"),
        (lambda: CategoryKernel(1.0), "below 1"),
        (lambda: MatrixKernel([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (lambda: PrecomputedKernel(np.ones((2, 3))), "square"),
        (lambda: gram_features([[1.0, np.nan], [np.nan, 1.0]]), "finite"),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises((InvalidParameter, TypeError), match=words):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Chi2Kernel()([[1.0, -1.0]]), "column 1, row 0 holds -1.0"),
        (lambda: K.on(5)(X), "no column 5; the rows have 3"),
        (lambda: GaussianKernel(bandwidth=(1.0, 2.0))(X), "bandwidth has 2 numbers, the rows 3 columns"),
        (lambda: AnovaKernel(K, 4)(X), "4 different columns"),
        (lambda: MatrixKernel(np.eye(2))(X), "matrix is of 2 columns"),
        (lambda: SpectrumKernel()([["abc"], [3]]), "must be a text"),
        (lambda: (K @ (lambda rows: rows[:2]))(X), "made 2 rows of 30"),
        (lambda: K(X, Y[:, :2]), "X has 3 columns but Y has 2"),
        (lambda: gram_features(TanhKernel(2.0, -1.0)(X)), "no matrix of inner products"),
        (lambda: sf.Nystroem("tanh").fit(X), "TanhKernel is no inner product"),
    ],
)
def test_bad_rows(make, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        make()


def test_a_matrix_too_large_is_refused_with_its_size():
    with pytest.raises(MemoryNeeded, match="7,200 bytes, more than memory=1,000"):
        K.gram(X, memory=1000)


def test_blocks_of_a_file_are_the_whole(tmp_path):
    pd.DataFrame(X, columns=list("abc")).to_csv(tmp_path / "rows.csv", index=False)
    rows = pd.read_csv(tmp_path / "rows.csv").to_numpy()
    kernel = GaussianKernel(0.5).on((0, 2)) + WhiteNoiseKernel(0.1)
    blocks = list(kernel.blocks(sf.scan(tmp_path / "rows.csv"), memory=8 * 30 * 4))
    assert len(blocks) > 5
    np.testing.assert_allclose(np.vstack([block for _, block in blocks]), kernel(rows), atol=1e-15)
    landmarks = np.vstack([block for _, block in kernel.blocks(sf.scan(tmp_path / "rows.csv"), rows[:4])])
    np.testing.assert_allclose(landmarks, kernel(rows, rows[:4]), atol=1e-15)


def test_your_own_kernel_is_checked():
    from suffice.contracts import check_kernel
    from suffice.kernels import KERNELS, Kernel

    class Wrong(Kernel):
        """Says that it is positive, and is not."""

        def between(self, X, Y):
            return -np.asarray(X @ Y.T)

    try:
        with pytest.raises(AssertionError, match="is said to be positive"):
            check_kernel(Wrong())
    finally:
        Kernel.members.remove(Wrong)
    assert "wrong" not in KERNELS
