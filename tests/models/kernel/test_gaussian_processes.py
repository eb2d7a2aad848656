"""Gaussian processes: likelihoods, weights, noise, inducing points, sources, refusals."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, NotConverged, SufficeError
from suffice.kernels import GaussianKernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=60)
LABELS = np.where(Y + 0.3 * RNG.normal(size=60) > 0, "up", "down")
OURS, THEIRS = 2.0 * GaussianKernel(bandwidth=(1.0, 2.0)), ConstantKernel(2.0) * RBF([0.5**0.5, 2.0**0.5])


def test_both_find_the_same_likelihood():
    ours = sf.GaussianProcessRegressor(OURS, alpha=0.01).fit(X, Y)
    theirs = GaussianProcessRegressor(THEIRS, alpha=0.01).fit(X, Y)
    wrapped = sf.GaussianProcessRegressor(THEIRS, alpha=0.01).fit(X, Y)
    expected = pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
    assert ours.log_marginal_likelihood_value_ == expected
    assert wrapped.log_marginal_likelihood_value_ == expected
    np.testing.assert_allclose(ours.predict(X[:9]), theirs.predict(X[:9]), atol=1e-4)


@pytest.mark.parametrize("cls", [sf.GaussianProcessRegressor, sf.GaussianProcessClassifier])
def test_gradients_are_those_of_the_likelihood(cls):
    weight = RNG.integers(0, 4, 60)
    y, given = (Y, {"alpha": 0.1}) if cls is sf.GaussianProcessRegressor else (LABELS, {})
    model = cls(OURS, optimizer=None, **given).fit(X, y, sample_weight=weight)
    theta = OURS.theta + 0.1
    _, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(
        approx_fprime(theta, model.log_marginal_likelihood, 1e-6), gradient, rtol=1e-4, atol=1e-4
    )


def test_laplace_is_that_of_scikit_learn():
    ours = sf.GaussianProcessClassifier(THEIRS, optimizer=None).fit(X, LABELS)
    theirs = GaussianProcessClassifier(THEIRS, optimizer=None).fit(X, LABELS)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)
    for mine, other in zip(ours.latent_mean_and_variance(X), theirs.latent_mean_and_variance(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3
    )  # theirs is a rougher integral


def test_probabilities_are_the_integral():
    from scipy.integrate import quad
    from scipy.special import expit

    from suffice.models.kernel.laplace import mean_probability

    for mean, deviation in ((0.3, 0.2), (2.0, 0.999), (-4.0, 1.001), (3.0, 8.0), (-1.0, 40.0)):

        def density(z, m=mean, s=deviation):
            return expit(m + s * z) * np.exp(-z * z / 2)

        exact = quad(density, -12, 12, limit=500, epsabs=1e-13)[0]
        found = mean_probability(np.array([mean]), np.array([deviation**2]))
        np.testing.assert_allclose(found, exact / np.sqrt(2 * np.pi), atol=1e-10)


@pytest.mark.parametrize("alpha", [1e-8, 0.1])
def test_equal_rows_are_one_row(alpha):
    """The likelihood of rows that come several times, with different targets, is that of the whole matrix."""
    rows, y = np.repeat(X[:8], 3, axis=0), Y[:24]
    kernel = 1.5 * GaussianKernel(bandwidth=1.0)
    model = sf.GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None).fit(rows, y)
    assert len(model.X_train_) == 8
    if alpha == 0.1:
        theirs = GaussianProcessRegressor(ConstantKernel(1.5) * RBF(0.5**0.5), alpha=alpha, optimizer=None).fit(rows, y)
        assert model.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)
        np.testing.assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-9)


def test_intervals_and_draws():
    model = sf.GaussianProcessRegressor(OURS, alpha=0.01, normalize_y=True).fit(X, Y)
    mean, std = model.predict(X[:5], return_std=True)
    of_mean, of_target = model.predict_interval(X[:5]), model.predict_interval(X[:5], of="target")
    np.testing.assert_allclose(of_mean, np.column_stack([mean - 1.959964 * std, mean + 1.959964 * std]), rtol=1e-6)
    assert np.all(np.diff(of_target) > np.diff(of_mean))
    draws = model.sample_y(X[:5], 20_000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * std.max() / 100)
    np.testing.assert_allclose(draws.std(axis=1), std, rtol=0.05)


def test_inducing_points_bound_the_likelihood_and_add_up(tmp_path):
    kernel = 1.3 * GaussianKernel(bandwidth=1.1)
    exact = sf.GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None).fit(X, Y)
    bounds = [
        sf.GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None, inducing=m).fit(X, Y) for m in (3, 10, 30)
    ]
    values = [model.log_marginal_likelihood_value_ for model in bounds]
    assert values[0] < values[1] < values[2] <= exact.log_marginal_likelihood_value_
    pytest.importorskip("pyarrow")
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, Y]), delimiter=",", header="a,b,y", comments="", fmt="%.17g")
    source = sf.scan(tmp_path / "rows.csv", target="y")
    inside = sf.GaussianProcessRegressor(kernel, alpha=0.05, inducing=X[:10]).fit(X, Y)
    file = sf.GaussianProcessRegressor(kernel, alpha=0.05, inducing=X[:10]).fit(source)
    np.testing.assert_allclose(file.predict(source), inside.predict(X), rtol=1e-6)
    assert inside.log_marginal_likelihood_value_ > bounds[1].log_marginal_likelihood_value_


def test_noise_of_their_kernels_is_learned():
    ours = sf.GaussianProcessRegressor(THEIRS + WhiteKernel(0.1)).fit(X, Y)
    theirs = GaussianProcessRegressor(THEIRS + WhiteKernel(0.1)).fit(X, Y)
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-3)
    with pytest.raises(InvalidData, match="cannot be divided by weights"):
        sf.GaussianProcessRegressor(THEIRS + WhiteKernel(0.1)).fit(X, Y, sample_weight=np.full(60, 2.0))


def test_what_is_refused():
    with pytest.raises(MemoryNeeded, match="Nystroem"):
        sf.GaussianProcessRegressor(memory=1000).fit(X, Y)
    with pytest.raises(InvalidData, match="equal cells have different targets"):
        sf.GaussianProcessRegressor(alpha=0).fit([[1.0], [1.0]], [0.0, 1.0])
    with pytest.raises(InvalidParameter, match="one for each row"):
        sf.GaussianProcessRegressor(alpha=np.ones(7)).fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"suffice\.kernels"):
        sf.GaussianProcessRegressor(THEIRS, alpha=0.1, inducing=5).fit(X, Y)
    with pytest.raises(InvalidData, match="need noise"):
        sf.GaussianProcessRegressor(alpha=0, inducing=5).fit(X, Y)
    with pytest.raises(InvalidParameter, match="no rows"):
        sf.GaussianProcessRegressor(alpha=0.1, inducing=5).fit(X, Y).log_marginal_likelihood(np.zeros(2))
    with pytest.warns(NotConverged, match="upper bound of"):
        sf.GaussianProcessRegressor(alpha=0.1).fit(X, np.full(60, 1e9))


def test_a_model_with_their_kernel_is_not_written(tmp_path):
    model = sf.GaussianProcessRegressor(THEIRS, alpha=0.1, optimizer=None).fit(X, Y)
    with pytest.raises(SufficeError, match="kernel"):
        sf.save(model, tmp_path / "model.sff")
