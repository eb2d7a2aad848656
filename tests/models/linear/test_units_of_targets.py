"""Targets of any size: the same fit in another unit, or one sentence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidData

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
Y = np.exp(0.5 * X[:, 0]) + 0.1 * RNG.gamma(1, 1, 60)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_scale_of_huber_is_found_in_any_unit(unit):
    found, expected = (sf.HuberRegressor(alpha=0).fit(X, Y * u) for u in (unit, 1.0))
    assert_allclose(found.coef_ / unit, expected.coef_, rtol=1e-6)
    assert_allclose(found.scale_ / unit, expected.scale_, rtol=1e-6)


def test_a_loss_with_a_unit_of_its_own_says_what_it_cannot_see():
    model = sf.LinearModel("huber")
    assert model.fit(X, Y * 1e12).score(X, Y * 1e12) > 0.7
    with pytest.raises(InvalidData, match=r"rounding hides δ = 1\.35"):
        model.fit(X, Y * 1e20)


@pytest.mark.parametrize("power", [0.1, 0.5, 0.9])
def test_powers_below_1_end_at_rows_that_are_met(power):
    """Warnings are errors here: no step lowers the objective where rows are met, and that is the end."""
    model = sf.LpRegressor(power).fit(X, Y)
    rest = np.sort(np.abs(Y - model.predict(X)))
    assert rest[3] < 1e-7 < rest[5]
    assert model.history_.status == "converged"
