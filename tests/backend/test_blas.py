"""Small products use one thread of BLAS, and leave the setting as it was."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import suffice as sf
from suffice.backend.blas import blas_threads_for
from suffice.distributions import Gaussian


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


def test_it_is_undone_after_an_error_and_whatever_other_threads_do(two_threads):
    with pytest.raises(ZeroDivisionError), blas_threads_for(1):
        1 / 0  # noqa: B018
    assert blas_threads() == two_threads

    def work():
        for _ in range(50):
            with blas_threads_for(1):
                np.linalg.inv(np.eye(20))

    others = [threading.Thread(target=work) for _ in range(3)]
    for other in others:
        other.start()
    work()
    for other in others:
        other.join(60)
    assert blas_threads() == two_threads


def test_wide_mixtures_use_one_thread(two_threads, monkeypatch):
    """More columns than the kernels take: LAPACK decomposes the covariances."""
    seen, cholesky = [], np.linalg.cholesky
    monkeypatch.setattr(np.linalg, "cholesky", lambda matrix: (seen.append(blas_threads()), cholesky(matrix))[1])
    member = Gaussian(np.zeros(1100), np.eye(1100))
    member.log_prob(np.ones((20, 1100)))
    assert seen
    assert set().union(*seen) == {1}
    assert blas_threads() == two_threads
    sf.GaussianMixture(2, max_iter=1).fit(np.random.default_rng(0).normal(size=(400, 150)))
    assert blas_threads() == two_threads
