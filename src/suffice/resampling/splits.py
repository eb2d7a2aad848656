"""Ways to split rows into those learned from and those tested on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn import model_selection as sk

from ..data.labels import encode
from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..typing import TableLike, TargetLike, Whole
from .forward import Forward
from .partition import Partition, Split


@dataclass(frozen=True)
class Folds:
    """k folds, each tested once after a fit to the others; `repeats` times, each with another shuffle.

    Where the target has classes, every fold has its share of each, unless `stratify` is false. Rows of one group stay
    together.
    """

    k: int = 10
    repeats: int = 1
    stratify: bool = True


@dataclass(frozen=True)
class MonteCarlo:
    """Rows drawn at random `times` times: `test` of them, a share or a number, are tested on, the rest learned from."""

    times: int = 30
    test: float = 0.2
    stratify: bool = True


@dataclass(frozen=True)
class LeaveOneOut:
    """Each row, or each group where there are groups, is tested once after a fit to all others."""


@dataclass(frozen=True)
class InSample:
    """All rows are learned from and tested on: for clusterings that cannot place new rows. Not for predictions."""


def holdout(test: float = 0.25, stratify: bool = True) -> MonteCarlo:
    """One split into rows to learn from and rows to test on."""
    return MonteCarlo(1, test, stratify)


NAMES: dict[str, object] = {
    "folds": Folds(),
    "monte_carlo": MonteCarlo(),
    "leave_one_out": LeaveOneOut(),
    "holdout": holdout(),
    "forward": Forward(),
    "in_sample": InSample(),
}


def split(
    wanted: object,
    X: TableLike,
    n: int,
    y: TargetLike = None,
    groups: TargetLike = None,
    seed: int | None = None,
    folds: int = 10,
    owner: str = "evaluate",
) -> Sequence[Split]:
    """The splits that are wanted of n rows, by default so many folds; `y` holds classes to be balanced, or None.

    `owner` speaks in messages.

    >>> [test.tolist() for train, test in split(3, None, 6, seed=0)]
    [[2, 5], [1, 3], [0, 4]]
    """
    if wanted is None:
        wanted = Folds(_most_folds(folds, n, y, groups))
    elif isinstance(wanted, Integral) and not isinstance(wanted, bool):
        wanted = Folds(int(wanted))
    elif isinstance(wanted, str):
        if wanted not in NAMES:
            hint = did_you_mean(wanted, list(NAMES))
            raise InvalidParameter(f"{owner}: splits must be one of {', '.join(NAMES)}; got {wanted!r}.{hint}")
        wanted = NAMES[wanted]
    if isinstance(wanted, Forward):
        return wanted.split(np.empty(n), owner=owner)
    if isinstance(wanted, InSample):
        return [(np.arange(n), np.arange(n))]
    if not isinstance(wanted, Folds | MonteCarlo | LeaveOneOut):
        return _given(wanted, X, n, y, groups, owner)
    target = y if getattr(wanted, "stratify", False) else None
    _check(wanted, n, target, groups, owner)
    if isinstance(wanted, LeaveOneOut) and groups is None:
        return Partition((np.arange(n),))
    nothing = np.zeros(n)
    splitters = _splitters(wanted, target is not None, groups is not None, seed)
    try:
        made = [splitter.split(nothing, target, groups) for splitter in splitters]
        if isinstance(wanted, MonteCarlo):
            return [_pair(pair, n, number, owner) for pairs in made for number, pair in enumerate(pairs, start=1)]
        return Partition(tuple(_fold_of_each_row(pairs, n) for pairs in made))
    except ValueError as error:
        raise InvalidData(f"{owner}: the rows cannot be split by {wanted!r}: {error}") from None


def _fold_of_each_row(pairs: Iterable[Split], n: int) -> Whole:
    fold = np.empty(n, dtype=np.int64)
    for number, (_, test) in enumerate(pairs):
        fold[test] = number
    return fold


def _most_folds(folds: int, n: int, y: Any, groups: Any) -> int:
    """So many folds, or as many as the smallest class and the groups allow."""
    smallest = n if y is None else int(np.bincount(encode(y)[1]).min())
    return max(2, min(folds, n, smallest, n if groups is None else len(np.unique(groups))))


def _splitters(
    wanted: LeaveOneOut | Folds | MonteCarlo, stratified: bool, grouped: bool, seed: int | None
) -> Iterator[Any]:
    """scikit-learn's splitters: one, or one a repetition."""
    if isinstance(wanted, LeaveOneOut):
        yield sk.LeaveOneGroupOut()
    elif isinstance(wanted, MonteCarlo):
        size = int(wanted.test) if wanted.test >= 1 else float(wanted.test)
        if grouped:
            yield sk.GroupShuffleSplit(wanted.times, test_size=size, random_state=seed)
        else:
            kind = sk.StratifiedShuffleSplit if stratified else sk.ShuffleSplit
            yield kind(wanted.times, test_size=size, random_state=seed)
    else:
        kinds = {
            (False, False): sk.KFold,
            (True, False): sk.StratifiedKFold,
            (False, True): sk.GroupKFold,
            (True, True): sk.StratifiedGroupKFold,
        }
        for repeat in range(wanted.repeats):
            one = None if seed is None else seed + repeat
            yield kinds[stratified, grouped](wanted.k, shuffle=True, random_state=one)


def _check(wanted: LeaveOneOut | Folds | MonteCarlo, n: int, y: object, groups: object, owner: str) -> None:
    if isinstance(wanted, LeaveOneOut):
        if n < 2:
            raise InvalidData(f"{owner}: leaving one out needs at least 2 rows; X has {n}.")
        return
    least = (("k", 2), ("repeats", 1)) if isinstance(wanted, Folds) else (("times", 1),)
    for name, low in least:
        value = getattr(wanted, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
            raise InvalidParameter(f"{owner}: {name} of {wanted!r} must be an integer, at least {low}.")
    if isinstance(wanted, MonteCarlo):
        _check_share(wanted, n, owner)
    _check_enough(wanted, n, y, groups, owner)


def _check_share(wanted: MonteCarlo, n: int, owner: str) -> None:
    test = wanted.test
    number = isinstance(test, Real) and not isinstance(test, bool)
    if not number or not (0 < test < 1 or (test == int(test) and 1 <= test < n)):
        raise InvalidParameter(
            f"{owner}: test must be a share between 0 and 1, or a number of rows below {n}; got {test!r}."
        )


def _check_enough(wanted: Folds | MonteCarlo, n: int, y: Any, groups: Any, owner: str) -> None:
    """Refuse more folds than rows, groups, or rows of the smallest class."""
    k = wanted.k if isinstance(wanted, Folds) else 2
    what = f"{k} folds" if isinstance(wanted, Folds) else "a split into two parts"
    if n < k:
        raise InvalidData(f"{owner}: {what} need at least {k} rows; X has {n}.")
    if groups is not None and len(np.unique(groups)) < k:
        raise InvalidData(f"{owner}: {what} need at least {k} groups; there are {len(np.unique(groups))}.")
    if y is not None:
        names, codes = encode(y)
        counts = np.bincount(codes).tolist()
        few = min(counts)
        if few < k:
            rarest = names.tolist()[counts.index(few)]
            fewer = f"use splits={few}, " if few >= 2 and isinstance(wanted, Folds) else ""
            raise InvalidData(
                f"{owner}: class {rarest!r} has {few} row{'s' if few > 1 else ''}, too few for {what}; "
                f"{fewer}merge it with another class, or do not balance the classes: "
                f"splits={type(wanted).__name__}(…, stratify=False)."
            )


def _given(wanted: object, X: TableLike, n: int, y: TargetLike, groups: TargetLike, owner: str) -> list[Split]:
    """The splits of a scikit-learn splitter, or pairs of row numbers that the user made."""
    if hasattr(wanted, "split") and not isinstance(wanted, bytes):
        pairs: Iterable[object] = wanted.split(X, y, groups)
    elif isinstance(wanted, Iterable):
        pairs = wanted
    else:
        raise InvalidParameter(
            f"{owner}: splits must be a number of folds, one of {', '.join(NAMES)}, a splitter, or pairs of rows to "
            f"learn from and rows to test on; got {wanted!r}."
        )
    parts = [_pair(pair, n, number, owner) for number, pair in enumerate(pairs, start=1)]
    _check_parts(parts, n, owner)
    return parts


def _pair(pair: Any, n: int, number: int, owner: str) -> Split:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{owner}: split {number} must be a pair of row numbers; got {pair!r}.") from None
    train, test = (np.flatnonzero(part) if part.dtype == bool else part for part in (train, test))
    for part in (train, test):
        if part.ndim != 1 or part.dtype.kind not in "iu" or (part.size and (part.min() < 0 or part.max() >= n)):
            raise InvalidParameter(f"{owner}: split {number} must hold row numbers from 0 to {n - 1}.")
    return train.astype(np.int64), test.astype(np.int64)


def _check_parts(parts: list[Split], n: int, owner: str) -> None:
    if not parts:
        raise InvalidParameter(f"{owner}: splits must hold at least 1 split; got none.")
    for number, (train, test) in enumerate(parts, start=1):
        for name, part in (("learn from", train), ("test on", test)):
            if not len(part):
                raise InvalidParameter(f"{owner}: split {number} has no rows to {name}.")
        seen = np.zeros(n, dtype=bool)
        seen[train] = True
        if seen[test].any():
            row = int(test[np.argmax(seen[test])])
            raise InvalidParameter(
                f"{owner}: split {number} both learns from row {row} and tests on it, which flatters the model; "
                "take it out of one of the two."
            )
