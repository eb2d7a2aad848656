"""The laws of distances: axioms where they hold, pieces equal the whole, native code equals portable code."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from scipy import sparse

from .. import backend
from ..distances import Distance
from ..errors import InvalidData, InvalidParameter, MemoryNeeded, SufficeError
from ..typing import Floats, Numbers, Reals, TableLike
from .distance_paths import check_paths

RTOL = 1e-10


def check_distance(distance: Distance, seed: int = 0) -> None:
    """Axioms, forms, paths, pieces, precision, missing values, sparse rows, threads and bad input of one distance."""
    rng = np.random.default_rng(seed)
    X, Y = type(distance).example(rng, 70), type(distance).example(rng, 33)
    measure = distance.fitted(X, Y)
    D = measure.pairwise(X)
    _check_axioms(measure, X, D)
    _check_forms(measure, X, Y, D)
    _check_pieces(measure, X, Y)
    _check_backends(measure, X, Y)
    _check_precision(measure, X, Y)
    _check_gaps(measure, X)
    _check_sparse(measure, X, Y)
    _check_bad_input(measure, X)
    check_paths(distance, X, Y)
    _same(pickle.loads(pickle.dumps(measure)).pairwise(X[:5]), D[:5, :5], measure, "pickle keeps it")


def _check_axioms(measure: Distance, X: TableLike, D: Reals) -> None:
    name = repr(measure)
    scale = float(D.max())
    assert np.all(D >= 0), f"{name}: a distance is negative"
    assert np.all(np.diag(D) <= 1e-7 * scale), f"{name}: a row is not at distance 0 from itself"
    if measure.is_symmetric:
        assert np.array_equal(D, D.T), f"{name}: not symmetric"
    if measure.is_metric:
        detour = np.min(D[:, :, None] + D[None, :, :], axis=1)  # by the best third row
        assert np.all(detour >= D - 1e-9 * scale), f"{name}: a detour is shorter, so it is no metric"


def _check_forms(measure: Distance, X: Numbers, Y: Numbers, D: Reals) -> None:
    ranking = measure.pairwise(X, Y, ranking=True)
    true = measure.pairwise(X, Y)
    _same(measure.to_true(ranking), true, measure, "to_true of the ranking form is the distance")
    _same(measure.to_ranking(true), ranking, measure, "to_ranking undoes it")
    _same(measure.pairwise(X, X), D, measure, "X with itself is X")
    order = np.argsort(true, axis=None, kind="stable")
    assert np.all(np.diff(ranking.ravel()[order]) >= -1e-9 * ranking.max()), (
        f"{measure!r}: the ranking form ranks otherwise"
    )
    if measure.is_symmetric:
        _same(measure.condensed(X), D[np.triu_indices(len(X), 1)], measure, "condensed is the upper half")
    else:
        _refused(lambda: measure.condensed(X), InvalidParameter, "pairwise")


def _check_pieces(measure: Distance, X: Numbers, Y: Numbers) -> None:
    memory = 7 * len(Y) * 8
    for other in (Y, None):
        whole = measure.pairwise(X, other)
        limit = memory if other is not None else 3 * len(X) * 8
        blocks = list(measure.chunked(X, other, memory=limit))
        assert [at.start for at, _ in blocks[1:]] == [at.stop for at, _ in blocks[:-1]]
        assert all(block.nbytes <= limit for _, block in blocks), f"{measure!r}: a block is larger than memory"
        _same(np.concatenate([block for _, block in blocks]), whole, measure, "the blocks are the whole")
    _refused(lambda: list(measure.chunked(X, Y, memory=8)), MemoryNeeded, "bytes")


def _check_backends(measure: Distance, X: TableLike, Y: Numbers) -> None:
    found = measure.pairwise(X, Y), measure.pairwise(X)
    with backend.using("portable"):
        _same(found[0], measure.pairwise(X, Y), measure, "native code equals portable code")
        _same(found[1], measure.pairwise(X), measure, "native code equals portable code")
    for n in (1, 3):
        with backend.threads(n):
            assert found[1].tobytes() == measure.pairwise(X).tobytes(), f"{measure!r}: depends on the threads"


def _check_precision(measure: Distance, X: Reals, Y: Reals) -> None:
    single = measure.pairwise(X.astype(np.float32), Y.astype(np.float32))
    assert single.dtype == np.float32, f"{measure!r}: float32 in gives {single.dtype}"
    double = measure.pairwise(X.astype(np.float32).astype(float), Y.astype(np.float32).astype(float))
    np.testing.assert_allclose(single, double, rtol=1e-3, atol=1e-4 * double.max(), err_msg=repr(measure))


def _check_gaps(measure: Distance, X: Reals) -> None:
    spoilt = X.copy()
    spoilt[3, 1] = np.nan
    if not measure.missing:
        _refused(lambda: measure.pairwise(spoilt), InvalidData, "row 3")
        return
    D = measure.pairwise(spoilt)
    assert np.isfinite(D).all(), f"{measure!r}: a missing value makes a distance NaN"
    with backend.using("portable"):
        _same(D, measure.pairwise(spoilt), measure, "missing values: native code equals portable code")
    there = np.delete(np.arange(len(X)), 3)
    _same(D[np.ix_(there, there)], measure.pairwise(X)[np.ix_(there, there)], measure, "other rows are as they were")
    spoilt[4] = np.nan
    assert np.isnan(measure.pairwise(spoilt)[4]).all(), f"{measure!r}: a row of missing values has distances"


def _check_sparse(measure: Distance, X: Numbers, Y: Reals) -> None:
    if not measure.sparse:
        _refused(lambda: measure.pairwise(sparse.csr_array(X)), TypeError, "sparse")
        return
    kept = [np.where(np.abs(Z) > 0.3, Z, 0.0) + 0.0 for Z in (X, Y)]
    for Z in kept:
        Z[:, 0] = 1.0
    A, B = (sparse.csr_array(Z) for Z in kept)
    _same(measure.pairwise(A, B), measure.pairwise(*kept), measure, "sparse rows equal dense rows")
    _same(measure.pairwise(A), measure.pairwise(kept[0]), measure, "sparse rows equal dense rows")
    blocks = [block for _, block in measure.chunked(A, B, memory=3 * len(Y) * 8)]
    _same(np.concatenate(blocks), measure.pairwise(*kept), measure, "sparse rows in pieces")


def _check_bad_input(measure: Distance, X: Reals) -> None:
    infinite = X.copy()
    infinite[3, 1] = np.inf
    _refused(lambda: measure.pairwise(infinite), InvalidData, "row 3")
    _refused(lambda: measure.pairwise(X[:0]), InvalidData, "no rows")
    _refused(lambda: measure.pairwise(X[0]), InvalidData, "2D")
    _refused(lambda: measure.pairwise(X, X[:, :-1]), SufficeError, "columns")
    assert measure.pairwise(X[:1]).shape == (1, 1)


def _refused(call: Any, kind: type[BaseException], word: str) -> None:
    try:
        call()
    except kind as error:
        assert word in str(error), f"{error} does not say {word!r}"
        return
    raise AssertionError(f"no {kind.__name__}")


def _same(found: Floats, expected: Reals, measure: Distance, law: str) -> None:
    scale = float(np.nanmax(np.abs(expected), initial=0.0))
    # A square root doubles the digits that are lost near 0.
    atol = (1e-7 if measure.takes_root else RTOL) * scale
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=atol, err_msg=f"{measure!r}: {law}")
