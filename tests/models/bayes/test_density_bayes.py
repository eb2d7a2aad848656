"""Any density in each class: against the models that have one, and against SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import suffice as sf
from suffice.data import Chunk
from suffice.distributions import (
    DiagonalGaussian,
    Dirichlet,
    Exponential,
    Gaussian,
    Independent,
    Mixture,
    Poisson,
    SphericalGaussian,
    StudentT,
)
from suffice.errors import InvalidData, InvalidParameter

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]
CODES = np.unique(Y, return_inverse=True)[1]


@pytest.mark.parametrize(
    ("density", "shared", "same"),
    [
        ("gaussian", False, sf.GaussianBayes("full")),
        ("gaussian", True, sf.GaussianBayes("tied")),
        ("diagonal_gaussian", False, sf.GaussianBayes("diag")),
        (SphericalGaussian(), False, sf.GaussianBayes("spherical")),
    ],
)
def test_gaussian_classes_are_those_of_gaussian_bayes(density, shared, same):
    model = sf.DensityBayes(density, shared=shared).fit(X, Y)
    assert_allclose(model.predict_proba(X), same.fit(X, Y).predict_proba(X), rtol=1e-6, atol=1e-12)
    assert_allclose(model.history_.objective[-1], same.history_.objective[-1], rtol=1e-9)


def test_shared_columns_have_the_variance_within_the_classes():
    model = sf.DensityBayes("diagonal_gaussian", shared=True).fit(X, Y)
    residual = X - np.stack([X[c == Y].mean(axis=0) for c in model.classes_])[CODES]
    for density in model.densities_:
        assert_allclose(density.variance, np.mean(residual**2, axis=0), rtol=1e-12)


def test_shared_variances_count_the_cells_that_are_there():
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = sf.DensityBayes("diagonal_gaussian", shared=True).fit(gaps, Y)
    residual = gaps - np.stack([np.nanmean(gaps[c == Y], axis=0) for c in model.classes_])[CODES]
    assert_allclose(model.densities_[0].variance, np.nanmean(residual**2, axis=0), rtol=1e-10)


@pytest.fixture
def tails():
    """Three classes with tails of three degrees of freedom."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 3, 300)
    return np.array([[0, 0], [3, 0], [0, 3]])[codes] + rng.standard_t(3, (300, 2)), codes


def test_student_t_classes_have_the_densities_of_scipy(tails):
    rows, codes = tails
    model = sf.DensityBayes("student_t", tol=1e-10).fit(rows, codes)
    parts = [stats.multivariate_t(part.mean, part.scale, part.df) for part in model.densities_]
    joint = np.log(np.bincount(codes) / 300) + np.stack([part.logpdf(rows) for part in parts], axis=1)
    assert_allclose(model.predict_joint_log_proba(rows), joint, rtol=1e-9)
    alone = StudentT().fit(rows[codes == 2])
    assert_allclose(model.densities_[2].mean, alone.mean, atol=1e-4)
    assert_allclose(model.densities_[2].df, alone.df, rtol=1e-3)


def test_shared_student_t_classes_are_the_likeliest(tails):
    """No other scale, degrees of freedom or mean makes the rows likelier."""
    rows, codes = tails
    model = sf.DensityBayes("student_t", shared=True, tol=1e-10).fit(rows, codes)
    assert len({part.df for part in model.densities_}) == 1

    def likely(scale, df, shift=0.0):
        parts = [stats.multivariate_t(part.mean + shift, scale, df) for part in model.densities_]
        return sum(parts[c].logpdf(rows[codes == c]).sum() for c in range(3))

    first, count = model.densities_[0], np.bincount(codes)
    best = likely(first.scale, first.df)
    assert_allclose(-best - count @ np.log(count / 300), model.history_.objective[-1], rtol=1e-8)
    assert np.all(np.diff(model.history_.objective) <= 1e-9)
    for other in ((first.scale * 1.02, first.df), (first.scale * 0.98, first.df), (first.scale, first.df * 1.05)):
        assert likely(*other) < best
    assert likely(first.scale, first.df * 0.95) < best
    assert max(likely(first.scale, first.df, 0.01), likely(first.scale, first.df, -0.01)) < best


def test_heavy_tails_do_not_move_the_boundary():
    """One class has gross errors, which move the Gaussian boundary far and that of Student-t little."""
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(-2, 1, (200, 2)), rng.normal(2, 1, (200, 2))])
    y = np.repeat(["a", "b"], 200)
    wrong = np.concatenate([rows, np.full((12, 2), -150.0)])
    labels = np.concatenate([y, np.repeat("b", 12)])
    robust = sf.DensityBayes("student_t", shared=True).fit(wrong, labels)
    assert robust.score(rows, y) > 0.98
    assert sf.DensityBayes("gaussian", shared=True).fit(wrong, labels).score(rows, y) < 0.9


def test_each_class_has_its_own():
    density = {"setosa": "gaussian", "versicolor": StudentT(), "virginica": Mixture("diagonal_gaussian", 2)}
    model = sf.DensityBayes(density, random_state=0).fit(X, Y)
    listed = sf.DensityBayes(list(density.values()), random_state=0).fit(X, Y)
    assert [type(part) for part in model.densities_] == [Gaussian, StudentT, Mixture]
    joint = np.log(1 / 3) + np.stack([part.log_prob(X) for part in model.densities_], axis=1)
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-12)
    assert_array_equal(listed.predict_proba(X), model.predict_proba(X))
    assert_allclose(model.densities_[0].covariance, np.cov(X[:50].T, bias=True), rtol=1e-9)
    rows, classes = model.sample(300, random_state=0)
    assert rows.shape == (300, 4)
    assert model.score(rows, classes) > 0.9


def test_a_mixture_in_each_class_is_mixture_bayes():
    rng = np.random.default_rng(1)
    corner = rng.integers(0, 4, 600)
    rows = np.array([[0, 0], [6, 6], [0, 6], [6, 0]])[corner] + rng.normal(size=(600, 2))
    y = np.where(corner < 2, "even", "odd")
    model = sf.DensityBayes(Mixture("gaussian", 2), tol=1e-9, n_init=3, random_state=0).fit(rows, y)
    same = sf.MixtureBayes(2, reg_covar=0, tol=1e-9, n_init=3, random_state=0).fit(rows, y)
    assert_allclose(model.log_density(rows), same.log_density(rows), rtol=1e-3)
    assert model.score(rows, y) > 0.98


def test_a_known_density_stays_as_it_is():
    known = Gaussian(np.zeros(1), np.eye(1))
    model = sf.DensityBayes([known, Gaussian()]).fit([[5.0], [6.0], [1.0], [3.0]], list("aabb"))
    assert_array_equal(model.densities_[0].mean, [0.0])
    assert_allclose(model.densities_[1].mean, [2.0])
    expected = -stats.norm.logpdf([5, 6]).sum() - stats.norm(2, 1).logpdf([1, 3]).sum() - 4 * np.log(0.5)
    assert_allclose(model.history_.objective[-1], expected)
    with pytest.raises(InvalidData, match="class 'a': the density is of 1 columns, the rows have 2"):
        sf.DensityBayes([known, Gaussian()]).fit(np.eye(4)[:, :2], list("aabb"))


def test_counts_and_times_and_a_prior_of_the_classes():
    rng = np.random.default_rng(2)
    rows = np.column_stack([rng.poisson(3, 90), rng.exponential(2, 90)])
    y = np.repeat(["x", "y", "z"], 30)
    family = Independent({0: Poisson(), 1: Exponential()})
    model = sf.DensityBayes(family, priors=Dirichlet(5)).fit(rows, y)
    naive = sf.NaiveBayes({0: "poisson", 1: "exponential"}, alpha=0).fit(rows, y)
    assert_allclose(model.predict_proba(rows), naive.predict_proba(rows), rtol=1e-9)
    with pytest.raises(InvalidData, match=r"class 'z'.*row .*, column 0 holds 0\.5; Poisson needs counts"):
        sf.DensityBayes(family).fit(np.where(np.arange(90)[:, None] == 89, 0.5, rows), y)


def test_pieces_and_weights():
    rng = np.random.default_rng(3)
    weight = rng.integers(0, 3, 150)
    again = np.repeat(np.arange(150), weight)
    for shared in (False, True):
        model = sf.DensityBayes("student_t", shared=shared, random_state=0)
        whole = model.fit(X, Y, sample_weight=weight).predict_joint_log_proba(X)
        assert_allclose(model.fit(X[again], Y[again]).predict_joint_log_proba(X), whole, rtol=1e-7)


@pytest.mark.parametrize(
    ("density", "options", "said"),
    [
        ({"setosa": "gaussian"}, {}, "density has none for class .*versicolor"),
        (["gaussian", "student_t"], {}, "density lists 2, but y has 3 classes; give each class one"),
        ("gausian", {}, "density must be .* Did you mean 'gaussian'"),
        (["gaussian", 3, "gaussian"], {}, "density must be"),
        ("poisson", {"shared": True}, "shared=True needs one density for all classes, a family with a mean"),
        (["gaussian"] * 3, {"shared": True}, "shared=True needs one density for all classes"),
    ],
)
def test_what_does_not_fit_is_refused(density, options, said):
    with pytest.raises(InvalidParameter, match=said):
        sf.DensityBayes(density, **options).fit(X, Y)


def test_missing_values_are_integrated_out():
    gaps = np.where(np.arange(600).reshape(150, 4) % 7 == 0, np.nan, X)
    whole = sf.DensityBayes("student_t", shared=True).fit(gaps, Y)
    assert whole.score(gaps, Y) > 0.95
    assert np.isfinite(whole._log_joint(Chunk(gaps))).all()


def test_a_model_file_keeps_every_density(tmp_path):
    density = {"setosa": "gaussian", "versicolor": StudentT(), "virginica": Mixture("diagonal_gaussian", 2)}
    model = sf.DensityBayes(density, random_state=0).fit(X, Y)
    sf.save(model, tmp_path / "model.sff")
    assert_array_equal(sf.load(tmp_path / "model.sff").predict_proba(X), model.predict_proba(X))


FEW = np.r_[0:50, 50:53, 100]  # of the last class one row


@pytest.mark.parametrize("density", ["gaussian", "diagonal_gaussian", "spherical_gaussian", "student_t"])
def test_classes_that_share_may_have_one_row_each(density):
    model = sf.DensityBayes(density, shared=True).fit(X[FEW], Y[FEW])
    assert_allclose(model.densities_[2].mean, X[100])
    assert model.score(X, Y) > 0.8


@pytest.mark.parametrize("family", [DiagonalGaussian, Gaussian])
def test_what_is_shared_about_a_fixed_mean_is_measured_from_it(family):
    model = sf.DensityBayes(family(mean=np.full(4, 3.0)), shared=True).fit(X, Y)
    for density in model.densities_:
        mean, variance = density.moments()
        assert_allclose(mean, 3.0)
        assert_allclose(variance, np.mean((X - 3) ** 2, axis=0))


@pytest.mark.parametrize("density", ["gaussian", "diagonal_gaussian", "student_t"])
def test_shared_classes_say_which_columns_are_constant(density):
    constant = np.column_stack([X, np.ones(150)])
    with pytest.raises(InvalidData, match=r"DensityBayes: .*columns .*are constant or follow from others"):
        sf.DensityBayes(density, shared=True).fit(constant, Y)


def test_the_order_of_rows_has_no_say_where_classes_have_one_component():
    order = np.random.default_rng(0).permutation(150)
    own = sf.DensityBayes("student_t").fit(X, Y).predict_joint_log_proba(X)
    assert_allclose(sf.DensityBayes("student_t").fit(X[order], Y[order]).predict_joint_log_proba(X), own, rtol=1e-7)


def test_what_a_family_of_mixtures_knows_holds_in_every_class():
    known = sf.DensityBayes(Mixture("gaussian", 2, weights=[0.3, 0.7]), random_state=0).fit(X, Y)
    assert all(np.array_equal(density.weights, [0.3, 0.7]) for density in known.densities_)
    tied = sf.DensityBayes(Mixture("diagonal_gaussian", 2, tied=(0, 0)), random_state=0).fit(X, Y)
    for density in tied.densities_:
        assert_allclose(density.parts[0].variance, density.parts[1].variance)
    emptied = Mixture("diagonal_gaussian", 2, concentration=1e-3, variational=True)
    assert all(density.variational for density in sf.DensityBayes(emptied, random_state=0).fit(X, Y).densities_)
