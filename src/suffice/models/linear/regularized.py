"""Models whose penalty has one strength λ: their regularisation paths, and the strength by cross-validation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import clone

from ...data import Source
from ...engine import Outcome
from ...engine.nested import end_outer
from ...errors import InvalidParameter, NotConverged, warn
from ...estimator import Attributes, declares
from ...estimator.base import blas_threads_for_rows, solvable
from ...holds import instance, number, sometimes
from ...params import check_argument, numbers, param
from ...penalties import PENALTIES, NonNegative, NoPenalty, Penalty, as_penalty
from ...solvers import CoordinateDescent, Limits, Problem
from ...solvers.path import BySolver, Path, Strengths, by_columns, path, strengths
from ...typing import ArrayLike, Floats, Labels, TableLike, TargetLike, WeightLike
from .cross_validation import folds_of, validated
from .iterative import IterativeLinearModel
from .paths import CrossValidatedPath, RegularizationPath

_MOST = 100_000  # strengths of a path


@declares
class HasPath(IterativeLinearModel):
    """Base of models that are fitted for many strengths; a subclass gives `_of_strength_one`, their problem."""

    def _of_strength_one(self, source: Source) -> tuple[Problem, Labels | None]:
        """The problem of these rows with λ = 1, and the classes where there are several."""
        raise TypeError(f"{type(self).__name__} does not define _of_strength_one")

    def _check_path(self, problem: Problem) -> None:
        """Refuse what has no path."""
        owner, loss = type(self).__name__, type(problem.loss).__name__
        if isinstance(problem.penalty, NoPenalty | NonNegative):
            raise InvalidParameter(f"{owner}: a path needs a penalty whose strength falls; give one, such as 'l1'.")
        if not problem.loss.is_smooth:
            raise InvalidParameter(f"{owner}: a path needs a loss with a gradient everywhere, which {loss} has not.")

    def _strengths(self, problem: Problem) -> Strengths:
        self._check_path(problem)
        if isinstance(self._solver(problem), CoordinateDescent):
            return by_columns(problem)
        return BySolver(problem, self._solver)

    def _grid(self) -> tuple[int, float]:
        """How many strengths a path has, and the least one as a part of the largest."""
        return 100, 1e-3

    def path(
        self,
        X: TableLike,
        y: TargetLike = None,
        *,
        alphas: ArrayLike | None = None,
        n_alphas: int | None = None,
        eps: float | None = None,
        sample_weight: WeightLike = None,
    ) -> RegularizationPath:
        """The coefficients for falling strengths λ, each found from the last; the model itself is not fitted.

        Without `alphas` they are `n_alphas`, in equal ratios, from the least that keeps all slopes at 0 down to the
        part `eps` of it; an L2 penalty, which keeps none at 0, begins at 1000 times what L1 does, and ends where that
        does. λ stands beside the mean of the losses.

        >>> import suffice as sf
        >>> iris = sf.datasets.load("iris")
        >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
        >>> print(sf.Lasso().path(X, iris["sepal_length"], n_alphas=4, eps=0.01))
          alpha  nonzero  explained
          1.266        0          0
         0.2727        1     0.7247
        0.05875        2     0.7983
        0.01266        3     0.8432
        """
        owner, (count, least) = type(self).__name__, self._grid()
        count, least = count if n_alphas is None else n_alphas, least if eps is None else eps
        check_argument(owner, "n_alphas", count, integer=True, at_least=2, at_most=_MOST)
        check_argument(owner, "eps", least, number=True, above=0, below=1)
        own = clone(self)
        source = own._open(X, y, sample_weight, reset=True)
        with solvable(owner), blas_threads_for_rows(source):
            found: RegularizationPath = own._path_of(source, alphas, count, least)
        return found

    def _path_of_source(self, source: Source, columns: int | None = None) -> RegularizationPath:
        """The path of rows as a part of another fit; it may end where so many columns have slopes."""
        return self._path_of(source, None, *self._grid(), columns)

    def _path_of(
        self, source: Source, alphas: ArrayLike | None, count: int, least: float, columns: int | None = None
    ) -> RegularizationPath:
        problem, classes = self._of_strength_one(source)
        of = self._strengths(problem)
        strength = strengths(of, count, least) if alphas is None else _falling(alphas, type(self).__name__)
        for parts in (1,) if columns is None else (8, 4, 2, 1):
            outcome = path(of, strength[: max(1, len(strength) // parts)], Limits(self.max_iter, self.tol))
            end_outer(outcome.history.status)
            slope = outcome.state.slope.reshape(len(outcome.state.slope), len(source.schema), -1)
            if columns is not None and np.count_nonzero(slope.any(axis=(0, 2))) >= columns:
                break
        self._warn_unless(outcome.state)
        return _result(problem, of, outcome.state, classes)

    def _warn_unless(self, found: Path) -> None:
        if not found.finished:
            owner = type(self).__name__
            warn(f"{owner}: not converged after max_iter={self.max_iter} iterations for some strengths.", NotConverged)


@declares
class ChoosesStrength(HasPath):
    """Base of those whose strength can be chosen by cross-validation."""

    folds: int = param(5, integer=True, at_least=2, doc="The number of folds of cross-validation.")
    rule: str = param(
        "min",
        choices=("min", "1se"),
        doc="What cross-validation chooses: the least error, or the largest λ within one standard error of it.",
    )
    n_alphas: int = param(100, integer=True, at_least=2, at_most=_MOST, doc="How many strengths a path has.")
    eps: float = param(
        1e-3, number=True, above=0, below=1, doc="The least strength of a path, as a part of the largest one."
    )

    holds: ClassVar = {"cv_path_": sometimes(instance(CrossValidatedPath))}

    def _grid(self) -> tuple[int, float]:
        return self.n_alphas, self.eps

    def _learn_with(self, source: Source, name: str, found: CrossValidatedPath, value: float) -> Outcome[Attributes]:
        """The fit with a parameter as cross-validation chose it, which is learned beside it."""
        chosen = clone(self).set_params(**{name: value})
        chosen.n_features_in_ = self.n_features_in_
        outcome: Outcome[Attributes] = chosen._learn(source)
        return outcome.then(lambda state: {**state, f"{name}_": value, "cv_path_": found})

    def _validated(self, problem: Problem) -> CrossValidatedPath:
        limits = Limits(self.max_iter, self.tol)
        folds = folds_of(problem, self.folds, self._strengths)
        return validated(folds, self.n_alphas, self.eps, limits, self.rule)[0]


@declares
class AnyPenalty(ChoosesStrength):
    """Base of those whose penalty is any; it stands before the base that fits with one penalty."""

    penalty: object = param(None, choices=(None,), names=PENALTIES, doc="The penalty, by name or itself; None is none.")
    alpha: float | str | None = param(
        None,
        number=True,
        at_least=0,
        below=np.inf,
        choices=(None, "cv"),
        doc="The strength λ in place of that of the penalty, which None keeps; cv chooses it by cross-validation.",
    )

    holds: ClassVar = {"alpha_": sometimes(number(at_least=0))}

    def _learn(self, source: Source) -> Outcome[Attributes]:
        self._prior().check_columns(len(source.schema), type(self).__name__)
        if not isinstance(self.alpha, str):
            return super()._learn(source)
        problem, _ = self._of_strength_one(source)
        self._check_path(problem)
        path = self._validated(problem)
        return self._learn_with(source, "alpha", path, path.alpha)

    def _prior(self) -> Penalty:
        found = as_penalty(self.penalty, type(self).__name__)
        if self.alpha is None or isinstance(found, NoPenalty | NonNegative):  # a multiple of 0, or of 0 and infinity
            return found
        return found.of_strength(1.0 if isinstance(self.alpha, str) else float(self.alpha))


def _result(problem: Problem, of: Strengths, found: Path, classes: Labels | None) -> RegularizationPath:
    level = of.level if of.level > 0 else 1.0
    coef = found.slope if found.slope.ndim == 2 else np.ascontiguousarray(np.moveaxis(found.slope, 1, 2))
    names = () if classes is None else tuple(str(label) for label in classes)
    explained = 1 - found.loss / level
    explained[explained < 1e-12] = 0.0  # rounding
    return RegularizationPath(
        problem.source.schema.names, found.strength, coef, found.intercept, explained, found.gap, names
    )


def _falling(alphas: ArrayLike, owner: str) -> Floats:
    """Strengths that a user gave, the largest first."""
    found = numbers(owner, "alphas", alphas, (np.size(np.asarray(alphas, dtype=object)),), "numbers of at least 0")
    if not len(found) or np.any(found < 0):
        raise InvalidParameter(f"{owner}: alphas must be numbers of at least 0; got {alphas!r}.")
    return np.sort(found)[::-1]
