"""Pairs of rows for a person to judge a clustering by: do these two belong together?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.labels import encode
from ..data.rows import as_array, as_rows, is_sparse
from ..data.source import Needs
from ..data.validate import check_target
from ..errors import InvalidData, shown
from ..params import check_argument
from ..randomness import generator
from ..resampling.contingency import NOISE
from ..resampling.intervals import Interval, check_level, wilson
from ..resampling.rows import count_rows, in_memory, rows_of
from ..text import aligned, figure
from ..typing import Codes, Flags, Numbers, RandomState, TableLike, TargetLike, Whole

_SHOWN = 8  # columns of a table that are printed
_WORDS = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """Pairs of rows in random order; print it for a person, whom it does not tell what the clusters say."""

    rows: Whole  # (m, 2): the numbers of the rows
    together: Flags  # (m,): whether both are in one cluster
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]  # of both rows of each pair, one after the other

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        numbers = [str(i // 2) if i % 2 == 0 else "" for i in range(2 * len(self))]
        lines = [
            (pair, str(row), *cells) for pair, row, cells in zip(numbers, self.rows.ravel(), self.cells, strict=True)
        ]
        return aligned([("pair", "row", *self.columns), *lines])


@dataclass(frozen=True, eq=False)
class Judgement:
    """How far a person agrees with a clustering; each share with an interval."""

    within: Interval  # of the pairs in one cluster: the share that the person puts together as well
    between: Interval  # of the pairs in two clusters: the share that the person keeps apart as well
    agreement: Interval  # of all pairs that were judged
    judged: int
    disagreed: Whole  # (m, 2): the rows of the pairs about which they differ

    def __str__(self) -> str:
        shares = {"in one cluster": self.within, "in two clusters": self.between, "all": self.agreement}
        head = ("pairs", "agreement", f"{100 * self.agreement.level:g} % interval")
        lines = [
            (name, figure(x.value), f"{figure(x.low)} to {figure(x.high)}" if x.value == x.value else "")
            for name, x in shares.items()
        ]
        return aligned([head, *lines])


def sample_pairs(
    X: TableLike, labels: TargetLike, n: int = 20, *, border: float = 1.0, random_state: RandomState = None
) -> SampledPairs:
    """Draw n pairs of rows, half of them in one cluster and half in two, for a person to say which belong together.

    `labels` are the clusters of the rows; those of -1 (noise) are left out. All pairs of a kind are equally likely, and
    none comes twice; where there are fewer than n / 2 of a kind, all of them come. `border` draws from this share of
    the rows alone, those that are least surely where they are: for them (b − a) / max(a, b) is least, a the distance to
    the mean of the own cluster and b that to the nearest other mean.

    >>> pairs = sample_pairs([[1.0], [1.5], [7.0], [7.5]], [0, 0, 1, 1], 2, random_state=0)
    >>> print(pairs)
    pair  row   x0
    0       2    7
            3  7.5
    1       1  1.5
            2    7
    >>> print(judged_pairs(pairs, ["yes", "no"]))
    pairs            agreement  95 % interval
    in one cluster           1    0.2065 to 1
    in two clusters          1    0.2065 to 1
    all                      1    0.3424 to 1
    """
    owner = "sample_pairs"
    check_argument(owner, "n", n, integer=True, at_least=2)
    check_argument(owner, "border", border, number=True, above=0, at_most=1)
    table, rng = in_memory(X, owner), generator(random_state)
    found = as_array(labels, owner, "labels must have one entry a row")
    found = check_target(found, count_rows(table, owner), Needs(owner=owner, target="classes"), place="labels")
    clustered = np.flatnonzero(found != NOISE) if found.dtype.kind in "if" else np.arange(len(found))
    codes = encode(found[clustered])[1] if len(clustered) else np.empty(0, dtype=np.int64)
    if border < 1 and len(clustered):
        near = _near_border(as_rows(table, owner)[clustered], codes, border, owner)
        clustered, codes = clustered[near], codes[near]
    return _shown(table, *_drawn(clustered, codes, int(n), rng))


def _drawn(clustered: Whole, codes: Codes, n: int, rng: np.random.Generator) -> tuple[Whole, Flags]:
    """Pairs of rows, (m, 2), and whether each is in one cluster, in random order."""
    apart, one = _pairs(codes, n // 2, False, rng), _pairs(codes, n - n // 2, True, rng)
    if not len(apart) + len(one):
        raise InvalidData("sample_pairs: there are no two rows in clusters; give labels of at least 2 rows.")
    order = rng.permutation(len(one) + len(apart))
    return clustered[np.concatenate([one, apart])[order]], (np.arange(len(order)) < len(one))[order]


def _pairs(codes: Codes, n: int, within: bool, rng: np.random.Generator) -> Whole:
    """At most n different pairs of places, (m, 2), of one cluster or of two; all are equally likely."""
    order, size = np.argsort(codes, kind="stable"), np.bincount(codes)
    own = np.repeat(size, size)  # of each row in this order, as is `begin`, where its cluster begins
    begin = np.repeat(np.cumsum(size) - size, size)
    partners = own - 1 if within else len(codes) - own
    ends = np.cumsum(partners)
    total = int(ends[-1]) if len(ends) else 0  # every pair is counted twice
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < min(n, total // 2):
        at = np.arange(total) if total <= 8 * n else rng.integers(total, size=4 * n)
        first = np.searchsorted(ends, at, side="right")
        nth = at - (ends[first] - partners[first])
        skipped = (begin[first] + nth >= first) if within else own[first] * (nth >= begin[first])
        second = nth + skipped + (begin[first] if within else 0)
        keys = np.union1d(keys, np.minimum(first, second) * len(codes) + np.maximum(first, second))
    chosen = rng.permutation(keys)[:n]
    return np.asarray(order[np.column_stack(np.divmod(chosen, max(len(codes), 1)))], dtype=np.int64)


def _near_border(X: Numbers, codes: Codes, share: float, owner: str) -> Whole:
    """The places of the rows that are least surely in their cluster, at least two."""
    if not np.isfinite(X).all():
        raise InvalidData(f"{owner}: border needs rows without missing values; fill them in, or leave border out.")
    rows = X.astype(np.float64, copy=False)
    means = np.stack([rows[codes == k].mean(axis=0) for k in range(codes.max() + 1)])
    far = np.stack([np.linalg.norm(rows - mean, axis=1) for mean in means], axis=1)  # (n, k)
    a = far[np.arange(len(codes)), codes].copy()
    far[np.arange(len(codes)), codes] = np.inf
    b = far.min(axis=1)
    with np.errstate(invalid="ignore"):
        margin = np.where(np.isinf(b), 1.0, np.nan_to_num((b - a) / np.maximum(a, b)))
    return np.sort(np.argsort(margin, kind="stable")[: max(2, round(share * len(codes)))])


def _shown(table: object, rows: Whole, together: Flags) -> SampledPairs:
    """The pairs with the cells of their rows as text."""
    if is_sparse(table):
        return SampledPairs(rows, together, (), ((),) * rows.size)
    taken = rows_of(table, rows.ravel())
    if isinstance(taken, np.ndarray):
        lines = taken.reshape(len(taken), -1)
        names = tuple(f"x{j}" for j in range(lines.shape[1]))
    else:
        import narwhals as nw

        frame = nw.from_native(taken, eager_only=True)
        names, lines = tuple(map(str, frame.columns)), frame.rows()
    more = ("…",) if len(names) > _SHOWN else ()
    cells = tuple((*map(_cell, line[:_SHOWN]), *more) for line in lines)
    return SampledPairs(rows, together, (*names[:_SHOWN], *more), cells)


def _cell(value: object) -> str:
    return figure(float(value)) if isinstance(value, float | np.floating) else str(value)


def judged_pairs(pairs: SampledPairs, answers: TargetLike, level: float = 0.95) -> Judgement:
    """How far the answers of a person agree with a clustering, with Wilson's intervals.

    `answers` says of each pair whether its rows belong together: True or "yes", False or "no", and None or "" where the
    person could not tell; such a pair is left out.
    """
    check_level(level)
    if not isinstance(pairs, SampledPairs):
        raise InvalidData(f"judged_pairs: pairs must be what sample_pairs gave; got {shown(pairs)}.")
    given = as_array(answers, "judged_pairs", "answers must have one entry a pair")
    if given.shape != (len(pairs),):
        raise InvalidData(
            f"judged_pairs: answers has shape {given.shape}, but there are {len(pairs)} pairs; give one answer a pair, "
            "None where there is none."
        )
    said = [_answer(value, i) for i, value in enumerate(given.tolist())]
    judged = np.array([answer is not None for answer in said])
    agrees = np.array(
        [answer is not None and answer == bool(own) for answer, own in zip(said, pairs.together, strict=True)]
    )

    def share(of: Flags) -> Interval:
        return wilson(float(np.sum(agrees & of)), float(np.sum(of)), level)

    return Judgement(
        within=share(judged & pairs.together),
        between=share(judged & ~pairs.together),
        agreement=share(judged),
        judged=int(judged.sum()),
        disagreed=pairs.rows[judged & ~agrees],
    )


def _answer(value: object, pair: int) -> bool | None:
    word = str(value).strip().lower()
    if value is None or word in ("", "nan"):
        return None
    if word in _WORDS or value in (0, 1):
        return _WORDS.get(word, bool(value))
    raise InvalidData(f"judged_pairs: answer {pair} must be True, False, 'yes', 'no' or None; got {value!r}.")
