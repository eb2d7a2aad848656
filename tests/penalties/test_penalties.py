"""Penalties: their laws, and values from papers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from suffice import penalties
from suffice.contracts.discover import penalties as discovered
from suffice.contracts.penalty_laws import check_penalty
from suffice.errors import InvalidParameter

EVERY = [example for cls in discovered() for example in cls.examples(6)]


@pytest.mark.parametrize("penalty", EVERY, ids=repr)
def test_laws(penalty):
    check_penalty(penalty)


def test_thresholds_of_fan_and_li():
    """Soft to 2λ, then (a − 1) z − aλ over a − 2, then nothing: (2.8) of their paper of 2001."""
    z, lam, a = np.linspace(-6, 6, 101), 1.0, 3.7
    size = np.abs(z)
    soft = np.sign(z) * np.maximum(size - lam, 0)
    middle = ((a - 1) * z - np.sign(z) * a * lam) / (a - 2)
    expected = np.where(size <= 2 * lam, soft, np.where(size <= a * lam, middle, z))
    assert_allclose(penalties.SCAD(lam, a).prox(z, 1.0), expected, atol=1e-12)


def test_thresholds_of_zhang():
    """γ / (γ − 1) times soft thresholding up to γλ, then nothing."""
    z, lam, g = np.linspace(-6, 6, 101), 1.0, 3.0
    soft = np.sign(z) * np.maximum(np.abs(z) - lam, 0)
    assert_allclose(
        penalties.MCP(lam, g).prox(z, 1.0), np.where(np.abs(z) <= g * lam, soft * g / (g - 1), z), atol=1e-12
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: penalties.L1(-1.0), "L1: strength must be a number, at least 0; got -1.0."),
        (lambda: penalties.ElasticNetPenalty(1.0, 2.0), "l1_ratio must be a number, at least 0 and at most 1"),
        (lambda: penalties.L2(1.0, (1.0, -2.0)), "L2: weights must be at least 0; got -2."),
        (lambda: penalties.L2(1.0, (1.0, 2.0)).check_columns(3, "Ridge"), "Ridge: L2 has 2 weights; X has 3 columns."),
        (lambda: penalties.L2Matrix(1.0, ((1.0, 2.0), (0.0, 1.0))), "must be square, symmetric"),
        (lambda: penalties.GroupLasso(1.0, (0.5,)), "a whole number from 0 a column"),
        (lambda: penalties.MCP(1.0, 0.9), "MCP: gamma must be a number, above 1; got 0.9."),
        (lambda: penalties.as_penalty("l3"), "got 'l3'"),
    ],
)
def test_refused(make, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        make()
