"""Factorisations"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np
import sklearn.decomposition as sk
from scipy import sparse

import suffice as sf

from .families.contest import is_installed
from .harness import Workload


def _counts(n: int, d: int, cells: int) -> sparse.csr_array:
    """A sparse table whose first columns are the fullest."""
    rng = np.random.default_rng(0)
    columns = np.minimum((d * rng.random(cells) ** 2).astype(int), d - 1)
    X = sparse.csr_array((1 + rng.random(cells), (rng.integers(0, n, cells), columns)), shape=(n, d))
    X.sum_duplicates()
    return X


def _svd() -> Workload:
    X = _counts(100_000, 50_000, 5_000_000)

    def check(ours, peers):
        mine, other = (float(np.sum(model.singular_values_**2)) for model in (ours, peers["scikit-learn"]))
        assert mine >= other * (1 - 1e-3), f"squares {mine} against {other}"

    return Workload(
        "TruncatedSVD(50).fit", "sparse 100,000 × 50,000, 5M cells",
        lambda: sf.TruncatedSVD(50, random_state=0).fit(X),
        {"scikit-learn": lambda: sk.TruncatedSVD(50, random_state=0).fit(X)},
        check, floor={"scikit-learn": 1.5}, operations=13 * 2 * 5e6 * 60, repeat=3,
    )  # fmt: skip


def _nmf() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.gamma(0.3, 1, (5000, 20)) @ rng.gamma(0.3, 1, (20, 2000)) + 0.5 * rng.random((5000, 2000))

    def check(ours, peers):
        mine, other = ours.reconstruction_err_, peers["scikit-learn"].reconstruction_err_
        assert mine <= other * (1 + 1e-3), f"error {mine} against {other}"

    return Workload(
        "NMF(20).fit", "5,000 × 2,000",
        lambda: sf.NMF(20, random_state=0).fit(X),
        {"scikit-learn": lambda: sk.NMF(20, init="nndsvd", random_state=0).fit(X)},
        check, floor={"scikit-learn": 2.0}, operations=30 * 4 * 5000 * 2000 * 20, repeat=3,
    )  # fmt: skip


def _ratings(n: int, d: int, cells: int) -> sparse.csr_array:
    """What rows did with columns that suit them, the first of both most often."""
    rng = np.random.default_rng(0)
    i, j = ((size * rng.random(4 * cells) ** 1.5).astype(int) for size in (n, d))
    suits = np.einsum("ck,ck->c", rng.normal(size=(n, 8))[i], rng.normal(size=(d, 8))[j]) > 1
    at = np.unique(i[suits] * d + j[suits])
    at = rng.permutation(at)[:cells]
    return sparse.csr_array((np.ones(len(at)), (at // d, at % d)), shape=(n, d))


def _loss_of(U: Any, V: Any, X: sparse.csr_array, l2: float) -> float:
    """Σ (1 + x)(1 − u·v)² + Σ (u·v)² over the cells that are 0 + l2 (‖U‖² + ‖V‖²), for counts of 1."""
    U, V = np.asarray(U, dtype=float), np.asarray(V, dtype=float)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    expected = np.concatenate([
        np.einsum("ck,ck->c", U[rows[a : a + 100_000]], V[X.indices[a : a + 100_000]]) for a in range(0, X.nnz, 100_000)
    ])  # fmt: skip
    squares = float(np.sum((U.T @ U) * (V.T @ V))) - float(expected @ expected)
    return float(2 * np.sum((1 - expected) ** 2)) + squares + l2 * float(np.sum(U**2) + np.sum(V**2))


def _als() -> Workload:
    """Equal loss: `implicit` takes its 15 iterations of conjugate gradients, ours stops where it is as low."""
    X, l2 = _ratings(6000, 4000, 1_000_000), 1.0
    ours = partial(
        sf.MatrixFactorization, 32, implicit=True, alpha=1.0, l2=l2, l2_per="vector", tol=0, max_iter=8, random_state=0
    )
    peers = {}
    if is_installed("implicit"):
        theirs = importlib.import_module("implicit.cpu.als").AlternatingLeastSquares
        doubled = sparse.csr_matrix(2 * X)

        def fit() -> Any:
            model = theirs(factors=32, regularization=l2, alpha=1.0, iterations=15, random_state=0)
            model.fit(doubled, show_progress=False)
            return model

        peers["implicit"] = fit

    def check(model, found):
        mine = _loss_of(model.row_factors_, model.components_.T, X, l2)
        for peer in found.values():
            other = _loss_of(peer.user_factors, peer.item_factors, X, l2)
            assert mine <= other * (1 + 1e-3), f"loss {mine} against {other}"

    return Workload(
        "MatrixFactorization(32, implicit=True).fit", f"{X.nnz:,} counts of 6,000 × 4,000",
        lambda: ours().fit(X), peers, check, floor={"implicit": 1.2} if peers else {},
        operations=8 * 2 * X.nnz * 32**2, repeat=3,
    )  # fmt: skip


WORKLOADS = [_svd, _nmf, _als]
