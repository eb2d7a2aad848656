"""Random arguments: tables of every shape, layout, type and extreme, weights, labels, and what is none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

from suffice.contracts.array_kinds import kinds_of

Rng = np.random.Generator
Spoil = Callable[[Rng, Any], Any]

EXTREMES = (0.0, -0.0, 1e-308, 5e-324, 1e-160, 1e150, 1e160, 1e308, -1e308, np.nan, np.inf, -np.inf, 2.0**53, 1e18)
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 50, 10**6, 2**40, 2**63, 10**400, -(10**400), 0.0, 0.5, 1.0, -1.0, 1e-9, 1e9,
    1e200, np.nan, np.inf, -np.inf, "", "a", "auto", "euclidean", "full", "x" * 1000, b"ab", 1j, (), [], {}, (1, 2),
    [1.0, 2.0], [[1.0], [2.0, 3.0]], {"a": 1}, {0: 1.0}, np.float32(2), np.int8(3), np.datetime64("2024-01-01"),
)  # fmt: skip


def pick(rng: Rng, choices: Any) -> Any:
    """One of some choices, as it is."""
    return choices[int(rng.integers(len(choices)))]


def scalar(rng: Rng) -> Any:
    """A number, a word, or something else that may be given where one is expected; often a small whole number."""
    if rng.random() < 0.5:
        return int(rng.integers(0, 6)) if rng.random() < 0.7 else float(rng.normal())
    return pick(rng, SCALARS)


def rows(rng: Rng) -> int:
    """How many rows: few more often than many."""
    return int(pick(rng, (0, 1, 2, 3, 4, 5, 8, 13, 30, 30, 60, 60)))


def table(rng: Rng) -> Any:
    """A table of numbers, made from nothing."""
    n, d = rows(rng), int(pick(rng, (0, 1, 1, 2, 3, 4, 9, 70)))
    kind = int(rng.integers(5))
    if kind == 0:
        return rng.normal(size=(n, d))
    if kind == 1:
        return rng.integers(0, 4, (n, d)).astype(float)
    if kind == 2:
        return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-30, 30, d)
    if kind == 3:
        return np.repeat(rng.normal(size=(1, d)), n, axis=0)
    return rng.choice(EXTREMES, (n, d))


def _cells(rng: Rng, X: Any) -> Any:
    X = np.array(X, dtype=np.float64)
    if X.size:
        for _ in range(int(rng.integers(1, 4))):
            X[tuple(int(rng.integers(n)) for n in X.shape)] = pick(rng, EXTREMES)
    return X


def _constant(rng: Rng, X: Any) -> Any:
    X = np.array(X, dtype=np.float64)
    if X.ndim == 2 and X.shape[1]:
        X[:, int(rng.integers(X.shape[1]))] = pick(rng, EXTREMES[:9])
    return X


def _sparse(rng: Rng, X: Any) -> Any:
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        return X
    made = pick(rng, (sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.csr_matrix))(
        X * (rng.random(X.shape) < 0.6)
    )
    if made.format == "csr" and made.nnz and rng.random() < 0.3:
        made.indices = made.indices.copy()
        made.indices[0] = pick(rng, (0, X.shape[1] - 1, X.shape[1], -1))
        made.has_canonical_format = False
    return made


def _frame(rng: Rng, X: Any) -> Any:
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        return X
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    odd = int(rng.integers(6))
    if odd == 0 and X.shape[1]:
        frame["x0"] = np.resize(np.array(["red", "blue", None], dtype=object), len(frame))
    if odd == 1 and X.shape[1] > 1:
        frame.columns = ["x0", "x0", *frame.columns[2:]]
    if odd == 2 and X.shape[1]:
        frame["x0"] = pd.Categorical(np.resize(["red", "blue"], len(frame)))
    if odd == 3 and X.shape[1]:
        frame["x0"] = pd.date_range("2024-01-01", periods=len(frame))
    return pl.from_pandas(frame) if odd != 1 and rng.random() < 0.4 else frame


def _layout(rng: Rng, X: Any) -> Any:
    X = np.asarray(X)
    return pick(rng, list(kinds_of(X)))[1] if X.dtype == np.float64 and X.ndim else X


def _dtype(rng: Rng, X: Any) -> Any:
    X = np.asarray(X)
    dtype = pick(rng, (np.float32, np.float16, np.int64, np.int8, np.uint8, bool, object, str, complex, "M8[s]"))
    with np.errstate(all="ignore"):
        return X.astype(np.int64).astype(dtype) if dtype == "M8[s]" and X.dtype.kind == "f" else _cast(X, dtype)


def _cast(X: Any, dtype: Any) -> Any:
    try:
        return X.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return X


def _shape(rng: Rng, X: Any) -> Any:
    X = np.asarray(X)
    return pick(
        rng, (X[:1], X[:0], X[..., None], X.ravel(), X[:, :1] if X.ndim == 2 else X, X[None], X[:-1], np.float64(3))
    )


def _records(rng: Rng, X: Any) -> Any:
    return np.zeros(np.shape(X)[:1], dtype=[("a", "f8"), ("b", "i4")])


def _objects(rng: Rng, X: Any) -> Any:
    X = np.array(X, dtype=object)
    if X.size:
        X[tuple(int(rng.integers(n)) for n in X.shape)] = pick(rng, (None, "red", 10**400, object(), 1j, [1], np.nan))
    return X


def _junk(rng: Rng, X: Any) -> Any:
    return scalar(rng)


SPOILS: tuple[Spoil, ...] = (
    _cells, _cells, _constant, _sparse, _frame, _layout, _layout, _dtype, _shape, _records, _objects, _junk,
    lambda rng, X: np.repeat(X, 2, axis=0) if np.ndim(X) else X,
)  # fmt: skip


def spoilt(rng: Rng, X: Any) -> Any:
    """An array as it is, or changed in one or two ways."""
    for _ in range(int(pick(rng, (0, 0, 1, 1, 2)))):
        try:
            X = pick(rng, SPOILS)(rng, X)
        except Exception:  # a change that this array does not allow
            return X
    return X


def weights(rng: Rng, n: int) -> Any:
    """Weights of n rows, good ones more often."""
    good = rng.integers(0, 4, n).astype(float) if rng.random() < 0.6 else rng.random(n)
    return (
        good
        if rng.random() < 0.6
        else spoilt(rng, pick(rng, (good * 1e308, good * 1e-320, good[:-1], -good, good * 0)))
    )


def target(rng: Rng, y: Any, n: int) -> Any:
    """A target, good ones more often."""
    if rng.random() < 0.7:
        return y
    other = pick(rng, (
        np.resize(np.array(["a", "b", "c"]), n), rng.normal(size=n), np.zeros(n), np.arange(n), np.full(n, "one"),
        np.resize(np.array(["a", 1, None], dtype=object), n), rng.normal(size=(n, 2)), np.resize([True, False], n),
        None,
    ))  # fmt: skip
    return spoilt(rng, other)
