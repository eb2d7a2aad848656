"""Any composition of a loss, a penalty and a solver; quantile regression against scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from numpy.testing import assert_allclose
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidParameter, MemoryNeeded
from suffice.losses import QuantileLoss
from suffice.penalties import L1, L2
from suffice.solvers import linear_programme

RNG = np.random.default_rng(0)
X = RNG.normal(size=(151, 4)) * [1.0, 10.0, 0.1, 1000.0] + [0.0, 3.0, 0.0, 500.0]
Y = X @ [1.0, 0.2, 3.0, 0.001] + RNG.standard_t(2, 151)
WEIGHT = RNG.integers(0, 4, len(X)).astype(float)


def test_squared_loss_with_l2_is_ridge():
    model = sf.LinearModel("squared", penalty=L2(0.3)).fit(X, Y)
    assert_allclose(model.coef_, sk.Ridge(0.3 * len(X)).fit(X, Y).coef_, rtol=1e-8)


def test_squared_loss_with_l1_is_the_lasso():
    model = sf.LinearModel("squared", penalty=L1(0.3), tol=1e-14, max_iter=10_000).fit(X, Y)
    assert_allclose(model.coef_, sk.Lasso(0.3, tol=1e-12).fit(X, Y).coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", ["absolute", QuantileLoss(0.8)])
@pytest.mark.parametrize("strength", [0.0, 0.05])
def test_corners_by_linear_programming(loss, strength):
    """The absolute loss is two halves of the pinball loss of the median."""
    model = sf.LinearModel(loss, penalty=L1(strength)).fit(X, Y)
    q, times = (0.5, 2.0) if loss == "absolute" else (0.8, 1.0)
    peer = sk.QuantileRegressor(quantile=q, alpha=strength / times).fit(X, Y)
    assert_allclose(model.coef_, peer.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(model.intercept_, peer.intercept_, rtol=1e-9)


def test_a_positive_l1_penalty_in_a_linear_programme():
    model = sf.LinearModel("absolute", penalty=L1(1e-6, positive=True)).fit(X, -Y)
    assert np.all(model.coef_ >= 0)
    assert np.any(model.coef_ == 0)
    alone = sf.LinearModel("absolute", penalty=L1(1e-6)).fit(X, Y)
    assert_allclose(sf.LinearModel("absolute", penalty=L1(1e-6, positive=True)).fit(X, Y).coef_, alone.coef_)


def test_a_loss_of_classes_is_refused():
    with pytest.raises(InvalidParameter, match="its targets are classes"):
        sf.LinearModel("hinge").fit(X, Y)


def test_a_solver_that_cannot_is_answered_by_those_that_can():
    with pytest.raises(InvalidParameter, match=r"LBFGS needs a loss with a gradient.*linear_programme"):
        sf.LinearModel("absolute", solver="lbfgs").fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"LinearProgramme needs the absolute or the pinball loss"):
        sf.LinearModel("huber", solver="linear_programme").fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"LinearProgramme needs no penalty or L1.*Solvers that can: sgd"):
        sf.LinearModel("absolute", penalty="l2", solver="linear_programme").fit(X, Y)


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.13])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_quantiles_are_those_of_scikit_learn(quantile, alpha, intercept):
    settings = {"quantile": quantile, "alpha": alpha, "fit_intercept": intercept}
    ours, theirs = sf.QuantileRegressor(**settings), sk.QuantileRegressor(**settings)
    for weight in (None, WEIGHT):
        ours.fit(X, Y, weight), theirs.fit(X, Y, weight)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9, atol=1e-9)


def test_sparse_rows_have_the_quantiles_of_dense_ones():
    rows = np.where(RNG.random(X.shape) < 0.5, 0.0, X)
    dense = sf.QuantileRegressor(alpha=0.01).fit(rows, Y)
    assert_allclose(sf.QuantileRegressor(alpha=0.01).fit(sparse.csr_array(rows), Y).coef_, dense.coef_, rtol=1e-9)


def test_the_median_of_an_even_number_of_rows_is_the_middle():
    model = sf.QuantileRegressor().fit([[0.0], [0.0], [0.0], [0.0]], [3.0, 1.0, 2.0, 9.0])
    assert model.intercept_ == 2.5


def test_rows_that_do_not_fit_into_memory(monkeypatch, tmp_path):
    header = "a,b,c,d,y"
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, Y]), delimiter=",", header=header, comments="")
    model = sf.QuantileRegressor(alpha=0.01).fit(sf.scan(tmp_path / "rows.csv", target="y"))
    assert_allclose(model.coef_, sf.QuantileRegressor(alpha=0.01).fit(X, Y).coef_, rtol=1e-9)
    monkeypatch.setattr(linear_programme, "_MOST_BYTES", 1000)
    with pytest.raises(MemoryNeeded, match="fit a sample of the rows"):
        model.fit(sf.scan(tmp_path / "rows.csv", target="y"))


def test_an_unsolved_programme_is_said(monkeypatch):
    import scipy.optimize

    class Unsolved:
        status, message = 4, "numerical difficulties."

    monkeypatch.setattr(scipy.optimize, "linprog", lambda *args, **options: Unsolved())
    with pytest.warns(sf.errors.NotConverged, match="was not solved: numerical difficulties"):
        sf.QuantileRegressor().fit(X, Y)


def test_a_generalized_model_of_the_absolute_loss_has_no_standard_errors():
    model = sf.GeneralizedLinearRegressor("absolute").fit(X, Y)
    assert_allclose(model.coef_, sf.LinearModel("absolute").fit(X, Y).coef_)
