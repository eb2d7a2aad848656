"""The native kernels equal the portable reference, on every instruction set, layout and number of threads."""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suffice.backend._cpu import level

from suffice import backend
from suffice.backend import kmeans, threads
from suffice.backend import native as loaded
from suffice.backend.dense import native, portable

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
}


@pytest.fixture(params=LEVELS)
def kernels(request, monkeypatch):
    module = importlib.import_module(f"suffice.backend._native_{request.param}")
    monkeypatch.setattr(loaded, "_kernels", module)


def close(left, right, rtol=1e-10):
    for a, b in zip(left, right, strict=True):
        scale = np.max(np.abs(b), initial=0)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d", "q"), [(0, 3, 0), (1, 1, 0), (5, 9, 2), (700, 17, 1), (3001, 40, 0), (130, 70, 3)])
def test_moments(kernels, layout, dtype, n, d, q):
    rng = np.random.default_rng(n + d)
    X = LAYOUTS[layout](rng.normal(3, 2, (n, d)).astype(dtype))
    Y = rng.normal(size=(n, q)) if q else None
    for weight in (None, rng.integers(0, 3, n).astype(float)):
        close(native.moments(X, Y, weight), portable.moments(X, Y, weight))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d", "k"), [(0, 2, 1), (1, 1, 1), (999, 3, 1), (5000, 7, 4), (300, 33, 50)])
@pytest.mark.parametrize("missing", [False, True])
def test_grouped_moments(kernels, layout, dtype, n, d, k, missing):
    rng = np.random.default_rng(n + d)
    X = rng.normal(3, 2, (n, d)).astype(dtype)
    if missing:
        X[rng.random((n, d)) < 0.3] = np.nan
    group = rng.integers(0, k, n)
    for weight in (None, rng.integers(0, 3, n).astype(float)):
        args = (LAYOUTS[layout](X), group, k, weight)
        close(native.grouped_moments(*args), portable.grouped_moments(*args))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-10), (np.float32, 1e-6)])
@pytest.mark.parametrize(("n", "d", "k"), [(0, 2, 3), (1, 1, 1), (999, 20, 1), (257, 7, 10), (70, 33, 50), (5, 3, 8)])
def test_affine(kernels, layout, dtype, rtol, n, d, k):
    rng = np.random.default_rng(n + d)
    X, matrix, offset = rng.normal(3, 2, (n, d)).astype(dtype), rng.normal(size=(d, k)), rng.normal(size=k)
    for shift in (None, rng.normal(size=d)):
        args = (LAYOUTS[layout](X), shift, matrix, offset)
        found = native.affine(*args)
        assert found.dtype == dtype
        close([found], [portable.affine(*args)], rtol)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d", "k"), [(0, 2, 3), (1, 1, 1), (999, 20, 5), (257, 7, 10)])
@pytest.mark.parametrize("missing", [False, True])
def test_diagonal_log_density(kernels, layout, dtype, n, d, k, missing):
    rng = np.random.default_rng(n + d)
    X = rng.normal(3, 2, (n, d)).astype(dtype)
    mean, variance = rng.normal(size=(k, d)), rng.random((k, d)) + 0.1
    if missing:
        X[rng.random((n, d)) < 0.2] = np.nan
        variance[0, 0] = np.inf
    args = (LAYOUTS[layout](X), mean, variance)
    close([native.diagonal_log_density(*args)], [portable.diagonal_log_density(*args)])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_first_bad(kernels, layout, dtype):
    X = LAYOUTS[layout](np.ones((1000, 7), dtype))
    assert native.first_bad(X, False) is None
    X[640, 5] = np.nan
    assert native.first_bad(X, False) == portable.first_bad(X, False) == (640, 5)
    assert native.first_bad(X, True) is None
    X[900, 1] = -np.inf
    assert native.first_bad(X, True) == portable.first_bad(X, True) == (900, 1)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 3000), st.integers(1, 20), st.integers(0, 2**32))
def test_any_shape_equals_the_reference(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    close(native.moments(X, None, None), portable.moments(X, None, None))


def test_large_mean_keeps_the_variance():
    X = 1e9 + np.random.default_rng(0).normal(size=(200_000, 3))
    exact = np.cov((X - 1e9), rowvar=False, ddof=0)
    weight, _, scatter = backend.moments(X)
    np.testing.assert_allclose(scatter / weight, exact, rtol=1e-6, atol=1e-6)
    _, cells, _, squares = backend.grouped_moments(X)
    np.testing.assert_allclose(squares[0] / cells[0], np.diag(exact), rtol=1e-6)


def test_same_bits_for_any_number_of_threads(kernels):
    rng = np.random.default_rng(1)
    X, group, weight = rng.normal(size=(100_000, 9)), rng.integers(0, 5, 100_000), rng.random(100_000)
    found = []
    for n in (1, 2, 3, 7):
        with threads(n):
            found.append([np.asarray(a).tobytes() for a in (*native.moments(X, None, weight),
                          *native.grouped_moments(X, group, 5, weight))])  # fmt: skip
    assert all(other == found[0] for other in found)


def test_portable_can_be_forced():
    X = np.random.default_rng(2).normal(size=(50, 3))
    with backend.using("portable"):
        close(backend.moments(X), portable.moments(X, None, None), rtol=0)


def test_other_dtypes_go_to_the_portable_code():
    X = np.arange(12).reshape(6, 2)
    close(backend.moments(X), backend.moments(X.astype(float)))


def _work_for_a_minute(X):
    end = time.perf_counter() + 60
    while time.perf_counter() < end:
        native.moments(X, None, None)


@pytest.mark.unsanitized
@pytest.mark.parametrize("threads_used", [1, 2])
def test_ctrl_c_stops_a_kernel(threads_used):
    X = np.ones((400_000, 120))
    began = []

    def press():
        began.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.1, press)
    timer.start()
    with threads(threads_used), pytest.raises(KeyboardInterrupt):
        _work_for_a_minute(X)
    assert time.perf_counter() - began[0] < 1.0
    timer.join()


@pytest.mark.unsanitized
def test_instruction_set_is_chosen_by_the_environment():
    code = "from suffice.backend import native; print(native.instruction_set)"
    run = lambda isa: subprocess.run(  # noqa: E731
        [sys.executable, "-c", code],
        env={**os.environ, "SUFFICE_ISA": isa},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run(LEVELS[0]).stdout.strip() == LEVELS[0]
    assert "SUFFICE_ISA must be one of" in run("v9").stderr


def test_threads_are_counted():
    with threads(3):
        assert backend.thread_count() == 3
        with threads(1):
            assert backend.thread_count() == 1
        assert backend.thread_count() == 3
    with pytest.raises(ValueError, match="threads: n must be an integer, at least 1; got 0"):
        threads(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 9), (64, 16), (300, 17), (1000, 8)])
def test_columns_become_rows(kernels, rng, shape, dtype):
    columns = [rng.normal(size=shape[0]).astype(dtype) for _ in range(shape[1])]
    out = np.empty(shape, dtype)
    assert backend.fill_rows(columns, out)
    np.testing.assert_array_equal(out, np.stack(columns, axis=1))
    if shape[0] > 1:
        for i, column in enumerate(columns):
            row, bad = (37 * i + 5) % shape[0], (np.nan, np.inf, -np.inf)[i % 3]
            before, column[row] = column[row], bad
            assert not backend.fill_rows(columns, out)
            np.testing.assert_array_equal(out, np.stack(columns, axis=1))
            column[row] = before


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_numbers_of_rows_are_the_same_portably(kernels, rng, dtype, order):
    X = np.asarray(rng.normal(size=(101, 5)), dtype, order=order)
    X[3], X[4], X[5, 2] = 0.0, -0.0, np.nan
    mine = backend.row_uniforms(X, seed=12345678901234)
    with backend.using("portable"):
        np.testing.assert_array_equal(mine, backend.row_uniforms(X, seed=12345678901234))
    assert mine[3] == mine[4]
    assert (mine > 0).all()
    assert (mine < 1).all()


@pytest.mark.parametrize("d", [3, 16, 50])
def test_k_means_is_the_same_portably(kernels, rng, d):
    """Many centres and columns, so that every filter has its turn."""
    X, centres, uniform = rng.normal(size=(700, d)), rng.normal(size=(260, d)), rng.random((30, 5))
    labels, seeds = kmeans.labels_only(X, centres, np.zeros(d)), kmeans.seeds(X, None, uniform)
    with backend.using("portable"):
        np.testing.assert_array_equal(labels, kmeans.labels_only(X, centres, np.zeros(d)))
        np.testing.assert_array_equal(seeds, kmeans.seeds(X, None, uniform))
