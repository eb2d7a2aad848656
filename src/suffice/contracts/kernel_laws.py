"""The laws of kernels, symmetric and positive, in pieces as a whole; and of windows, which only fall."""

from __future__ import annotations

import pickle

import numpy as np

from ..kernels import Gram, Kernel, Window, as_kernel

RTOL = 1e-10


def check_kernel(kernel: Kernel, seed: int = 0) -> None:
    """Symmetry, eigenvalues, pieces, the matrix kept and made again, names and pickling of one kernel."""
    rng, name = np.random.default_rng(seed), repr(kernel)
    X, Y = rng.normal(size=(40, 4)), rng.normal(size=(23, 4)) + 1
    K, size = kernel(X), float(np.abs(kernel(X)).max())
    assert K.shape == (40, 40), f"{name}: the kernel of 40 rows has shape {K.shape}"
    assert K.dtype == np.float64, f"{name}: gives {K.dtype}"
    np.testing.assert_allclose(K, K.T, rtol=RTOL, atol=RTOL * size, err_msg=f"{name} is not symmetric")
    if kernel.is_positive:
        least = float(np.linalg.eigvalsh(K)[0])
        assert least >= -1e-9 * len(K) * size, f"{name}: has the eigenvalue {least}, and is said to be positive"
    between = kernel(X, Y)
    pieces = np.vstack([kernel(X[:7], Y), kernel(X[7:], Y)])
    np.testing.assert_allclose(
        pieces, between, rtol=RTOL, atol=RTOL * size, err_msg=f"{name}: pieces are not the whole"
    )
    _check_gram(kernel, X, K)
    assert as_kernel(kernel) is kernel
    assert all(type(as_kernel(own)) is type(kernel) for own in type(kernel).names), f"{name}: names lead elsewhere"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(X, Y), between)


def _check_gram(kernel: Kernel, X: np.ndarray, K: np.ndarray) -> None:
    right = np.random.default_rng(1).normal(size=(len(X), 3))
    size = float(np.abs(K).max())
    for memory in (8 * K.size, 0):  # kept, and made again
        gram = Gram.of(X, kernel, memory, "check_kernel")
        np.testing.assert_allclose(gram.diagonal, np.diagonal(K), rtol=RTOL, atol=RTOL * size)
        np.testing.assert_allclose(gram.row(5), K[5], rtol=RTOL, atol=RTOL * size)
        np.testing.assert_allclose(gram.times(right), K @ right, rtol=1e-8, atol=1e-8 * size)


def check_window(window: Window) -> None:
    """A window is 1 at the middle, never negative, never rises, and is 0 beyond 1 where it ends."""
    u, name = np.linspace(0, 3, 301), repr(window)
    weight = window(u)
    assert weight[0] == 1, f"{name}: counts {weight[0]} at distance 0"
    assert np.all(weight >= 0), f"{name}: counts less than nothing"
    assert np.all(np.diff(weight) <= 1e-12), f"{name}: counts more farther away"
    assert np.all(weight[u > 1] == 0) == window.ends, f"{name}: ends={window.ends} is not so"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(window))(u), weight)
