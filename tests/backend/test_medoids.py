"""The native kernels of k-medoids and affinity propagation equal the portable ones, and brute force."""

import importlib
import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from suffice.backend._cpu import level

from suffice import backend
from suffice.backend import affinity, medoids, native, threads

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]


@pytest.fixture(params=LEVELS)
def kernels(request, monkeypatch):
    module = importlib.import_module(f"suffice.backend._native_{request.param}")
    monkeypatch.setattr(native, "_kernels", module)


def matrix(n, seed=0, dtype=np.float64, d=3):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return cdist(X, X).astype(dtype)


def searched(D, weight, start):
    search = medoids.Search(np.asarray(start, dtype=np.int64))
    costs = []
    while not search.is_done(len(D)):
        search = medoids.improve(D, weight, search)
        costs.append(search.cost)
    assert all(b <= a for a, b in itertools.pairwise(costs))
    return search


def weights(kind, n):
    return None if kind is None else np.random.default_rng(9).integers(0, 4, n) * 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [None, "integers"])
@pytest.mark.parametrize(("n", "k"), [(2, 1), (7, 2), (40, 5), (133, 12), (300, 40), (50, 25)])
def test_native_equals_portable(kernels, dtype, weighted, n, k):
    D, weight = matrix(n, n, dtype), weights(weighted, n)
    start = medoids.build(D, weight, k)
    drawn = medoids.random(D, weight, k, np.random.default_rng(1))
    found = [searched(D, weight, s) for s in (start, drawn)]
    with backend.using("portable"):
        np.testing.assert_array_equal(medoids.build(D, weight, k), start)
        for ours, s in zip(found, (start, drawn), strict=True):
            reference = searched(D, weight, s)
            np.testing.assert_array_equal(ours.medoids, reference.medoids)
            assert ours.cost == pytest.approx(reference.cost, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 120), st.integers(1, 12), st.integers(0, 2**32), st.booleans())
def test_bounds_change_no_result(n, k, seed, ties):
    k = min(k, n - 1)
    D = matrix(n, seed)
    if ties:  # whole numbers, where many swaps are equally good
        D = np.round(3 * D)
    start = medoids.build(D, None, k)
    ours = searched(D, None, start)
    with backend.using("portable"):
        np.testing.assert_array_equal(medoids.build(D, None, k), start)
        assert ours.cost == pytest.approx(searched(D, None, start).cost, rel=1e-12)


def test_same_medoids_for_any_number_of_threads(kernels):
    D = matrix(1500, d=8)
    start = medoids.random(D, None, 15, np.random.default_rng(0))
    found = []
    for n in (1, 2, 3, 7):
        with threads(n):
            search = searched(D, None, start)
            found.append((medoids.build(D, None, 15).tobytes(), search.medoids.tobytes(), search.cost))
    assert all(other == found[0] for other in found)


def test_no_swap_is_left(kernels):
    D, k = matrix(60, 4), 4
    search = searched(D, None, medoids.build(D, None, k))
    assert search.cost == pytest.approx(D[search.medoids].min(axis=0).sum())
    for slot, c in itertools.product(range(k), range(60)):
        other = search.medoids.copy()
        other[slot] = c
        assert D[other].min(axis=0).sum() >= search.cost * (1 - 1e-9)


@pytest.mark.parametrize("start", [medoids.random, medoids.lab])
def test_starts_draw_the_same_for_weights_and_repeated_rows(start):
    X = np.random.default_rng(2).normal(size=(60, 2))
    weight = np.random.default_rng(3).integers(0, 5, 60)
    again = np.repeat(np.arange(60), weight)
    one = start(cdist(X, X), weight.astype(float), 7, np.random.default_rng(4))
    two = start(cdist(X[again], X[again]), None, 7, np.random.default_rng(4))
    np.testing.assert_array_equal(one, again[two])
    assert len(set(one)) == 7


@pytest.mark.parametrize("start", [medoids.random, medoids.lab])
def test_starts_with_fewer_different_rows_than_medoids(start):
    D = np.zeros((6, 6))
    D[5, :5] = D[:5, 5] = 1
    assert len(set(start(D, None, 4, np.random.default_rng(0)).tolist())) == 4
    assert len(set(medoids.build(D, None, 4).tolist())) == 4


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_faults_are_found(kernels, dtype):
    for n, (i, j) in ((3, (0, 2)), (130, (70, 127)), (130, (129, 1))):
        for value, kind in ((-1.0, "negative"), (np.nan, "negative"), (np.inf, "negative"), (9.0, "asymmetric")):
            D = matrix(n, n, dtype)
            assert medoids.fault(D, 1e-6) is None
            D[i, j] = value
            found = medoids.fault(D, 1e-6)
            assert found[0] == kind
            assert {found[1], found[2]} == {i, j}
            with backend.using("portable"):
                assert medoids.fault(D, 1e-6)[0] == kind


@pytest.mark.unsanitized
@pytest.mark.parametrize("threads_used", [1, 2])
def test_ctrl_c_stops_a_pass(threads_used):
    D = np.random.default_rng(0).random((3000, 3000), dtype=np.float32)
    D += D.T
    np.fill_diagonal(D, 0)
    began = []

    def press():
        began.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def work_for_a_minute():
        end = time.perf_counter() + 60
        while time.perf_counter() < end:
            searched(D, None, np.arange(200))

    timer = threading.Timer(0.2, press)
    timer.start()
    with threads(threads_used), pytest.raises(KeyboardInterrupt):
        work_for_a_minute()
    assert time.perf_counter() - began[0] < 1.0
    timer.join()


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize("n", [2, 5, 33, 150])
def test_affinity_sweeps(kernels, dtype, rtol, n):
    S = (-matrix(n, n)).astype(dtype)
    np.fill_diagonal(S, -2)
    ours, reference = affinity.Messages.zero(S), affinity.Messages.zero(S)
    for _ in range(6):
        ours = affinity.sweep(ours, 0.6)
        with backend.using("portable"):
            reference = affinity.sweep(reference, 0.6)
        for name in ("availability", "responsibility", "support", "evidence", "choice"):
            a, b = getattr(ours, name), getattr(reference, name)
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max(initial=0), err_msg=name)


def test_affinity_has_the_same_bits_for_any_number_of_threads(kernels):
    S = -matrix(900)
    found = []
    for n in (1, 2, 5):
        messages = affinity.Messages.zero(S)
        with threads(n):
            for _ in range(5):
                messages = affinity.sweep(messages, 0.5)
        found.append((messages.evidence.tobytes(), messages.availability.tobytes()))
    assert found[1:] == found[:-1]
