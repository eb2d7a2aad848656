"""Kernel k-means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...engine import Kept, Outcome, Step
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Clusterer, estimator
from ...holds import floats, instance, integers, optional, require, sometimes
from ...kernels import KERNELS, Function, Gram, Kernel, as_kernel, is_function
from ...kernels.gram import products
from ...params import are_numbers, learned, param
from ...randomness import generator, random_state_param
from ...typing import Codes, Floats, RandomState, TableLike
from .alternation import (
    PIECEWISE,
    Counted,
    alternated,
    draw,
    max_iter_param,
    memory_param,
    n_clusters_param,
    n_init_param,
    stepped,
    too_few,
    weights,
)

Labels = NDArray[np.int64]
_ROUNDING = 1e-12  # squared distances below this part of k(x, x) are zero but for rounding


def _may_rise(kernel: Kernel) -> str:
    if kernel.reads_text:
        return f"{type(kernel).__name__} reads texts; give its matrix, kernel='precomputed'"
    if kernel.is_positive:
        return ""
    return f"{type(kernel).__name__} is no inner product, so that distances from means are not defined"


@dataclass(frozen=True)
class _State:
    """The nearest mean of each row (n,) and its squared distance (n,), and these means.

    They are Σⱼ share_jc φ(xⱼ), share (n, k), with the squared norms (k,), infinite for a cluster without rows.
    """

    labels: Labels
    distance: Floats
    share: Floats
    norm: Floats

    @classmethod
    def of(cls, gram: Gram, w: Floats, labels: Labels, k: int) -> _State:
        """The means of these clusters, and the nearest of them for each row."""
        total = np.bincount(labels, w, minlength=k)
        share = np.zeros((len(w), k))
        some = np.where(total > 0, total, 1.0)
        share[np.arange(len(w)), labels] = w / some[labels]
        product = gram.times(share)  # (n, k)
        norm = np.where(total > 0, np.sum(share * product, axis=0), np.inf)
        score = norm - 2 * product
        nearest = np.argmin(score, axis=1)
        distance = gram.diagonal + score[np.arange(len(w)), nearest]
        return cls(nearest, np.maximum(distance, 0.0), share, norm)

    @classmethod
    def kept(cls, n: int, k: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        labels, norm = integers(n, at_least=0, below=k), floats(k, finite=False)
        return Kept.fields(cls, labels=labels, distance=floats(n), share=floats(n, k), norm=norm)


@estimator
class KernelKMeans(Clusterer):
    """k-means in the space of a kernel: minimise Σᵢ wᵢ ‖φ(xᵢ) − μ_c(i)‖², where φ(x)·φ(y) = k(x, y).

    With W_c the weight of cluster c, the squared distance from its mean is

        k(x, x) − 2 Σⱼ wⱼ k(x, xⱼ) / W_c + Σⱼₗ wⱼ wₗ k(xⱼ, xₗ) / W_c²,   j and l in c.

    An iteration takes the means of the clusters, then the nearest mean of each row, the first among equals. A cluster
    without rows gets the row farthest from its mean, one cluster an iteration. The objective falls for every kernel
    that is positive semi-definite. The kernel matrix is kept where it fits `memory`, and made again in every iteration
    where not; rows from files or Dask are gathered first. Categories are read by kernels that compare them, such as
    `GaussianKernel().on((0, 1)) * CategoryKernel().on(2)`; with all others they are coded one-hot before.

    Examples
    --------
    >>> import suffice as sf
    >>> import numpy as np
    >>> t = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    >>> ring = np.column_stack([np.cos(t), np.sin(t)])
    >>> radius = lambda X, Y: np.outer((X**2).sum(axis=1), (Y**2).sum(axis=1))
    >>> model = sf.KernelKMeans(2, kernel=radius, random_state=0).fit(np.vstack([ring, 4 * ring]))
    >>> np.bincount(model.labels_).tolist(), len(set(model.labels_[:30]))
    ([30, 30], 1)
    """

    complexity = "n_clusters"

    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "it shuffles the rows of one of the two tables, and rows are "
        "drawn in row order; `weights_equal_repetition` has them in order",
    }

    n_clusters: int = n_clusters_param()
    kernel: object = param(
        "gaussian",
        choices=("precomputed",),
        names=KERNELS.only(_may_rise),
        accept=is_function,
        allowed="a function of X (n, d) and Y (m, d) that gives (n, m)",
        doc="The kernel: a name, a kernel, a function; precomputed: X holds its matrix.",
    )
    gamma: float | None = param(
        None, number=True, above=0, below=np.inf, choices=(None,), doc="The scale of a kernel by name; None takes 1/d."
    )
    degree: int = param(3, integer=True, at_least=1, at_most=1000, doc="The degree of the polynomial.")
    coef0: float = param(1.0, number=True, at_least=0, below=np.inf, doc="What the polynomial adds to gamma x·y.")
    init: object = param(
        "k-means++",
        choices=("k-means++", "random"),
        accept=lambda value: are_numbers(value, 1),
        allowed="the cluster of each row, (n,)",
        doc="Where to start: the nearest of rows drawn with probability proportional to w times their squared distance "
        "from those so far, of different rows drawn by weight alone, or these clusters.",
    )
    n_init: int = n_init_param()
    max_iter: int = max_iter_param(300)
    random_state: RandomState = random_state_param()
    memory: int = memory_param("the kernel matrix, and rows gathered from files or Dask,")

    inertia_: float = learned("The objective at the end.")
    n_iter_: int = learned("The iterations of the start that was kept.")
    X_fit_: Floats = learned(
        "The rows of the fit, which `predict` needs; None for a kernel matrix.", holds=optional(floats("n", "d"))
    )
    share_: Floats = learned("The part of each row in the mean of each cluster, (n, k).", holds=floats("n", "k"))
    norm_: Floats = learned(
        "The squared norms of the means, (k,); infinite for a cluster without rows.", holds=floats("k", finite=False)
    )

    holds: ClassVar = {"_fitted_kernel": sometimes(instance(Kernel))}  # but of a function that is no kernel

    def _needs(self) -> Needs:
        rows = self.kernel != "precomputed"
        coded = isinstance(self.kernel, Kernel) and self.kernel.reads_categories
        return super()._needs().but(scaled=rows and not coded, one_hot=rows and not coded, categories=coded)

    def check_loaded(self) -> None:
        super().check_loaded()
        given = self.X_fit_ is None
        known = hasattr(self, "_fitted_kernel") or not self._is_precomputed()
        require(given or known, "X_fit_ must not be there where the kernel is precomputed")
        require(not given or len(self.share_) == self.n_features_in_, "share_ must have a row for each column")
        require(self.share_.size, "share_ must have rows and columns")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        return super().example(rng, min(n, 1000))  # the work grows with n²

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner, k = type(self).__name__, self.n_clusters
        rows = source.gather(self.memory, PIECEWISE)
        Counted.of(rows).check_enough(owner, k)
        X, w, rng = np.asarray(rows.X, dtype=np.float64), weights(rows), generator(self.random_state)
        if self._is_precomputed() and X.shape[0] != X.shape[1]:
            raise InvalidData(f"{owner}: a precomputed kernel must be a square matrix; got shape {X.shape}.")
        gram = Gram.of(X, self._function(), self.memory, owner)

        def start(run: int) -> _State:
            return _State.of(gram, w, self._start(gram, w, rng), k)

        def step(state: _State) -> Step[_State]:
            labels = _refilled(gram, w, state, k)
            after = _State.of(gram, w, labels, k)
            changed = ((after.labels != labels) | (labels != state.labels)) & (w > 0)
            return stepped(after, float(np.sum(w * after.distance)), int(np.count_nonzero(changed)))

        restarts = self.n_init if isinstance(self.init, str) else 1
        outcome = alternated(
            owner,
            start,
            step,
            max_iter=self.max_iter,
            restarts=restarts,
            snapshot=lambda state: {},
            kept=_State.kept(len(w), k),
            rng=rng,
        )
        return outcome.then(lambda state: self._attributes(state, gram, w, len(outcome.history)))

    def _function(self) -> Function | None:
        if self._is_precomputed():
            return None
        return as_kernel(self.kernel, type(self).__name__, gamma=self.gamma, coef0=self.coef0, degree=self.degree)

    def _function_of_fit(self) -> Function | None:
        found: Function | None = getattr(self, "_fitted_kernel", None)
        return found or (None if self.X_fit_ is None else self._function())

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _start(self, gram: Gram, w: Floats, rng: np.random.Generator) -> Labels:
        if not isinstance(self.init, str):
            return self._given(len(w))
        nearest, labels = np.full(len(w), np.inf), np.zeros(len(w), dtype=np.int64)
        mass, found = w, 0
        while found < self.n_clusters and mass.any():
            i = draw(mass, rng)
            size = gram.diagonal + gram.diagonal[i]
            apart = size - 2 * gram.row(i)
            apart[apart <= _ROUNDING * np.abs(size)] = 0.0
            labels[apart < nearest] = found
            nearest = np.minimum(nearest, apart)
            mass, found = w * (nearest if self.init == "k-means++" else nearest > 0), found + 1
        if found < self.n_clusters:
            too_few(type(self).__name__, self.n_clusters, found)
        return labels

    def _given(self, n: int) -> Labels:
        given = np.asarray(self.init)
        whole = given.dtype.kind in "iu" and given.shape == (n,)
        if not whole or given.min() < 0 or given.max() >= self.n_clusters:
            raise InvalidParameter(
                f"{type(self).__name__}: init must have a cluster from 0 to {self.n_clusters - 1} for each of the {n} "
                f"rows; got {given.dtype} of shape {given.shape}"
                + (f" from {given.min()} to {given.max()}." if whole else ".")
            )
        return given.astype(np.int64)

    def _attributes(self, state: _State, gram: Gram, w: Floats, iterations: int) -> Attributes:
        return {
            "labels_": state.labels,
            "inertia_": float(np.sum(w * state.distance)),
            "n_iter_": iterations,
            **({"_fitted_kernel": gram.function} if isinstance(gram.function, Kernel) else {}),
            "X_fit_": None if gram.function is None else gram.X,
            "share_": state.share,
            "norm_": state.norm,
        }

    def predict(self, X: TableLike) -> Codes:
        """The cluster with the nearest mean; for a precomputed kernel X holds k(x, xⱼ), (m, n)."""
        self._check_fitted()
        fitted, share, norm, function = self.X_fit_, self.share_, self.norm_, self._function_of_fit()

        def nearest(chunk: Chunk) -> Labels:
            rows = np.asarray(chunk.X, dtype=np.float64)
            return np.asarray(np.argmin(norm - 2 * products(function, rows, fitted, share), axis=1))

        return self._rows(X, nearest)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags


def _refilled(gram: Gram, w: Floats, state: _State, k: int) -> Labels:
    """The clusters, the first empty one given the row that is farthest from its mean, and all rows equal to it."""
    empty = np.flatnonzero(np.bincount(state.labels, w, minlength=k) == 0)
    far = int(np.argmax(np.where(w > 0, state.distance, -np.inf)))
    if not len(empty) or state.distance[far] <= _ROUNDING * np.abs(gram.diagonal).max():
        return state.labels
    return np.where(gram.same_as(far), empty[0], state.labels)
