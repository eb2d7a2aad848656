"""GaussianMixture on streams, and with labels for some of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

import suffice as sf
from suffice.errors import IllConditioned

TYPES = ["full", "tied", "diag", "spherical"]
quiet = pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")


def blobs(n=400, d=3, k=3, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    centres = apart * rng.normal(size=(k, d))
    roots = rng.normal(size=(k, d, d)) / np.sqrt(d)
    return centres[labels] + np.einsum("nij,nj->ni", roots[labels], rng.normal(size=(n, d))), labels


def assert_same_model(mine, theirs, rtol=1e-8):
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        found, expected = getattr(mine, name), getattr(theirs, name)
        assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max(), err_msg=name)


class TestOnline:
    @pytest.mark.parametrize("kind", TYPES)
    def test_a_stream_comes_close_to_the_batch(self, kind):
        X, _ = blobs(40_000, apart=4.0)
        model = sf.GaussianMixture(3, covariance_type=kind, random_state=0, decay=0.7)
        for piece in np.array_split(X, 100):
            model.partial_fit(piece)
        batch = sf.GaussianMixture(3, covariance_type=kind, random_state=0, tol=1e-8, max_iter=500).fit(X)
        assert model.score(X) > batch.score(X) - 0.01
        order, theirs = np.argsort(model.means_[:, 0]), np.argsort(batch.means_[:, 0])
        assert_allclose(model.means_[order], batch.means_[theirs], atol=0.2)

    def test_few_rows_move_a_large_fit_little(self):
        X, _ = blobs(5000)
        model = sf.GaussianMixture(3, random_state=0, tol=1e-8, max_iter=500).fit(X)
        before = model.score(X)
        model.partial_fit(X[:4])
        assert before - 0.05 < model.score(X) <= before

    def test_a_new_fit_forgets_the_stream(self):
        X, _ = blobs()
        used = sf.GaussianMixture(3, random_state=0).fit(100 + X).partial_fit(200 + X).fit(X).partial_fit(X[:100])
        assert_same_model(used, sf.GaussianMixture(3, random_state=0).fit(X).partial_fit(X[:100]), 1e-12)

    def test_the_prior_counts_rows(self):
        X, _ = blobs(600, apart=6.0)
        model = sf.GaussianMixture(3, weight_concentration_prior=0.5, random_state=0).fit(X).partial_fit(X)
        assert np.all(model.weights_ > 0.1)

    def test_weights_are_repeated_rows(self):
        X, _ = blobs(200)
        weight = np.random.default_rng(0).integers(1, 4, 200)
        once, often = (sf.GaussianMixture(3, random_state=0).fit(X) for _ in range(2))
        once.partial_fit(X, sample_weight=weight)
        often.partial_fit(np.repeat(X, weight, axis=0))
        assert_same_model(once, often, 1e-10)

    def test_a_stream_with_labels_keeps_them(self):
        X, labels = blobs(900, apart=1.0)
        model = sf.GaussianMixture(3, unlabelled=-1, random_state=0).fit(X, labels)
        for piece in range(3):
            model.partial_fit(X[piece::3], labels[piece::3])
        assert_allclose(model.means_, [X[labels == c].mean(axis=0) for c in range(3)], atol=0.02)

    def test_a_stream_that_collapses(self):
        model = sf.GaussianMixture(2, reg_covar=0, random_state=0).fit(blobs(100)[0])
        at = model.means_[:1].copy()
        with pytest.warns(IllConditioned, match="collapsed"):
            model.partial_fit(at, sample_weight=[1e30])
        assert np.isfinite(model.partial_fit(at).score(at))


class TestLabels:
    @pytest.mark.parametrize(("names", "marker"), [
        (["ant", "bee", "cat"], "?"), (["ant", "bee", "cat"], ""), ([0, 1, 2], -1), ([3, 7, 90], 5), ([-1, 0, 1], 99),
        ([0.0, 1.0, 2.0], -1.0), ([False, True, 2], -1),
    ])  # fmt: skip
    def test_markers_and_missing_values_in_labels(self, names, marker):
        X, labels = blobs(600, apart=2.0)
        y = np.array(names)[labels]
        known = np.random.default_rng(0).random(600) < 0.2
        model = sf.GaussianMixture(3, unlabelled=marker, random_state=0).fit(X, np.where(known, y, np.array(marker)))
        assert_array_equal(model.classes_, names)
        assert np.mean(model.predict(X) == labels) > np.mean(np.bincount(labels)) / 600
        for c in range(3):
            assert np.argmin(np.linalg.norm(model.means_ - X[labels == c].mean(axis=0), axis=1)) == c

    def test_all_known_is_one_gaussian_a_class(self):
        X, labels = blobs(300, apart=0.5)
        model = sf.GaussianMixture(3, unlabelled=-1, random_state=0, reg_covar=0).fit(X, labels)
        assert_allclose(model.weights_, np.bincount(labels) / 300)
        for c in range(3):
            assert_allclose(model.means_[c], X[labels == c].mean(axis=0))
            assert_allclose(model.covariances_[c], np.cov(X[labels == c].T, ddof=0))

    @quiet
    @pytest.mark.parametrize("kind", TYPES)
    def test_the_likelihood_rises(self, kind):
        X, labels = blobs(300, apart=1.0)
        y = np.where(np.arange(300) < 40, labels, -1)
        model = sf.GaussianMixture(3, covariance_type=kind, unlabelled=-1, random_state=0, tol=1e-12, reg_covar=0).fit(
            X, y
        )
        assert np.all(np.diff(model.lower_bounds_) > -1e-9)
        assert_allclose(
            model.history_.metric("free_energy")[:-1] + model.history_.metric("kl")[1:], model.lower_bounds_[1:]
        )

    def test_fewer_classes_than_components(self):
        X, labels = blobs(600, apart=5.0)
        model = sf.GaussianMixture(3, unlabelled=-1, random_state=0).fit(X, np.where(labels == 2, -1, labels))
        assert adjusted_rand_score(labels, model.predict(X)) > 0.95
        assert_array_equal(model.classes_, [0, 1])

    def test_what_cannot_be(self):
        X, labels = blobs(60)
        with pytest.raises(ValueError, match=r"y names 3 classes, but n_components=2; give each class a component"):
            sf.GaussianMixture(2, unlabelled=-1).fit(X, labels)
        with pytest.raises(ValueError, match=r"y holds nothing but -1; leave y and unlabelled out"):
            sf.GaussianMixture(2, unlabelled=-1).fit(X, np.full(60, -1))
        with pytest.raises(ValueError, match=r"requires y"):
            sf.GaussianMixture(2, unlabelled=-1).fit(X)

    def test_y_is_left_out_unless_asked_for(self):
        X, labels = blobs(100)
        assert_same_model(
            sf.GaussianMixture(2, random_state=0).fit(X, labels), sf.GaussianMixture(2, random_state=0).fit(X), 1e-15
        )
