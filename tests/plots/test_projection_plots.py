"""Pictures of a PCA: the identities that the figures must satisfy, and scikit-learn's shares."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import decomposition as theirs

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.plots import BiplotDisplay, LoadingsDisplay, ScreeDisplay

ARRESTS = sf.datasets.load("usarrests")
X = ARRESTS.matrix()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "model", [sf.PCA(2), sf.PCA(2, whiten=True), theirs.PCA(2), theirs.PCA(2, whiten=True)], ids=str
)
def test_a_biplot_gives_back_the_cells(alpha, model):
    """Points times arrows are the centred rows of rank 2, for any alpha (Gabriel 1971)."""
    shown = BiplotDisplay.from_estimator(model.fit(X), X, alpha=alpha)
    U, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert_allclose(shown.scores @ shown.arrows.T, (U[:, :2] * s[:2]) @ Vt[:2], atol=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "model", [sf.TruncatedSVD(2, algorithm="exact"), theirs.TruncatedSVD(2, algorithm="arpack")], ids=str
)
def test_a_biplot_of_a_decomposition_gives_back_the_cells(alpha, model):
    shown = BiplotDisplay.from_estimator(model.fit(X), X, alpha=alpha)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    assert_allclose(shown.scores @ shown.arrows.T, (U[:, :2] * s[:2]) @ Vt[:2], atol=1e-6)
    stored = BiplotDisplay.from_estimator(model, sparse.csr_array(X), alpha=alpha, ax=False)
    assert_allclose(stored.scores, shown.scores, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_a_biplot_of_classical_scaling_is_that_of_pca(alpha):
    pca, scaled = sf.PCA(2).fit(X), sf.ClassicalMDS(2).fit(X)
    one, other = (BiplotDisplay.from_estimator(model, X, alpha=alpha) for model in (pca, scaled))
    assert_allclose(other.scores @ other.arrows.T, one.scores @ one.arrows.T, atol=1e-7)
    size = np.sqrt((len(X) - 1) / len(X)) ** alpha  # PCA's variances are unbiased
    assert_allclose(np.abs(other.arrows), np.abs(one.arrows) * size, rtol=1e-7)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    given = sf.ClassicalMDS(2, metric="precomputed").fit(D)
    third = BiplotDisplay.from_estimator(given, D, alpha=alpha, columns=X, names=ARRESTS.features)
    assert_allclose(np.abs(third.arrows), np.abs(other.arrows), rtol=1e-5)
    assert third.names == tuple(ARRESTS.features)
    with pytest.raises(InvalidData, match="was fitted to dissimilarities and knows no columns"):
        BiplotDisplay.from_estimator(given, D)
    with pytest.raises(InvalidData, match="columns must have one row a row of X, 50; got 9"):
        BiplotDisplay.from_estimator(given, D, columns=X[:9])


def test_arrows_are_standard_deviations():
    shown = BiplotDisplay.from_estimator(sf.PCA().fit(X[:, :2]), X[:, :2])
    assert_allclose(shown.table()["length"], X[:, :2].std(axis=0, ddof=1))
    assert_allclose(np.cov(shown.scores.T), np.eye(2), atol=1e-12)
    one, two = shown.arrows
    assert_allclose(one @ two / np.prod(shown.table()["length"]), np.corrcoef(X[:, :2].T)[0, 1])


def test_distances_of_alpha_0_are_those_of_the_rows():
    shown = BiplotDisplay.from_estimator(sf.PCA().fit(X[:, :2]), X[:, :2], alpha=0)
    assert_allclose(np.linalg.norm(shown.scores[0] - shown.scores[1]), np.linalg.norm(X[0, :2] - X[1, :2]))


def test_names_in_a_biplot_do_not_cover_one_another():
    model = sf.PCA(scaling="correlation").fit(X)
    shown = BiplotDisplay.from_estimator(model, X, names=ARRESTS.features, labels=ARRESTS["state"])
    shown.figure_.canvas.draw()
    texts = [text for text in shown.ax_.texts if text.get_visible() and text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    assert set(ARRESTS.features) <= {text.get_text() for text in texts}
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert shown.ax_.get_xlabel() == "axis 1 (62.0%)"


def test_a_biplot_needs_two_axes_and_an_alpha():
    with pytest.raises(InvalidData, match="two of the 1 components"):
        BiplotDisplay.from_estimator(sf.PCA(1).fit(X), X)
    with pytest.raises(InvalidParameter, match="alpha=2 must be a number from 0 to 1"):
        BiplotDisplay.from_estimator(sf.PCA(2).fit(X), X, alpha=2)
    with pytest.raises(InvalidData, match="KMeans has no components_"):
        BiplotDisplay.from_estimator(sf.KMeans(2).fit(X), X)
    with pytest.raises(InvalidData, match="PCA has no components_; give a fitted"):
        BiplotDisplay.from_estimator(sf.PCA(), X)


def test_scree():
    shown = ScreeDisplay.from_estimator(sf.PCA(scaling="correlation").fit(X))
    columns = shown.table()
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_allclose(columns["share"], theirs.PCA().fit(standard).explained_variance_ratio_)
    assert_allclose(columns["cumulative"][-1], 1)
    assert_allclose(columns["broken_stick"], np.array([25, 13, 7, 3]) / 48)  # (1 + 1/2 + 1/3 + 1/4) / 4 and so on
    assert [bar.get_height() for bar in shown.ax_.patches] == pytest.approx(columns["share"])
    many = ScreeDisplay.from_estimator(sf.PCA().fit(np.random.default_rng(0).normal(size=(60, 50))))
    assert many.ax_.get_title("right") == "30 of 50 axes"


def test_loadings():
    model = sf.PCA(2).fit(X)
    shown = LoadingsDisplay.from_estimator(model, names=ARRESTS.features)
    assert_allclose(shown.loadings, model.components_.T)
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == list(ARRESTS.features)
    scaled = LoadingsDisplay.from_estimator(model, scaled=True)
    assert_allclose(scaled.loadings, model.components_.T * np.sqrt(model.explained_variance_))
    assert shown.ax_.texts[0].get_text() == f"{model.components_[0, 0]:.2f}"
    framed = LoadingsDisplay.from_estimator(sf.PCA(2).fit(ARRESTS.to_frame()[list(ARRESTS.features)]))
    assert framed.table()["name"].tolist() == list(ARRESTS.features)
