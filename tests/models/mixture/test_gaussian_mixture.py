"""GaussianMixture: scikit-learn's iterations from the same start, and every way to share rows out."""

import numpy as np
import pytest
import sklearn.mixture
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.observing import Observer, observe

TYPES = ["full", "tied", "diag", "spherical"]
INITIALISERS = ["kmeans", "k-means++", "random_from_data", "random"]
quiet = pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")


def blobs(n=400, d=3, k=3, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    centres = apart * rng.normal(size=(k, d))
    roots = rng.normal(size=(k, d, d)) / np.sqrt(d)
    return centres[labels] + np.einsum("nij,nj->ni", roots[labels], rng.normal(size=(n, d))), labels


def given_start(kind, k=3, d=3, seed=1):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(k, d, d)) / d + np.eye(d)
    full = roots @ np.swapaxes(roots, 1, 2)
    precisions = {"full": full, "tied": full[0], "diag": full[:, range(d), range(d)], "spherical": full[:, 0, 0]}[kind]
    return {
        "weights_init": rng.dirichlet(np.full(k, 5.0)),
        "means_init": 2 * rng.normal(size=(k, d)),
        "precisions_init": precisions,
    }


def assert_same_model(mine, theirs, rtol=1e-8):
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        found, expected = getattr(mine, name), getattr(theirs, name)
        assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max(), err_msg=name)


@quiet
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("iterations", [1, 2, 3, 10, 40])
def test_every_iteration_is_that_of_scikit_learn(kind, iterations):
    X, _ = blobs()
    options = {
        "n_components": 3,
        "covariance_type": kind,
        "max_iter": iterations,
        "tol": 0.0,
        "reg_covar": 0,
        **given_start(kind),
    }
    mine, theirs = sf.GaussianMixture(**options).fit(X), sklearn.mixture.GaussianMixture(**options).fit(X)
    assert_same_model(mine, theirs)
    assert_allclose(mine.lower_bound_, theirs.lower_bound_, rtol=1e-10)
    assert_allclose(mine.lower_bounds_, theirs.lower_bounds_, rtol=1e-10)
    assert mine.n_iter_ == theirs.n_iter_


@quiet
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", TYPES)
def test_densities_components_and_criteria_are_those_of_scikit_learn(kind):
    X, _ = blobs()
    options = {
        "n_components": 3,
        "covariance_type": kind,
        "tol": 0.0,
        "max_iter": 30,
        "reg_covar": 0,
        **given_start(kind),
    }
    mine, theirs = sf.GaussianMixture(**options).fit(X), sklearn.mixture.GaussianMixture(**options).fit(X)
    assert mine.converged_ == theirs.converged_
    assert_allclose(mine.score_samples(X), theirs.score_samples(X), rtol=1e-8)
    assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert_array_equal(mine.predict(X), theirs.predict(X))
    for name in ("score", "bic", "aic"):
        assert_allclose(getattr(mine, name)(X), getattr(theirs, name)(X), rtol=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_samples_have_the_moments_of_the_components(kind):
    X, _ = blobs()
    model = sf.GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    rows, labels = model.sample(60_000)
    assert_array_equal(np.sort(labels), labels)
    assert_allclose(np.bincount(labels) / 60_000, model.weights_, atol=0.01)
    for c, part in enumerate(model.mixture_.parts):
        own = rows[labels == c]
        covariance = part.covariance if kind in ("full", "tied") else np.diag(part.spread)
        size = np.sqrt(np.diag(covariance))
        assert_allclose(own.mean(axis=0), part.mean, atol=0.05 * size.max())
        assert_allclose(np.cov(own.T) / np.outer(size, size), covariance / np.outer(size, size), atol=0.06)
    assert_array_equal(model.sample(5)[0], model.sample(5)[0])


@quiet
@pytest.mark.parametrize("algorithm", ["soft", "hard", "stochastic"])
@pytest.mark.parametrize("init", INITIALISERS)
@pytest.mark.parametrize("kind", TYPES)
def test_whole_weights_are_repeated_rows(kind, init, algorithm):
    X, _ = blobs(150)
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    options = {"covariance_type": kind, "init_params": init, "random_state": 0, "max_iter": 5, "tol": 0}
    model = sf.GaussianMixture(3, algorithm=algorithm, **options)
    once, often = clone(model).fit(X, sample_weight=weight), clone(model).fit(np.repeat(X, weight, axis=0))
    assert_same_model(once, often)
    assert_allclose(once.lower_bounds_, often.lower_bounds_, rtol=1e-9)


def test_rows_of_no_weight_do_not_count():
    X, _ = blobs(200)
    weight = np.r_[np.ones(200), np.zeros(50)]
    more = np.vstack([X, 1e6 * np.ones((50, 3))])
    options = given_start("full")
    mine, plain = (
        sf.GaussianMixture(3, **options).fit(more, sample_weight=weight),
        sf.GaussianMixture(3, **options).fit(X),
    )
    assert_same_model(mine, plain)


@quiet
@pytest.mark.parametrize("init", INITIALISERS)
@pytest.mark.parametrize("algorithm", ["soft", "hard"])
@pytest.mark.parametrize("kind", TYPES)
def test_the_likelihood_rises_and_splits(kind, algorithm, init):
    X, _ = blobs(300, seed=3, apart=1.5)
    model = sf.GaussianMixture(
        4, covariance_type=kind, algorithm=algorithm, init_params=init, random_state=1, tol=1e-12, reg_covar=0
    ).fit(X)
    objective, bound, kl = model.history_.objective, model.history_.metric("free_energy"), model.history_.metric("kl")
    assert np.all(np.diff(objective) >= -1e-9)
    assert np.all(bound >= objective - 1e-9)
    assert np.all(bound[:-1] <= objective[1:] + 1e-9)
    assert_allclose(bound[:-1] + kl[1:], objective[1:], atol=1e-9)


def test_the_objective_is_the_log_likelihood():
    X, _ = blobs()
    model = sf.GaussianMixture(3, random_state=0, tol=1e-12, max_iter=1000, reg_covar=0).fit(X)
    assert model.history_.status == "converged"
    assert_allclose(model.lower_bound_, model.score(X), atol=1e-9)
    prior = sf.GaussianMixture(3, random_state=0, tol=1e-12, max_iter=1000, reg_covar=0.1).fit(X)
    assert_allclose(prior.history_.metric("log_likelihood")[-1], prior.score(X), atol=1e-9)
    assert prior.lower_bound_ < prior.score(X) < model.score(X)
    densities = [multivariate_normal(m, c).pdf(X) for m, c in zip(model.means_, model.covariances_, strict=True)]
    assert_allclose(model.score_samples(X), np.log(model.weights_ @ densities), rtol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_saddle_point_is_no_convergence(seed):
    """Components that begin alike part slowly: the first steps are tiny, and there is much to gain."""
    faithful = sf.datasets.load("faithful").matrix()
    model = sf.GaussianMixture(2, init_params="random", random_state=seed).fit(faithful)
    assert model.converged_
    assert model.score(faithful) == pytest.approx(-4.1553822, abs=1e-3)


@pytest.mark.parametrize("tol", [1e-3, 1e-5])
@pytest.mark.parametrize("kind", TYPES)
def test_tol_is_what_is_left_to_gain(kind, tol):
    X, _ = blobs(300, seed=3, apart=2.5)
    options = {"n_components": 3, "covariance_type": kind, "random_state": 0, "max_iter": 10_000}
    model, end = (sf.GaussianMixture(tol=each, **options).fit(X) for each in (tol, 1e-9))
    assert model.converged_
    assert end.lower_bound_ - model.lower_bound_ < 2 * tol
    assert model.n_iter_ < end.n_iter_


@quiet
@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("alpha", [None, 5.0])
@pytest.mark.parametrize("reg_covar", [0, 1e-9, 1e-6, 1e-3, 1, 100])
@pytest.mark.parametrize("kind", TYPES)
def test_no_iteration_lowers_the_objective(kind, reg_covar, alpha, missing):
    X, _ = blobs(200, seed=3, apart=1.5)
    if missing:
        X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    options = {"covariance_type": kind, "init_params": "random_from_data", "weight_concentration_prior": alpha}
    model = sf.GaussianMixture(4, reg_covar=reg_covar, random_state=1, tol=1e-9, **options).fit(X)
    assert not model.history_.metric("restarted").any()
    assert np.all(np.diff(model.history_.objective) >= -1e-11)
    energy, kl = model.history_.metric("free_energy"), model.history_.metric("kl")
    assert_allclose(energy[:-1] + kl[1:], model.history_.objective[1:], atol=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_the_prior_is_worth_rows(kind):
    """The components of `reg_covar` are those of more rows, which have the variances of the columns."""
    X, labels = blobs(300, apart=0.5)
    options = {"covariance_type": kind, "unlabelled": -1, "random_state": 0}
    model = sf.GaussianMixture(3, reg_covar=0.3, **options).fit(X, labels)
    worth, variance = 0.3 * 300 / 3, X.var(axis=0)
    sums = [np.cov(X[labels == c].T, ddof=0) * np.sum(labels == c) + worth * np.diag(variance) for c in range(3)]
    weights = np.bincount(labels) + worth
    full = np.array([scatter / weight for scatter, weight in zip(sums, weights, strict=True)])
    expected = {
        "full": full,
        "tied": np.sum(sums, axis=0) / weights.sum(),
        "diag": full[:, range(3), range(3)],
        "spherical": np.trace(full, axis1=1, axis2=2) / 3,
    }
    assert_allclose(model.covariances_, expected[kind])


def test_hard_rows_belong_to_one_component():
    X, _ = blobs()
    model = sf.GaussianMixture(3, algorithm="hard", random_state=0, tol=0, reg_covar=0).fit(X)
    assert model.history_.status == "converged"  # the assignment came again
    labels = model.predict(X)
    assert_allclose(model.weights_, np.bincount(labels) / len(X))
    for c in range(3):
        assert_allclose(model.means_[c], X[labels == c].mean(axis=0))
        assert_allclose(model.covariances_[c], np.cov(X[labels == c].T, ddof=0))


@pytest.mark.parametrize("kind", ["spherical", "tied"])
def test_without_variance_it_is_k_means(kind):
    """C10: equal spherical covariances that go to zero give Lloyd's iterations."""
    X, _ = blobs(500, apart=1.0)
    start = X[:4]
    shape = {"spherical": np.full(4, 1e12), "tied": 1e12 * np.eye(3)}[kind]
    options = {"weights_init": np.full(4, 0.25), "means_init": start, "precisions_init": shape}
    mixture = sf.GaussianMixture(4, covariance_type=kind, max_iter=1, **options).fit(X)
    lloyd = sf.KMeans(4, init=start, tol=0).fit(X)
    first = np.argmin(((X[:, None] - start) ** 2).sum(axis=2), axis=1)
    assert_allclose(mixture.means_, [X[first == c].mean(axis=0) for c in range(4)], rtol=1e-9)
    for _ in range(60):  # the next iterations, each again without variance
        options = {**options, "means_init": mixture.means_}
        mixture = sf.GaussianMixture(4, covariance_type=kind, max_iter=1, **options).fit(X)
    assert_allclose(mixture.means_, lloyd.cluster_centers_, rtol=1e-8)


@quiet
def test_drawn_shares_come_close_and_repeat():
    X, labels = blobs(2000, apart=5.0)
    options = {"algorithm": "stochastic", "random_state": 0, "tol": 0, "max_iter": 30}
    model, again = (sf.GaussianMixture(3, **options).fit(X) for _ in range(2))
    assert_array_equal(model.means_, again.means_)
    assert adjusted_rand_score(labels, model.predict(X)) > 0.95
    assert abs(model.score(X) - sf.GaussianMixture(3, random_state=0).fit(X).score(X)) < 0.02


@quiet
@pytest.mark.parametrize("kind", TYPES)
def test_a_small_prior_empties_components(kind):
    """A component must then be worth more than 1 − α rows; here all rows together are worth ten."""
    X, _ = blobs(1000, d=2, k=2, apart=6.0)
    options = {"covariance_type": kind, "random_state": 0, "tol": 1e-6, "max_iter": 1000}
    weight = np.full(1000, 0.01)
    plain = sf.GaussianMixture(8, **options).fit(X, sample_weight=weight)
    model = sf.GaussianMixture(8, weight_concentration_prior=1e-3, **options).fit(X, sample_weight=weight)
    empty = model.weights_ == 0
    assert np.all(plain.weights_ > 0)
    assert 2 <= (~empty).sum() <= 5
    assert_allclose(model.weights_.sum(), 1)
    assert np.all(model.predict_proba(X)[:, empty] == 0)
    assert not set(model.predict(X)) & set(np.flatnonzero(empty))
    smaller = sf.GaussianMixture(int((~empty).sum()), **options).fit(X)
    assert model.mixture_.n_parameters == smaller.mixture_.n_parameters
    assert np.all(np.isfinite(model.impute(np.array([[0.0, np.nan]]))))


def test_a_large_prior_evens_the_weights():
    X, _ = blobs(300)
    model = sf.GaussianMixture(3, weight_concentration_prior=1e7, random_state=0).fit(X)
    assert_allclose(model.weights_, 1 / 3, atol=1e-4)


@quiet
def test_several_starts_keep_the_best():
    X, _ = blobs(300, k=6, seed=5)
    one = sf.GaussianMixture(6, init_params="random_from_data", random_state=3, max_iter=50)
    many = clone(one).set_params(n_init=6).fit(X)
    assert many.lower_bound_ >= one.fit(X).lower_bound_
    assert len(many.history_.finals) == 6
    assert_allclose(max(many.history_.finals), many.lower_bound_)


@quiet
def test_warm_start_goes_on():
    X, _ = blobs()
    whole = sf.GaussianMixture(3, max_iter=20, tol=0, **given_start("full")).fit(X)
    parts = sf.GaussianMixture(3, max_iter=5, tol=0, warm_start=True, **given_start("full"))
    for _ in range(4):
        parts.fit(X)
    assert_same_model(parts, whole, 1e-12)


@pytest.mark.parametrize(
    ("settings", "columns"), [({"n_components": 3}, 3), ({"covariance_type": "diag"}, 3), ({}, 2), ({}, 9)]
)
def test_warm_start_from_another_model_is_refused(settings, columns):
    X, _ = blobs(d=9)
    model = sf.GaussianMixture(2, warm_start=True, random_state=0).fit(X[:, :3]).set_params(**settings)
    with pytest.raises(ValueError, match=r"warm_start goes on from 2 components Gaussian of 3 columns; this fit has"):
        model.fit(X[:, :columns])
    assert model.set_params(warm_start=False).fit(X[:, :columns]).means_.shape[1] == columns


@quiet
def test_warm_start_takes_new_settings():
    X, _ = blobs()
    model = sf.GaussianMixture(2, warm_start=True, random_state=0, max_iter=3).fit(X)
    model.set_params(reg_covar=1e4).fit(X)
    assert_allclose(model.covariances_, np.tile(np.diag(X.var(axis=0)), (2, 1, 1)), atol=1e-3)


def test_it_works_in_pipelines_and_searches():
    X, labels = blobs(300, apart=6.0)
    model = make_pipeline(StandardScaler(), sf.GaussianMixture(3, random_state=0)).fit(X)
    assert adjusted_rand_score(labels, model.predict(X)) > 0.9
    search = GridSearchCV(sf.GaussianMixture(random_state=0), {"n_components": [1, 3], "covariance_type": TYPES}, cv=3)
    assert search.fit(X).best_params_["n_components"] == 3


@quiet
def test_ctrl_c_keeps_the_parameters():
    X, _ = blobs()

    class Impatient(Observer):
        def iteration_done(self, done, snapshot):
            if done.number == 3:
                raise KeyboardInterrupt

    model = sf.GaussianMixture(3, tol=0, **given_start("full"))
    with observe(Impatient()), pytest.raises(KeyboardInterrupt):
        model.fit(X)
    three = sf.GaussianMixture(3, tol=0, max_iter=3, **given_start("full")).fit(X)
    assert model.history_.status == "interrupted"
    assert_same_model(model, three, 1e-14)
