"""Kernels have the values that R's kernlab computes."""

import json
from pathlib import Path

import numpy as np
import pytest

from suffice.kernels import (
    AnovaKernel,
    GaussianKernel,
    LinearKernel,
    MaternKernel,
    PolynomialKernel,
    SpectrumKernel,
    TanhKernel,
)

SAME = {
    "rbfdot": GaussianKernel(gamma=0.7),
    "laplacedot": MaternKernel(1 / 0.7, nu=0.5),  # theirs is of the Euclidean distance
    "polydot": PolynomialKernel(3, gamma=0.5, coef0=2.0),
    "tanhdot": TanhKernel(gamma=0.3, coef0=-0.5),
    "vanilladot": LinearKernel(),
    "anovadot": AnovaKernel(GaussianKernel(gamma=0.7)) ** 2,
}


@pytest.fixture(scope="module")
def values():
    """Values that R computed; tests/reference/make_kernel_values.R made them."""
    return json.loads((Path(__file__).parents[1] / "reference" / "kernel_values.json").read_text())


@pytest.mark.parametrize("name", SAME)
def test_kernels_of_numbers(name, values):
    np.testing.assert_allclose(SAME[name](values["X"], values["Y"]), values[name], rtol=1e-12)


def test_spectrum_of_texts(values):
    ended = [text + "\n" for text in values["texts"]]  # kernlab counts the end of a text as a character
    np.testing.assert_array_equal(SpectrumKernel(2)(ended), values["spectrum"])
    np.testing.assert_allclose(SpectrumKernel(2).normalized()(ended), values["spectrum_normalized"], rtol=1e-12)
