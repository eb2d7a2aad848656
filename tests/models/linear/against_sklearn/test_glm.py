"""scikit-learn's own tests of generalized linear models, run with our classes in place of theirs."""

import numpy as np
import pytest
import sklearn.linear_model as theirs
from numpy.testing import assert_allclose
from sklearn.base import clone

import suffice as sf
from sklearn_suite import LeftOut, NotOurs, Suite


class PoissonRegressor(sf.PoissonRegressor):
    """Theirs has a private loss, which the tests use to find what is right."""

    def _get_loss(self):
        return theirs.PoissonRegressor()._get_loss()


class GammaRegressor(sf.GammaRegressor):
    def _get_loss(self):
        return theirs.GammaRegressor()._get_loss()


class TweedieRegressor(sf.TweedieRegressor):
    def _get_loss(self):
        return theirs.TweedieRegressor(power=self.power, link=self.link)._get_loss()


DIGITS = "asks for nine digits, where steps by the expected curvature end at eight; see below for seven"
ANOTHER = "many coefficients fit equally well without a penalty; theirs are the shortest"
# Every test that has to fail, or is not run, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_*_GeneralizedLinearRegressor*": NotOurs("a private class of theirs"),
    "test_*BinomialRegressor*": NotOurs("a class of their tests"),
    "test_glm_log_regression?estimator5-False-lbfgs?": LeftOut("asks for six digits of one that is not penalised"),
    "test_glm_regression[[]*-GammaRegressor()-*-newton-cholesky?": LeftOut(DIGITS),
    "test_glm_regression[[]*-TweedieRegressor(*)-*-newton-cholesky?": LeftOut(DIGITS),
    "test_glm_regression_[hv]stacked_X[[]*-GammaRegressor()-*-newton-cholesky?": LeftOut(DIGITS),
    "test_glm_regression_[hv]stacked_X[[]*-TweedieRegressor(*)-*-newton-cholesky?": LeftOut(DIGITS),
    "test_glm_regression_unpenalized[[]wide-*-False-lbfgs?": ANOTHER,
    "test_glm_regression_unpenalized_[hv]stacked_X[[]wide-*-False-lbfgs?": ANOTHER,
    "test_glm_wrong_y_range*": "the error is the same kind (ValueError) with words of its own",
    "test_tweedie_link_a*": "a private attribute of theirs",
    "test_linalg_warning_with_newton_solver": "dependent columns are warned about, as IllConditioned",
}
OURS = {cls.__name__: cls for cls in (PoissonRegressor, GammaRegressor, TweedieRegressor)} | {"Ridge": sf.Ridge}
SUITE = Suite("linear_model/_glm/tests/test_glm.py", OURS, DIFFERENT, tuple(OURS), warns=True)
globals().update(SUITE.collected())


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_penalised_solutions(glm_dataset, fit_intercept):
    """What their test_glm_regression asks, to seven digits."""
    model, X, y, _, with_intercept, without_intercept, alpha = glm_dataset
    if not isinstance(model, sf.PoissonRegressor | sf.GammaRegressor | sf.TweedieRegressor):
        pytest.skip("a class of their tests")
    model = clone(model).set_params(alpha=alpha, fit_intercept=fit_intercept).fit(X[:, :-1], y)
    expected = with_intercept if fit_intercept else np.append(without_intercept, 0.0)
    assert_allclose([*model.coef_, model.intercept_], expected, rtol=1e-6, atol=1e-7)
