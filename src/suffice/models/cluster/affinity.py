"""Affinity propagation: rows elect exemplars by messages; the number of clusters follows from the preference."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import Tags

from ...backend.affinity import Messages, sweep
from ...backend.distances import Term, pairwise
from ...backend.kmeans import labels_only
from ...data import Needs, Source
from ...data.distinct import distinct_rows
from ...engine import Kept, Outcome, Step, closed_form, iterate
from ...errors import InvalidData, MemoryNeeded, NotConverged, warn
from ...estimator import Attributes, Clusterer, estimator
from ...holds import flags, floats, integers, optional, record, require
from ...params import learned, numbers, param
from ...randomness import generator, random_state_param
from ...scikit_learn import COPY, VERBOSE, Counterpart
from ...typing import Codes, Floats, RandomState, TableLike
from .alternation import weights

Array = NDArray[Any]
Indices = NDArray[np.int64]
_EXAMPLE_ROWS = 600
_SQUARED = Term("squared")


@dataclass(frozen=True)
class _Votes:
    """The messages after an iteration, and which rows were exemplars in the last iterations, (iterations, n)."""

    messages: Messages
    elected: NDArray[np.bool_]

    @classmethod
    def kept(cls, n: int, dtype: DTypeLike) -> Kept[_Votes]:
        """How they are written to a checkpoint; a sweep overwrites its matrices."""
        matrix, figures = floats(n, n, dtypes=(dtype,)), floats(n, finite=False)
        messages = record(matrix, matrix, matrix, optional(figures), figures, figures)
        return Kept(
            record(messages, flags(None, n)),
            lambda votes: (tuple(getattr(votes.messages, field.name) for field in fields(Messages)), votes.elected),
            lambda values: cls(Messages(*values[0]), values[1]),
            overwritten=True,
        )

    def has_settled(self, iterations: int) -> bool:
        """Whether there are exemplars, and the same rows were elected in each of so many iterations."""
        last = self.elected
        return len(last) >= iterations and bool(last[-1].any()) and bool((last == last[-1]).all())


@estimator
class AffinityPropagation(Clusterer):
    """Let rows elect exemplars by messages: a heuristic for max Σᵢ wᵢ s(xᵢ, e(xᵢ)) + Σ_{exemplars} preference.

    Responsibilities r(i, k) say how well k would serve i compared with its rivals, availabilities a(i, k) how much
    support k has; both are damped. A row with a(k, k) + r(k, k) > 0 is an exemplar. s is minus the squared Euclidean
    distance, or given. A weight counts its row so many times in the sum, and equal rows are one row that weighs as much
    as they do. All pairs are kept in memory, four times.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> model = sf.AffinityPropagation(random_state=5).fit(X)
    >>> model.labels_, model.cluster_centers_indices_
    (array([0, 0, 0, 1, 1, 1]), array([0, 3]))
    """

    units = "common"

    counterpart: ClassVar = Counterpart(
        "sklearn.cluster",
        ignored={
            "copy": COPY,
            "verbose": VERBOSE,
        },
    )

    maximises = True
    exemptions = {  # noqa: RUF012
        "history": "the net similarity of the choices is no objective of the messages and may fall between iterations",
        "check_sample_weight_equivalence_on_dense_data": "clusters are numbered in the order of their exemplars, and "
        "the check puts the rows into another order",
    }

    damping: float = param(0.5, number=True, at_least=0.5, below=1, doc="How much of the old messages is kept.")
    max_iter: int = param(200, integer=True, at_least=1, doc="The most iterations.")
    convergence_iter: int = param(
        15, integer=True, at_least=1, doc="Stop when the exemplars stay for so many iterations."
    )
    preference: object = param(
        None,
        number=True,
        choices=(None,),
        accept=lambda value: isinstance(value, list | tuple | np.ndarray),
        allowed="an array of a number a row",
        doc="How much each row wants to be an exemplar; larger gives more clusters. None takes the median similarity.",
    )
    affinity: str = param("euclidean", choices=("euclidean", "precomputed"), doc="What s is; precomputed: X, (n, n).")
    random_state: RandomState = random_state_param()
    memory: int = param(1 << 32, integer=True, at_least=1, doc="The most bytes for all pairs of rows.")

    cluster_centers_indices_: Indices = learned(
        "The row numbers of the exemplars, (k,).", holds=integers("k", at_least=0, below="n")
    )
    cluster_centers_: Array | None = learned(
        "The exemplars, (k, d); None where X holds similarities.",
        holds=optional(floats("k", "d", dtypes=(np.float64, np.float32))),
    )
    affinity_matrix_: Array = learned(
        "The similarities s, (n, n).", holds=floats("n", "n", dtypes=(np.float64, np.float32))
    )
    n_iter_: int = learned("The number of iterations.")

    def _needs(self) -> Needs:
        rows = self.affinity == "euclidean"
        return super()._needs().but(scaled=rows, one_hot=rows)

    def check_loaded(self) -> None:
        super().check_loaded()
        given = self.cluster_centers_ is None
        require(not given or self.n_features_in_ == len(self.affinity_matrix_), "similarities must be of all rows")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        """Some rows, not more than can be compared in pairs quickly."""
        return super().example(rng, min(n, _EXAMPLE_ROWS))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = source.gather(self.memory, "use KMedoids(method='clara')")
        X, similarity = rows.X, self._similarities(rows.X)
        given = self._given_preferences(len(X))
        counts, weight = self._distinct(X, given, weights(rows))
        S = similarity[np.ix_(counts, counts)]
        preference = np.full(len(S), _median(S, weight)) if given is None else given[counts]
        outcome = self._elect(S, weight, preference.astype(S.dtype))
        if outcome.history.status == "max_iter":
            warn(
                f"AffinityPropagation: the exemplars still changed after max_iter={self.max_iter} iterations; raise "
                "max_iter or damping.",
                NotConverged,
            )
        iterations = len(outcome.history)
        return outcome.then(
            lambda at: self._attributes(X, similarity, np.sort(counts[_refined(S, weight, at)]), iterations)
        )

    def _similarities(self, X: Array) -> Array:
        n = len(X)
        needed = 4 * n * n * X.itemsize
        if needed > self.memory:
            raise MemoryNeeded(
                f"AffinityPropagation: {n:,} rows need {needed:,} bytes for all pairs, more than "
                f"memory={self.memory:,}. Raise memory, fit a sample of the rows and predict the others, or "
                "use KMedoids(method='clara')."
            )
        if self.affinity == "euclidean":
            squared = pairwise(X, None, _SQUARED)
            return np.asarray(np.negative(squared, out=squared))
        if X.shape[0] != X.shape[1]:
            raise InvalidData(
                f"AffinityPropagation: affinity='precomputed' needs a square matrix of similarities; X has shape "
                f"{X.shape}. Give all pairs, or rows with affinity='euclidean'."
            )
        return X

    def _given_preferences(self, n: int) -> Array | None:
        """What each row gets on the diagonal, (n,); None where it is the median."""
        if self.preference is None:
            return None
        shape = () if isinstance(self.preference, Real) else (n,)
        values = numbers("AffinityPropagation", "preference", self.preference, shape, "one finite number a row")
        return np.broadcast_to(values, (n,))

    def _distinct(self, X: Array, preference: Array | None, weight: Array) -> tuple[Indices, Array]:
        """The first of equal rows that have a weight, in an order that is the rows' own, and what all of them weigh."""
        some = np.flatnonzero(weight > 0)
        cells = [X[some]] if self.affinity == "euclidean" else [X[np.ix_(some, some)], X[np.ix_(some, some)].T]
        if preference is not None:
            cells.append(preference[some, None])
        first, same = distinct_rows(np.hstack(cells) if len(cells) > 1 else cells[0])
        return some[first], np.bincount(same, weight[some])

    def _elect(self, S: Array, weight: Array, preference: Array) -> Outcome[Indices]:
        """The exemplars, as positions in S."""
        if _all_equal(S, preference):
            alone = len(S) == 1 or preference[0] >= S[0, -1]  # nothing tells the rows apart
            return closed_form(lambda: Step(np.arange(len(S) if alone else 1), float(preference[0])))
        rows = S * weight[:, None].astype(S.dtype)
        start = lambda run: _Votes(self._start(rows, preference), np.empty((0, len(S)), dtype=bool))  # noqa: E731

        def step(votes: _Votes) -> Step[_Votes]:
            messages = sweep(votes.messages, self.damping)
            elected = np.concatenate([votes.elected, messages.evidence[None] > 0])[-self.convergence_iter :]
            votes = replace(votes, messages=messages, elected=elected)
            return Step(votes, float(messages.choice.sum()), done=votes.has_settled(self.convergence_iter))

        kept = _Votes.kept(len(S), S.dtype)
        outcome = iterate(start, step, max_iter=self.max_iter, minimise=False, kept=kept)
        return outcome.then(lambda votes: np.flatnonzero(votes.elected[-1]))

    def _start(self, S: Array, preference: Array) -> Messages:
        """No messages yet; noise of the last digit keeps equal rows from waiting for each other forever."""
        S = S.copy()
        np.fill_diagonal(S, preference)
        rng, digits = generator(self.random_state), np.finfo(S.dtype)
        for row in S:
            row += (digits.eps * row + digits.tiny * 100) * rng.standard_normal(len(row), dtype=S.dtype)
        return sweep(Messages.zero(S), self.damping)

    def _attributes(self, X: Array, similarity: Array, at: Indices, iterations: int) -> Attributes:
        labels = np.full(len(X), -1, dtype=np.int64)
        if len(at):
            labels = np.argmax(similarity[:, at], axis=1)
            labels[at] = np.arange(len(at))
        return {
            "cluster_centers_indices_": at,
            "cluster_centers_": None if self.affinity == "precomputed" else X[at],
            "labels_": labels,
            "affinity_matrix_": similarity,
            "n_iter_": iterations,
        }

    def predict(self, X: TableLike) -> Codes:
        """The number of the most similar exemplar, -1 where the fit found none."""
        self._check_fitted()
        at, centers = self.cluster_centers_indices_, self.cluster_centers_

        def nearest(X: Array) -> Array:
            if len(at) == 0:
                return np.full(len(X), -1, dtype=np.int64)
            if centers is None:
                return np.asarray(np.argmax(X[:, at], axis=1))
            points = centers.astype(np.float64)
            found = labels_only(X, points, points.mean(axis=0)).astype(np.int64)
            return np.asarray(np.maximum(found, 0))  # none is finite: all are as near

        return self._rows(X, lambda chunk: nearest(chunk.X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def _all_equal(S: Array, preference: Array) -> bool:
    if len(S) == 1 or np.ptp(S[0, 1:]) > 0 or np.ptp(preference) > 0:
        return len(S) == 1
    off = ~np.eye(len(S), dtype=bool)
    return bool(np.ptp(S[off]) == 0)


def _median(S: Array, weight: Array) -> float:
    """The median of all similarities; a pair counts as often as the product of its weights says."""
    if np.all(weight == 1):
        return float(np.median(S))
    order = np.argsort(S, axis=None)
    up_to = np.cumsum(np.outer(weight, weight).ravel()[order])
    low, high = np.searchsorted(up_to, [up_to[-1] / 2, np.nextafter(up_to[-1] / 2, np.inf)])
    return float((S.ravel()[order[low]] + S.ravel()[order[min(high, len(order) - 1)]]) / 2)


def _refined(S: Array, weight: Array, exemplars: Indices) -> Indices:
    """The exemplars, each replaced by the row of its cluster that is most similar to the cluster."""
    if len(exemplars) == 0:
        return exemplars
    label = np.argmax(S[:, exemplars], axis=1)
    label[exemplars] = np.arange(len(exemplars))
    better = []
    for k in range(len(exemplars)):
        own = np.flatnonzero(label == k)
        within = S[np.ix_(own, own)]
        better.append(own[np.argmax(weight[own] @ within)])
    return np.unique(better)
