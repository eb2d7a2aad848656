"""Small products use one thread of BLAS, and leave the setting as it was."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import suffice as sf
from suffice import contracts
from suffice.backend import blas
from suffice.backend.blas import blas_threads_for
from suffice.backend.dispatch import using
from suffice.contracts.results import fresh, results
from suffice.distributions import Gaussian
from suffice.errors import NotEstimated

pytestmark = pytest.mark.native


def blas_threads():
    return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


@pytest.fixture
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield blas_threads()


def test_few_multiplications_use_one_thread(two_threads):
    with blas_threads_for(1e6):
        assert blas_threads() == {1}
        with blas_threads_for(1e6):
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == two_threads
    with blas_threads_for(1e12):
        assert blas_threads() == two_threads


def test_so_little_that_no_thread_wakes_changes_nothing(two_threads):
    with blas_threads_for(1e3):
        assert blas_threads() == two_threads
    with blas_threads_for(1e6), blas_threads_for(1e3):
        assert blas_threads() == {1}


def test_it_is_undone_after_an_error_and_whatever_other_threads_do(two_threads):
    with pytest.raises(ZeroDivisionError), blas_threads_for(1e6):
        1 / 0  # noqa: B018
    assert blas_threads() == two_threads

    def work():
        for _ in range(50):
            with blas_threads_for(1e6):
                np.linalg.inv(np.eye(20))

    others = [threading.Thread(target=work) for _ in range(3)]
    for other in others:
        other.start()
    work()
    for other in others:
        other.join(60)
    assert blas_threads() == two_threads


def test_wide_mixtures_use_one_thread(two_threads, monkeypatch):
    """Without kernels LAPACK decomposes the covariances."""
    seen, cholesky = [], np.linalg.cholesky
    monkeypatch.setattr(np.linalg, "cholesky", lambda matrix: (seen.append(blas_threads()), cholesky(matrix))[1])
    member = Gaussian(np.zeros(1100), np.eye(1100))
    with using("portable"):
        member.log_prob(np.ones((20, 1100)))
    assert seen
    assert set().union(*seen) == {1}
    assert blas_threads() == two_threads
    sf.GaussianMixture(2, max_iter=1).fit(np.random.default_rng(0).normal(size=(400, 150)))
    assert blas_threads() == two_threads


def _switches():
    """How often each of the process's other threads went to sleep."""
    own, found = threading.get_native_id(), {}
    for task in Path("/proc/self/task").iterdir():
        if int(task.name) != own:
            lines = (task / "status").read_text().splitlines()
            found[task.name] = [line for line in lines if line.startswith("voluntary_ctxt_switches")]
    return found


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted where Linux lists them")
def test_no_thread_of_blas_wakes_for_so_little(two_threads):
    """Threads may still go to sleep after earlier work, so that once is enough."""
    np.ones((400, 400)) @ np.ones((400, 400))  # threads are there
    assert any(_none_wakes() for _ in range(8))


def _none_wakes():
    time.sleep(0.2)
    before, rng = _switches(), np.random.default_rng(0)
    for n, d in ((9000, 1), (1000, 3), (100, 10), (21, 21), (3, 21)):
        X = rng.normal(size=(n, d))
        few = X[: min(n, d)].T @ X[: min(n, d)] + np.eye(d)
        X @ np.ones(d), X.T @ np.ones(n), X.T @ X, X @ few
        np.linalg.svd(X, full_matrices=False), np.linalg.qr(X)
        for name in ("cholesky", "eigh", "eigvalsh", "inv", "pinv", "slogdet"):
            getattr(np.linalg, name)(few)
        np.linalg.solve(few, np.ones(d))
    time.sleep(0.2)  # those that were woken would have gone to sleep again
    return before == _switches()


def test_the_innermost_block_decides(two_threads):
    with blas_threads_for(1e6):
        with blas_threads_for(1e12):
            assert blas_threads() == two_threads
        assert blas_threads() == {1}
    assert blas_threads() == two_threads


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", contracts.estimators(), ids=lambda cls: cls.__name__)
def test_estimators_decompose_small_matrices_with_one_thread(cls, two_threads, monkeypatch):
    """Whatever is asked of a small table: with several threads it takes 100 times as long on a busy machine."""
    seen = {}

    def watched(name, function):
        def call(*args, **named):
            seen.setdefault(name, set()).update(blas_threads())
            return function(*args, **named)

        return call

    monkeypatch.setattr(blas, "_TINY", 0.0)  # tables for which no thread would wake stand for larger ones
    X, y = cls.example(np.random.default_rng(0), 60)
    for name in ("cholesky", "eigh", "eigvalsh", "inv", "pinv", "qr", "slogdet", "solve", "svd"):
        monkeypatch.setattr(np.linalg, name, watched(name, getattr(np.linalg, name)))
    model = fresh(cls).fit(X, y)
    found = results(model, X)
    if hasattr(model, "inverse_transform"):
        with suppress(NotEstimated):  # of kernel components, unless the fit was asked for it
            model.inverse_transform(found["transform"])
    assert all(numbers == {1} for numbers in seen.values()), seen
    assert blas_threads() == two_threads
