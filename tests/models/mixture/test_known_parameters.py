"""Parameters that are known stay fixed, components may share a variance, and k-means is the limit of no variance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.backend.mixture import Rule
from suffice.distributions import (
    DiagonalGaussian,
    GammaDistribution,
    Gaussian,
    Independent,
    Mixture,
    Poisson,
    SphericalGaussian,
    StudentT,
    TiedGaussian,
)
from suffice.errors import InvalidParameter

pytestmark = pytest.mark.native

rng = np.random.default_rng(0)
TWO = np.concatenate([rng.normal(0, 4, (100, 2)), rng.normal(12, 6, (200, 2))])
WITH_MISSING = np.where(rng.random(TWO.shape) < 0.1, np.nan, TWO)
C = np.array([[30.0, 5.0], [5.0, 20.0]])


def climbs(model):
    return (np.diff(model.history_.objective) >= -1e-12).all()


@pytest.mark.parametrize("X", [TWO, WITH_MISSING], ids=["seen", "missing"])
@pytest.mark.parametrize(
    ("family", "name", "free"),
    [
        (SphericalGaussian(variance=25.0), "variance", 2 * 2),
        (DiagonalGaussian(variance=[25.0, 9.0]), "variance", 2 * 2),
        (Gaussian(covariance=C), "covariance", 2 * 2),
        (TiedGaussian(covariance=C), "covariance", 2 * 2),
        (SphericalGaussian(mean=[6.0, 6.0]), "mean", 2),
        (DiagonalGaussian(mean=[6.0, 6.0]), "mean", 2 * 2),
        (Gaussian(mean=[6.0, 6.0]), "mean", 2 * 3),
        (TiedGaussian(mean=[6.0, 6.0]), "mean", 3),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
def test_what_is_given_stays(X, family, name, free):
    model = sf.MixtureModel(2, component=family, random_state=0).fit(X)
    for part in model.mixture_.parts:
        assert np.array_equal(getattr(part, name), getattr(family, name))
    assert climbs(model)
    assert model.mixture_.n_parameters == 1 + free


def test_the_free_parameters_are_the_likeliest():
    centre = np.array([1.0, 2.0])
    about = TWO - centre
    assert np.allclose(Gaussian(mean=centre).fit(TWO).covariance, about.T @ about / len(TWO))
    assert np.allclose(DiagonalGaussian(mean=centre).fit(TWO).variance, (about**2).mean(axis=0))
    assert np.allclose(SphericalGaussian(mean=centre).fit(TWO).variance, (about**2).mean())
    assert np.allclose(Gaussian(covariance=C).fit(TWO).mean, TWO.mean(axis=0))


def test_a_member_is_a_start_unless_it_says_what_stays():
    start = SphericalGaussian([0.0, 0.0], 25.0)
    assert start.fit(TWO).variance != 25
    assert SphericalGaussian([0.0, 0.0], 25.0, fixed=("variance",)).fit(TWO).variance == 25


def test_known_parameters_of_a_column():
    model = sf.MixtureModel(2, component=Independent({0: SphericalGaussian(variance=16.0), 1: "gaussian"})).fit(TWO)
    assert all(part.parts[0].variance == 16 for part in model.mixture_.parts)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GammaDistribution(shape=[2.0]), "shape cannot stay fixed"),
        (lambda: StudentT(mean=[0.0]), "mean cannot stay fixed"),
        (lambda: SphericalGaussian(variance=0.0), "must be positive"),
        (lambda: Gaussian(covariance=[[1.0, 2.0], [2.0, 1.0]]), "positive-definite"),
        (lambda: Gaussian(fixed=("mean",)), "which is not given"),
        (lambda: Mixture("poisson", 2, weights=[0.5, 0.6]), "sum to 1"),
        (lambda: Mixture("poisson", 2, tied=(0, 0)), "must be Gaussian"),
        (lambda: sf.MixtureModel(2, component=DiagonalGaussian(variance=[1.0, 2.0, 3.0])).fit(TWO), "for 3 columns"),
        (lambda: sf.GaussianMixture(2, fixed_weights=[0.5, 0.6]).fit(TWO), "fixed_weights"),
        (lambda: sf.GaussianMixture(2, tied=[0, 0, 1]).fit(TWO), "tied"),
    ],
)
def test_what_cannot_stay_is_refused(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data", "random"])
def test_fixed_weights(init):
    apart = np.concatenate([TWO[:100], TWO[100:] + 30])
    model = sf.GaussianMixture(2, fixed_weights=[0.8, 0.2], init_params=init, random_state=0).fit(apart)
    assert model.weights_.tolist() == [0.8, 0.2]
    assert model.means_[0, 0] > model.means_[1, 0]  # the known weights belong to the larger and the smaller group
    assert climbs(model)
    assert model.mixture_.n_parameters == 2 * 5


def test_fixed_weights_of_any_family():
    counts = np.concatenate([rng.poisson(2, 100), rng.poisson(9, 200)]).astype(float)[:, None]
    model = sf.MixtureModel(2, component="poisson", fixed_weights="equal", random_state=0).fit(counts)
    assert model.weights_.tolist() == [0.5, 0.5]
    by_distribution = Mixture(Poisson(), 2, weights=[0.5, 0.5]).fit(counts)
    assert by_distribution.weights.tolist() == [0.5, 0.5]
    assert by_distribution.log_prob(counts).mean() == pytest.approx(model.score(counts), abs=1e-3)


def test_known_components_of_unknown_weights():
    parts = (Poisson([2.0]), Poisson([9.0]))
    counts = np.concatenate([rng.poisson(2, 1000), rng.poisson(9, 3000)]).astype(float)[:, None]
    found = Mixture(Poisson(), 2, parts=parts).fit(counts)
    assert found.parts == parts
    assert found.weights == pytest.approx([0.25, 0.75], abs=0.03)


@pytest.mark.parametrize("X", [TWO, WITH_MISSING], ids=["seen", "missing"])
@pytest.mark.parametrize("kind", ["spherical", "diag", "full"])
def test_some_components_share_and_others_do_not(X, kind):
    model = sf.GaussianMixture(3, covariance_type=kind, tied=[0, 1, 0], random_state=0).fit(X)
    assert np.allclose(model.covariances_[0], model.covariances_[2])
    assert not np.allclose(model.covariances_[0], model.covariances_[1])
    spread = {"spherical": 1, "diag": 2, "full": 3}[kind]
    assert model.mixture_.n_parameters == 2 + 3 * 2 + 2 * spread
    assert climbs(model)


def test_all_tied_is_one_covariance():
    own = sf.GaussianMixture(2, tied=True, random_state=0, tol=1e-9).fit(TWO)
    other = sf.GaussianMixture(2, covariance_type="tied", random_state=0, tol=1e-9).fit(TWO)
    assert np.allclose(own.covariances_[0], other.covariances_)
    assert own.mixture_.n_parameters == other.mixture_.n_parameters


def test_identical_and_spherical_follows_its_formula():
    model = sf.GaussianMixture(2, covariance_type="spherical", tied=True, reg_covar=0, tol=1e-12, random_state=0)
    share = model.fit(TWO).predict_proba(TWO)  # (n, k)
    squares = ((TWO[:, None] - model.means_) ** 2).sum(axis=2)
    assert model.covariances_ == pytest.approx((share * squares).sum() / TWO.size, rel=1e-5)


def lloyd(X, centres):
    labels = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    return np.array([X[labels == j].mean(axis=0) for j in range(len(centres))])


def test_iterations_of_em_are_those_of_k_means_where_the_variance_vanishes():
    """Responsibilities become 0 or 1 by distance, whatever the weights are, which remain free."""
    faithful = sf.datasets.load("faithful").matrix()
    centres = faithful[[0, 3, 5]]
    apart = []
    for variance in (100.0, 1.0, 1e-2, 1e-4):
        means, parts = centres, [SphericalGaussian(m, variance, fixed=("variance",)) for m in centres]
        mixture = Mixture.of([0.2, 0.3, 0.5], parts)
        for _ in range(5):
            mixture, means = mixture.mle(mixture.statistic(faithful)), lloyd(faithful, means)
        apart.append(np.abs([part.mean for part in mixture.parts] - means).max())
        assert all(part.variance == variance for part in mixture.parts)
    assert apart[0] > apart[1] > apart[3]
    assert apart[3] < 1e-9
    labels = ((faithful[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert mixture.weights == pytest.approx(np.bincount(lloyd_labels(faithful, 4, centres)) / len(faithful))
    assert np.array_equal(mixture.posterior_of(faithful).argmax(axis=1), labels)


def lloyd_labels(X, iterations, centres):
    for _ in range(iterations):
        centres = lloyd(X, centres)
    return ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)


def test_a_shrinking_variance_ends_at_a_solution_of_k_means():
    """−2 σ² log p(x) tends to the squared distance to the nearest centre; each fit goes on from the last."""
    X = sf.datasets.load("faithful").matrix()
    kmeans = sf.KMeans(2, n_init=10, random_state=0).fit(X)
    model = sf.MixtureModel(2, warm_start=True, tol=1e-8, random_state=0)
    for variance in (400.0, 100.0, 25.0, 1.0, 1e-2):
        model.set_params(component=SphericalGaussian(variance=variance)).fit(X)
        assert all(part.variance == variance for part in model.mixture_.parts)
    assert np.sort(model.mixture_.to_arrays()["mean"], axis=0) == pytest.approx(
        np.sort(kmeans.cluster_centers_, axis=0)
    )
    assert -2 * variance * model.score_samples(X).sum() == pytest.approx(kmeans.inertia_, rel=1e-2)


def test_known_parameters_survive_a_model_file(tmp_path):
    model = sf.MixtureModel(2, component=SphericalGaussian(variance=25.0), tied=True, random_state=0).fit(TWO)
    sf.save(model, tmp_path / "model")
    again = sf.load(tmp_path / "model")
    assert again.mixture_.parts[0].fixed == ("variance",)
    assert again.partial_fit(TWO[:50]).mixture_.parts[0].variance == 25


@pytest.mark.parametrize("algorithm", ["soft", "hard"])
@pytest.mark.parametrize("covariance_type", ["full", "diag", "spherical"])
@pytest.mark.parametrize("tied", [True, [0, 0, 1]])
def test_small_known_weights_leave_tied_components_alike(tied, covariance_type, algorithm):
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(0, 1, (80, 1)), rng.normal(4, 2, (60, 1))])
    for seed in range(4):
        settings = {"tied": tied, "covariance_type": covariance_type, "algorithm": algorithm, "random_state": seed}
        model = sf.GaussianMixture(3, fixed_weights=[0.02, 0.08, 0.9], tol=1e-6, reg_covar=0, **settings).fit(X)
        assert np.all(np.diff(model.lower_bounds_) > -1e-9)
        groups = np.zeros(3) if tied is True else np.array(tied)
        spread = np.array([np.ravel(part.spread)[0] for part in model.mixture_.parts])
        assert_allclose(spread[groups == 0], spread[0])


def test_a_tied_component_without_rows_has_the_shape_of_its_group():
    parts = tuple(DiagonalGaussian([m], [1.0]) for m in (0.0, 10.0, 99.0))
    member = Mixture(DiagonalGaussian(), 3, [0.4, 0.4, 0.2], parts, tied=(0, 0, 0), fixed=("weights",))
    rows = np.array([[-3.0], [3.0], [7.0], [13.0]])
    found = member.mle(member.statistic(rows, rule=Rule(hard=True)))
    assert [part.variance.tolist() for part in found.parts] == [[9.0]] * 3
    assert found.parts[2].mean.tolist() == [99.0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"fixed_weights": [1.0, 0.0]}, "that of component 1 is 0; leave this component out"),
        ({"fixed_weights": "equal", "weight_concentration_prior": "figueiredo_jain"}, "has nothing to estimate"),
        ({"fixed_weights": "equal", "weight_concentration_prior": 0.5}, "has nothing to estimate"),
        ({"fixed_weights": "equal", "weight_estimate": "variational"}, "has nothing to estimate"),
        ({"covariance_type": "tied", "tied": [0, 1]}, "one covariance for all components"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(settings, said):
    with pytest.raises(InvalidParameter, match=f"^GaussianMixture: .*{said}"):
        sf.GaussianMixture(2, **settings).fit(TWO)
