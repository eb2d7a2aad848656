"""Programmes that pairs of variables alone would need millions of moves for end all the same, at the minimum."""

import numpy as np
import pytest

import suffice as sf
from suffice.backend.smo import Programme
from suffice.solvers.face import on_face

pytestmark = pytest.mark.native
RNG = np.random.default_rng(0)
UNITS = 10.0 ** RNG.integers(-1, 4, 12)  # of columns: nobody scaled them
ROWS = RNG.normal(size=(150, 12)) * UNITS
NUMBERS = (ROWS / UNITS).sum(axis=1) + RNG.normal(size=150)


@pytest.mark.parametrize(
    "model",
    [
        sf.SVR(kernel="linear", C=10.0),
        sf.NuSVR(kernel="linear", C=10.0, nu=0.3),
    ],
    ids=["width", "two sums"],
)
def test_columns_of_any_units(model):
    fitted = model.fit(ROWS, NUMBERS)
    last = fitted.history_.iterations[-1]
    assert fitted.history_.status == "converged"
    assert last.metrics["gap"] <= 1e-3 * abs(last.objective)
    objectives = [one.objective for one in fitted.history_.iterations]
    assert all(np.diff(objectives) <= 1e-9 * np.abs(objectives[1:]))


def test_steps_keep_bounds_and_sums_and_gain():
    K = ROWS @ ROWS.T
    low, high = -np.ones(150), np.ones(150)
    programme = Programme(np.arange(150), NUMBERS, low, high, 0.1, 70)
    a = np.clip(RNG.normal(size=150), low, high)
    a[:5] = [1, -1, 0, 1, -1]
    new, v = on_face(K, programme, a, NUMBERS - K @ a)

    def objective(a):
        return 0.5 * a @ K @ a - NUMBERS @ a + 0.1 * np.abs(a).sum()

    assert np.array_equal(new[:5], a[:5])
    assert np.all((new >= low) & (new <= high))
    np.testing.assert_allclose([new[:70].sum(), new[70:].sum()], [a[:70].sum(), a[70:].sum()], atol=1e-9)
    assert objective(new) < objective(a)
    np.testing.assert_allclose(v, NUMBERS - K @ new, atol=1e-6 * np.abs(K).max())


def test_kernel_that_is_not_positive_is_left_to_pairs():
    K = np.diag([1.0, -1.0, 1.0])
    programme = Programme(np.arange(3), np.ones(3), np.zeros(3), np.ones(3), 0.0, 3)
    a = np.array([0.5, 0.5, 0.5])
    new, _ = on_face(K, programme, a, np.ones(3) - K @ a)
    assert np.array_equal(new, a)
