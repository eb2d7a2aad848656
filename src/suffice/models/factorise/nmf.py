"""Non-negative matrix factorisation."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from ...backend.affine_rows import affine_rows
from ...data import Chunk, Needs, Source
from ...engine import Outcome, iterate, small_part, small_part_of_first
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, Transformer, estimator
from ...holds import flag, floats
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator, random_state_param
from ...scikit_learn import VERBOSE, Counterpart
from ...typing import Floats, RandomState, Reals, TableLike
from ..cluster.alternation import memory_param
from .divergence import Divergence, folded_in
from .documents import Documents, Passes, check_not_negative, missing_cells
from .frobenius import LeastSquares, LeastSquaresOfKnown, Penalty, known, times
from .nonnegative_start import Look, at_random, filled, from_singular_vectors
from .strides import Shares, Squares, Stride, divergence_step, stride

_LOSSES: dict[object, str] = {"frobenius": "frobenius", 2: "frobenius", "kullback-leibler": "kl", 1: "kl"}
_MOST_SWEEPS, _STILL = 2000, 1e-10  # of rows that no fit saw


@estimator
class NMF(ClassNamePrefixFeaturesOutMixin, Transformer):  # type: ignore[misc]
    """Parts that add up: X ≈ W H with no number below 0, min ½ Σ (x − (WH))² or Σ x log(x / (WH)) − x + (WH).

    The first loss is the Frobenius norm's, the second the generalised Kullback–Leibler divergence of counts. For the
    first, the rows of W that are best for H are found exactly, by active sets, and then all of H for them, from sums
    over the rows; for the second multiplicative updates do both, which are EM (Lee and Seung, 1999). No iteration
    raises the loss. Cells that are NaN are missing, and left out of it. `alpha_W` and `alpha_H` add to the Frobenius
    loss α d (r ‖W‖₁ + ½ (1 − r) ‖W‖²) and α n (r ‖H‖₁ + ½ (1 − r) ‖H‖²), r = `l1_ratio`, as in scikit-learn.

    Examples
    --------
    >>> import suffice as sf
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits().data
    >>> model = sf.NMF(10, random_state=0).fit(digits)
    >>> bool((model.components_ >= 0).all()), round(float(model.reconstruction_err_), -1)
    (True, 860.0)
    """

    needs = Needs(missing=True, sparse=True)
    small: ClassVar = {"n_components": 2, "max_iter": 30}
    suits = "counts"

    counterpart: ClassVar = Counterpart(
        "sklearn.decomposition",
        ignored={
            "solver": "least squares are exact, and the divergence has multiplicative updates",
            "shuffle": "no coordinate goes before another",
            "verbose": VERBOSE,
        },
    )

    n_components: int | Literal["auto"] | None = param(
        "auto",
        positional=True,
        integer=True,
        at_least=1,
        choices=("auto", None),
        doc="How many parts, k; auto or None: as many as an `init` that is an array has, else as columns.",
    )
    init: Any = param(
        None,
        choices=(None, "random", "nndsvd", "nndsvda", "nndsvdar"),
        accept=lambda value: are_numbers(value, 2),
        allowed="an array (k, d)",
        doc="Where H begins: at random, at the parts of singular vectors that are not below 0, these with their zeros "
        "at their mean (a) or at small random numbers (ar), or at an array; None: nndsvd, of the divergence nndsvda, "
        "random where more components are asked for than rows or columns, or cells are missing.",
    )
    beta_loss: str | float = param(
        "frobenius",
        choices=("frobenius", "kullback-leibler"),
        accept=lambda value: not isinstance(value, bool | str) and value in (1, 2),
        allowed="2 or 1 for the same",
        doc="What is minimised.",
    )
    tol: float = param(
        1e-5,
        number=True,
        at_least=0,
        doc="Stop when the loss changes by less than this part of it, of the divergence this part of the first one, "
        "which falls to 0 slowly; or when the root of what is left is less than this part of that of the squares of X.",
    )
    max_iter: int = param(200, integer=True, at_least=1, doc="How many iterations at the most.")
    random_state: RandomState = random_state_param()
    alpha_W: float = param(0.0, number=True, at_least=0, doc="What the factors of rows cost.")  # noqa: N815
    alpha_H: float | Literal["same"] = param(  # noqa: N815
        "same", number=True, at_least=0, choices=("same",), doc="What the factors of columns cost; same: as alpha_W."
    )
    l1_ratio: float = param(0.0, number=True, at_least=0, at_most=1, doc="The share of the costs that is L1.")
    memory: int = memory_param("the sums of columns of rows with missing cells that are read in pieces")

    components_: Floats = learned("H, the parts as rows, (k, d).", holds=floats("k", "d", at_least=0))
    n_components_: int = learned("k.")
    reconstruction_err_: float = learned(
        "The root of what is left: of Σ (x − (WH))², or of twice the divergence; by weight."
    )
    n_iter_: int = learned("How many iterations there were.")
    holds: ClassVar = {"_costs": floats(2, at_least=0), "_divergent": flag()}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        return parts_example(rng, n)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    # ---- the fit ----

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner, d = type(self).__name__, len(source.schema)
        look = source.reduce(lambda chunk: Look.of(chunk, owner))
        look.check(owner)
        if look.missing and not look.mass:
            raise InvalidData(f"{owner}: no cell of X is known (or all weigh nothing); at least 1 is needed.")
        rng, k = generator(self.random_state), self._parts(d)
        penalty, start = self._penalty(d, look.rows), self._start(source, look, k, rng)
        if self._is_divergence():
            outcome = self._diverged(Divergence(Passes(source, owner)), start, look.squares)
        else:
            outcome = self._squared(self._squares_of(source, look, penalty), start, penalty, look.squares)
        if outcome.history.status == "max_iter" and self.tol > 0:
            warn(
                f"{owner}: the loss still fell after max_iter={self.max_iter} iterations; raise max_iter or tol.",
                NotConverged,
            )
        more = {
            "n_components_": k, "n_iter_": len(outcome.history),
            "_costs": np.array([penalty.l1_rows, penalty.l2_rows]), "_divergent": self._is_divergence(),
        }  # fmt: skip
        return outcome.then(lambda found: found | more)

    def _squared(self, fit: Squares, start: Floats, penalty: Penalty, squares: float) -> Outcome[Attributes]:
        outcome = iterate(
            lambda run: Stride.from_start(start), stride(fit, penalty.of_columns, max(1e-15, self.tol**2) * squares),
            stop=small_part(self.tol), max_iter=self.max_iter,
            snapshot=lambda now: {"components_": now.columns.T.copy()}, kept=Stride.kept(*start.shape),
        )  # fmt: skip
        return outcome.then(lambda now: _found(now.columns, fit.improved(now.columns)[1].squares))

    def _diverged(self, fit: Divergence, start: Floats, squares: float) -> Outcome[Attributes]:
        rows = fit.started(start)
        outcome = iterate(
            lambda run: Shares(start, rows), divergence_step(fit, lambda apart, logs: apart, 1e-15 * np.sqrt(squares)),
            stop=small_part_of_first(self.tol), max_iter=self.max_iter,
            snapshot=lambda now: {"components_": now.columns.T.copy()}, kept=Shares.kept(len(start), *rows.shape),
        )  # fmt: skip
        return outcome.then(lambda now: _found(now.columns, 2 * fit.improved(now.columns, now.rows)[2].apart))

    def _is_divergence(self) -> bool:
        return _LOSSES[self.beta_loss] == "kl"

    def _parts(self, d: int) -> int:
        if self.n_components is not None and self.n_components != "auto":
            return int(self.n_components)
        return d if self.init is None or isinstance(self.init, str) else len(self.init)

    def _penalty(self, d: int, n: float) -> Penalty:
        of_columns = self.alpha_W if self.alpha_H == "same" else float(self.alpha_H)
        if self._is_divergence() and (self.alpha_W or of_columns):
            raise InvalidParameter(
                "NMF: alpha_W and alpha_H must be 0 with beta_loss='kullback-leibler', whose updates have no penalty; "
                f"got {self.alpha_W} and {self.alpha_H!r}. Take beta_loss='frobenius'."
            )
        l1, l2 = self.l1_ratio, 1 - self.l1_ratio
        return Penalty(self.alpha_W * d * l1, self.alpha_W * d * l2, of_columns * n * l1, of_columns * n * l2)

    def _squares_of(self, source: Source, look: Look, penalty: Penalty) -> Squares:
        if look.missing:
            return LeastSquaresOfKnown(source, penalty, type(self).__name__, self.memory)
        return LeastSquares(source, penalty)

    def _start(self, source: Source, look: Look, k: int, rng: np.random.Generator) -> Floats:
        """Factors of columns, (d, k)."""
        d = len(source.schema)
        if self.init is not None and not isinstance(self.init, str):
            given = numbers("NMF", "init", self.init, (k, d), "one row a part, one column a column of X")
            if (given < 0).any() or not given.any():
                raise InvalidParameter("NMF: init must hold no number below 0, and some above; got others.")
            return np.ascontiguousarray(given.T)
        init = self.init
        enough = k <= min(d, look.count)
        if init is None:
            init = "random" if look.missing or not enough else "nndsvda" if self._is_divergence() else "nndsvd"
        if init == "random":
            return at_random(k, d, look.mean, rng)
        if look.missing or not enough:
            why = "cells are missing" if look.missing else f"n_components={k} is more than min(n_samples, n_features)"
            raise InvalidParameter(f"NMF: init must be 'random', an array or None where {why}; got {init!r}.")
        return filled(from_singular_vectors(source, k, rng), init, rng)

    # ---- rows ----

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: TableLike) -> Reals:
        """The best W for these rows, (n, k)."""
        self._check_fitted("components_")
        columns = np.ascontiguousarray(self.components_.T)
        rows = self._divergent_rows if self._divergent else self._least_squares_rows
        return self._rows(X, lambda chunk: rows(chunk, columns).astype(chunk.X.dtype, copy=False))

    def _divergent_rows(self, chunk: Chunk, columns: Floats) -> Floats:
        return folded_in(Documents.of(chunk, type(self).__name__), columns, _MOST_SWEEPS, _STILL)

    def _least_squares_rows(self, chunk: Chunk, columns: Floats) -> Floats:
        owner = type(self).__name__
        check_not_negative(chunk, owner)
        penalty = Penalty(*self._costs)
        if missing_cells(chunk.X) is None:
            products = times(chunk.X, columns)
            return LeastSquares.rows_of(products, columns, penalty)
        return LeastSquaresOfKnown.rows_of(known(chunk.X), columns, penalty)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The rows that W stands for, W H."""
        self._check_fitted("components_")
        nothing = np.zeros(self.components_.shape[1])
        back = lambda chunk: affine_rows(chunk.X, None, self.components_, nothing)  # noqa: E731
        return self._rows_back(X, back, len(self.components_))


def _found(columns: Floats, left: float) -> Attributes:
    return {"components_": np.ascontiguousarray(columns.T), "reconstruction_err_": float(np.sqrt(left))}


def parts_example(rng: np.random.Generator, n: int) -> tuple[Floats, None]:
    """Rows that are sums of two parts, with noise, none below 0, for the contract tests."""
    parts = np.array([[4.0, 1.0, 0.0, 2.0], [0.0, 2.0, 5.0, 1.0]])
    return rng.gamma(2.0, 1.0, (n, 2)) @ parts + rng.random((n, 4)), None
