"""The perceptron in the space of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from ... import params
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, iterate
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, estimator
from ...kernels import Kernel
from ...kernels.base import check_memory
from ...kernels.gram import checked
from ...params import derived, learned, param
from ...randomness import random_state_param, seed_of
from ...solvers.orders import orders
from ...typing import Floats, Labels, RandomState, TableLike, TargetLike, WeightLike
from ..linear.targets import CodedClasses, class_weights, coded
from .decision_plane import Updates, unseen
from .kernel_classifier import KernelClassifier
from .kernel_of_rows import kernel_param
from .mistakes import Answer, Mistakes, judged


@estimator
class KernelPerceptron(KernelClassifier):
    """The perceptron in the space of a kernel: for each row on the wrong side, f ← f + η s y k(·, x) and b ← b + η s y.

    s is the weight of the row, y −1 or 1. The answer is a sum over the rows that were mistaken, f(x) = Σⱼ cⱼ k(x, xⱼ):
    the support vectors. Several classes are each learned against all others. An epoch without a mistake ends the fit;
    where none comes, it ends when `n_iter_no_change` epochs have not lowered the loss, with a warning. `budget` bounds
    the number of support vectors, so that predictions and `partial_fit` take bounded time: of more, the one with the
    smallest |c| √k(x, x) is dropped, the oldest among equals (Crammer, Kandola and Singer, 2003). With the linear
    kernel it is `Perceptron`.

    Examples
    --------
    >>> import suffice as sf
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = sf.KernelPerceptron(kernel="gaussian", gamma=2.0).fit(X, ["even", "odd", "odd", "even"])
    >>> model.score(X, ["even", "odd", "odd", "even"]), model.mistakes_ < 10
    (1.0, True)
    """

    needs = Needs(target="classes", scaled=True, one_hot=True)
    proposed = False
    exemptions: ClassVar[Mapping[str, str]] = {
        "weights_equal_repetition": "rows are drawn by position, and a weight lengthens one step",
        "check_sample_weight_equivalence_on_dense_data": "rows are drawn by position, and a weight lengthens one step",
        "history": "the objective is that of rows before their updates, which need not fall",
        "order_of_rows_does_not_matter": "rows are drawn by position",
    }

    kernel: object = kernel_param("gaussian")
    fit_intercept: bool = param(True, choices=(True, False), doc="Whether to learn an intercept.")
    eta0: float = param(1.0, number=True, above=0, below=np.inf, doc="The rate η, which only scales the coefficients.")
    budget: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="At most so many support vectors; None for any number."
    )
    max_iter: int = param(1000, integer=True, at_least=1, doc="The most epochs: passes over all rows.")
    tol: float | None = param(
        1e-3,
        number=True,
        at_least=0,
        choices=(None,),
        doc="By how much the loss must fall within `n_iter_no_change` epochs; None goes on to `max_iter`.",
    )
    n_iter_no_change: int = param(5, integer=True, at_least=1, doc="The epochs to wait for a lower loss.")
    shuffle: bool = param(True, choices=(True, False), doc="Whether rows are shuffled before each epoch.")
    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )
    random_state: RandomState = random_state_param(0)

    mistakes_: int = learned("How many updates there were: rows on the wrong side when it was their turn.")

    @derived
    def n_iter_(self) -> int:
        """The number of epochs of the fit."""
        return len(self.history_)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        known = CodedClasses.of(source, self.class_weight, signs=False)  # type: ignore[arg-type]
        rows = self._gathered(known.source)
        outcome = self._run(rows, len(known.classes), None, self.max_iter)
        state, status = outcome.state, outcome.history.status
        if status in ("converged", "max_iter") and not state.clean:
            warn(
                f"{type(self).__name__}: not every row was on its side after {state.mistakes} mistakes in "
                f"{state.epochs} epochs, {state.last} of them in the last. Take KernelLogisticRegression or SVC, a "
                "narrower kernel, or look longer with tol=None.",
                NotConverged,
            )
        return outcome.then(lambda found: self._found(found, rows.X, known.classes, 0))

    def _run(self, rows: Chunk, k: int, held: Answer | None, epochs: int) -> Outcome[Answer]:
        """Epochs over some rows, from nothing or from the answer held."""
        owner, n, q = type(self).__name__, len(rows), 1 if k == 2 else k
        weight = given_or_ones(rows.weight, n)
        pool = rows.X if held is None else np.vstack([self.X_fit_, rows.X])
        check_memory(len(pool), n, 8, self.memory, owner)
        function = self._function() if held is None else self._function_of_fit()
        K = (
            self._matrix(rows.X, function)
            if held is None or function is None
            else checked(function, pool, rows.X, owner)
        )
        own = np.arange(k) if q > 1 else np.array([1])
        film = Updates.of(rows.X, np.asarray(rows.y), k, function) if held is None else None
        work = Mistakes(
            K=K,
            signs=np.where(np.asarray(rows.y)[:, None] == own, 1.0, -1.0),
            rate=self.eta0 * weight,
            size=_lengths(function, pool),
            fit_intercept=self.fit_intercept,
            budget=self.budget,
            seen=None if film is None else film.update,
        )
        nothing = np.zeros((n, q))
        start = Answer(nothing, np.zeros(q)) if held is None else _longer(held, nothing)
        seed, total = seed_of(self.random_state) if self.shuffle else None, max(1, int(np.count_nonzero(weight)))
        tol = -np.inf if self.tol is None else self.tol

        def step(state: Answer) -> Step[Answer]:
            if film is not None:
                film.begin()
            after, loss = work.epoch(state, orders(rows, seed, state.epochs, 1)[0])
            if not np.isfinite(after.coefficients).all() or not np.isfinite(loss):
                raise InvalidData(f"{owner}: coefficients are larger than any number; scale the weights down.")
            return judged(after, loss / self.eta0 / q / total, tol, self.n_iter_no_change)

        def shown(state: Answer) -> Mapping[str, object]:
            return unseen(owner) if film is None else film.said(state.coefficients[:, 0], float(state.intercept[0]))

        return iterate(lambda run: start, step, max_iter=epochs, kept=Answer.kept(len(pool), q), snapshot=shown)

    def _found(self, state: Answer, X: Floats, classes: Labels, before: int) -> Attributes:
        """The support vectors as fitted attributes; of a given matrix all rows stay."""
        used = np.flatnonzero(state.coefficients.any(axis=1))
        kept = np.arange(len(X)) if self._is_precomputed() else used if len(used) else np.arange(1)
        return {
            "classes_": classes,
            "dual_coef_": state.coefficients[kept],
            "intercept_": state.intercept,
            "mistakes_": before + state.mistakes,
            **self._remembered(X[kept], self._function() if before == 0 else self._function_of_fit()),
        }

    def partial_fit(
        self, X: TableLike, y: TargetLike = None, classes: TargetLike = None, *, sample_weight: WeightLike = None
    ) -> Self:
        """One epoch over these rows, from where the model stands; the first call must name all `classes`."""
        owner = type(self).__name__
        params.check(self)
        first = not hasattr(self, "classes_")
        if self._is_precomputed():
            raise InvalidParameter(f"{owner}: partial_fit needs rows to remember; kernel='precomputed' has none.")
        if self.class_weight == "balanced":
            raise InvalidParameter(f"{owner}: class_weight='balanced' needs all rows at once; give numbers by class.")
        if first and classes is None:
            raise InvalidParameter(f"{owner}: classes must be passed on the first call to partial_fit.")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise InvalidParameter(f"{owner}: classes={classes!r} are not those of the first call, {known!r}.")
        if len(known) < 2:
            raise InvalidParameter(f"{owner}: classes must name at least 2; got {classes!r}.")
        return self._adopt(lambda: self._further(self._open(X, y, sample_weight, reset=first), known, first))

    def _further(self, source: Source, classes: Labels, first: bool) -> Outcome[Attributes]:
        owner = type(self).__name__
        chunk = source.gather(self.memory)
        unknown = np.setdiff1d(np.unique(chunk.y), classes)
        if unknown.size:
            raise InvalidData(f"{owner}: y has the class {str(unknown[0])!r}, which is not among {classes!r}.")
        each = class_weights(self.class_weight, classes, np.ones(len(classes)), owner)  # type: ignore[arg-type]
        rows = coded(chunk, classes, each, signs=False)
        X = np.array(rows.X, dtype=np.float64, order="C")
        rows = Chunk(X, rows.y, rows.weight, rows.start, rows.numbers)
        held = None if first else Answer(self.dual_coef_, self.intercept_)
        before, pool = (0, X) if first else (self.mistakes_, np.vstack([self.X_fit_, X]))
        outcome = self._run(rows, len(classes), held, 1)
        return outcome.then(lambda found: self._found(found, pool, classes, before))


def _lengths(function: object, X: Floats) -> Floats:
    """√k(x, x) of each row, (n,); 1 where only the matrix is known."""
    if not isinstance(function, Kernel):
        return np.ones(len(X))
    return np.sqrt(np.maximum(np.asarray(function.diag(X), dtype=np.float64), 0.0))


def _longer(held: Answer, more: Floats) -> Answer:
    """The answer with rows added that have no part in it yet."""
    return Answer(np.vstack([held.coefficients, more]), held.intercept)
