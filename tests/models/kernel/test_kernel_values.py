"""Kernel components and Gaussian processes give what kernlab gives (tests/reference/make_kernel_machine_values.R)."""

import json
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.kernels import GaussianKernel

VALUES = {
    name: np.array(values)
    for name, values in json.loads(
        (Path(__file__).parents[2] / "reference" / "kernel_machine_values.json").read_text(encoding="utf-8")
    ).items()
}
X, y = VALUES["x"].reshape(-1, 3), VALUES["y"]


def test_components_of_kernlab():
    model = sf.KernelPCA(3, kernel="gaussian", gamma=0.3).fit(X)
    np.testing.assert_allclose(model.eigenvalues_ / len(X), VALUES["eigenvalues"], rtol=1e-12)
    scaled = np.abs(model.transform(X[:6])) * np.sqrt(len(X))  # theirs have length √n
    np.testing.assert_allclose(scaled, VALUES["coordinates"].reshape(6, 3), rtol=1e-10)


@pytest.mark.parametrize("inducing", [None, X])
def test_processes_of_kernlab(inducing):
    kernel = GaussianKernel(gamma=0.3)
    model = sf.GaussianProcessRegressor(kernel, alpha=0.5, optimizer=None, inducing=inducing).fit(X, y)
    mean, std = model.predict(X[:6], return_std=True)
    np.testing.assert_allclose(mean, VALUES["fitted"], rtol=1e-8 if inducing is None else 1e-5)
    np.testing.assert_allclose(std, VALUES["deviation"], rtol=1e-8 if inducing is None else 1e-5)


def test_kernel_ridge_is_the_mean_of_a_process():
    model = sf.KernelRidge(0.5, kernel="gaussian", gamma=0.3).fit(X, y)
    np.testing.assert_allclose(model.predict(X[:6]), VALUES["fitted"], rtol=1e-10)
