"""The laws of kernels, symmetric and positive, in pieces as a whole; and of windows, which only fall."""

from __future__ import annotations

import pickle

import numpy as np
from sklearn.base import clone

from ..kernels import Gram, Kernel, Window, as_kernel
from ..kernels.base import Rows
from ..typing import Reals

RTOL = 1e-10


def check_kernel(kernel: Kernel, seed: int = 0) -> None:
    """Raise an AssertionError unless a kernel, one of ours or of your own, keeps the laws of kernels.

    It is symmetric; its eigenvalues are not negative where it says so; blocks are the whole and `diag` the diagonal;
    gradients are those of finite differences; hyperparameters go by name; single precision stays; it can be pickled.
    """
    rng, name = np.random.default_rng(seed), repr(kernel)[:80]
    X, Y = kernel.example(rng, 40), kernel.example(rng, 23)
    K = kernel(X)
    size = float(np.abs(K).max())
    assert K.shape == (40, 40), f"{name}: the kernel of 40 rows has shape {K.shape}"
    assert K.dtype == np.float64, f"{name}: gives {K.dtype}"
    _close(K, K.T, RTOL * size, f"{name} is not symmetric")
    if kernel.is_positive:
        least = float(np.linalg.eigvalsh(K)[0])
        assert least >= -1e-9 * len(K) * size, f"{name}: has the eigenvalue {least}, and is said to be positive"
    _check_pieces(kernel, X, Y, K, name)
    _check_gram(kernel, X, K)
    _check_gradients(kernel, X, name)
    _check_parameters(kernel, X, Y, name)
    _check_single(kernel, X, K, name)


def _check_pieces(kernel: Kernel, X: Rows, Y: Rows, K: Reals, name: str) -> None:
    between, size = kernel(X, Y), float(np.abs(K).max())
    pieces = np.vstack([kernel(X[:7], Y), kernel(X[7:], Y)])
    _close(pieces, between, RTOL * size, f"{name}: pieces are not the whole")
    _close(kernel(Y, X), between.T, RTOL * size, f"{name} is not symmetric")
    _close(kernel.diag(X), np.diagonal(K), RTOL * size, f"{name}: diag is not the diagonal")
    for memory in (1, 8 * 40 * 7, 1 << 20):
        blocks = list(kernel.blocks(X, memory=memory))
        assert [rows.start for rows, _ in blocks] == [0, *(rows.stop for rows, _ in blocks[:-1])]
        whole = np.vstack([block for _, block in blocks])
        _close(whole, K, RTOL * size, f"{name}: blocks are not the whole")
    assert kernel(X[:0], Y).shape == (0, 23), f"{name}: fails for no rows"


def _check_gram(kernel: Kernel, X: Rows, K: Reals) -> None:
    right = np.random.default_rng(1).normal(size=(len(X), 3))
    size = float(np.abs(K).max())
    for memory in (8 * K.size, 0):  # kept, and made again
        gram = Gram.of(X, kernel, memory, "check_kernel")
        np.testing.assert_allclose(gram.diagonal, np.diagonal(K), rtol=RTOL, atol=RTOL * size)
        np.testing.assert_allclose(gram.row(5), K[5], rtol=RTOL, atol=RTOL * size)
        np.testing.assert_allclose(gram.times(right), K @ right, rtol=1e-8, atol=1e-8 * size)


def _check_gradients(kernel: Kernel, X: Rows, name: str) -> None:
    K, slopes = kernel.gradients(X)
    theta = kernel.theta
    np.testing.assert_allclose(K, kernel(X), rtol=1e-9, atol=1e-9 * np.abs(K).max(), err_msg=f"{name}: gradients")
    assert len(slopes) == len(theta) == len(kernel.theta_names), f"{name}: {len(slopes)} gradients of {len(theta)}"
    step = 1e-5
    for j, slope in enumerate(slopes):
        moved = step * np.eye(len(theta))[j]
        up, down = (kernel.with_theta(theta + side * moved)(X) for side in (1, -1))
        size = max(float(np.abs(up).max()), float(np.abs(slope).max()), 1e-300)
        where = f"{name}: the gradient in {kernel.theta_names[j]} is not that of differences"
        np.testing.assert_allclose(slope, (up - down) / (2 * step), rtol=1e-5, atol=1e-7 * size, err_msg=where)
    np.testing.assert_allclose(kernel.with_theta(theta).theta, theta, rtol=1e-12, atol=1e-12)


def _check_parameters(kernel: Kernel, X: Rows, Y: Rows, name: str) -> None:
    between = kernel(X, Y)
    assert as_kernel(kernel) is kernel
    assert all(isinstance(as_kernel(own), type(kernel)) for own in type(kernel).names), f"{name}: names lead elsewhere"
    for same in (pickle.loads(pickle.dumps(kernel)), clone(kernel), kernel.with_params(**kernel.get_params())):
        np.testing.assert_array_equal(same(X, Y), between, err_msg=f"{name}: a copy is another kernel")
    changed = clone(kernel).set_params(**kernel.with_theta(kernel.theta + 0.1).get_params())
    np.testing.assert_allclose(changed.theta, kernel.theta + 0.1, err_msg=f"{name}: set_params")


def _check_single(kernel: Kernel, X: Rows, K: Reals, name: str) -> None:
    if X.dtype != np.float64:
        return
    single = kernel(X.astype(np.float32))
    assert single.dtype == np.float32, f"{name}: gives {single.dtype} for single precision"
    assert kernel.diag(X.astype(np.float32)).dtype == np.float32, f"{name}: diag in another precision"
    np.testing.assert_allclose(single, K, rtol=1e-3, atol=1e-4 * np.abs(K).max(), err_msg=f"{name}: single precision")


def _close(found: Reals, wanted: Reals, atol: float, words: str) -> None:
    np.testing.assert_allclose(found, wanted, rtol=RTOL, atol=atol, err_msg=words)


def check_window(window: Window) -> None:
    """A window is 1 at the middle, never negative, never rises, and is 0 beyond 1 where it ends."""
    u, name = np.linspace(0, 3, 301), repr(window)
    weight = window(u)
    assert weight[0] == 1, f"{name}: counts {weight[0]} at distance 0"
    assert np.all(weight >= 0), f"{name}: counts less than nothing"
    assert np.all(np.diff(weight) <= 1e-12), f"{name}: counts more farther away"
    assert np.all(weight[u > 1] == 0) == window.ends, f"{name}: ends={window.ends} is not so"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(window))(u), weight)
