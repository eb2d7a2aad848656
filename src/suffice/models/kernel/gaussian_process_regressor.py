"""Gaussian process regression."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Regressor, estimator
from ...holds import either, floats, number, require, sometimes
from ...kernels import GaussianKernel, WhiteNoiseKernel
from ...kernels.base import check_memory
from ...params import are_numbers, derived, learned, numbers, param
from ...scikit_learn import COPY, Counterpart
from ...statistics import Moments
from ...typing import Floats, NumberLike
from ..cluster import KMeans
from .covariance import Covariance, OwnCovariance
from .hyperparameters import Evaluated
from .inducing_points import Inducing, with_jitter
from .kernel_of_rows import INSTEAD, finite
from .marginal_likelihood import ObservedRows, evaluated, factor_of, posterior, quadratic, solved_by, transposed
from .process_predictions import ProcessPredictions


@estimator
class GaussianProcessRegressor(Regressor, ProcessPredictions):
    """Gaussian process regression: y = f(x) + noise, where f has mean 0 and covariances k(x, x′).

    With K the kernel matrix of the rows and α the variance of the noise, the mean and the variance of f(x) are

        kᵀ (K + α W⁻¹)⁻¹ y   and   k(x, x) − kᵀ (K + α W⁻¹)⁻¹ k,   k = (k(x, x₁), …, k(x, xₙ)).

    The hyperparameters θ of the kernel maximise the marginal likelihood log N(y; 0, K_θ + α W⁻¹), by its gradient; the
    mean is that of `KernelRidge` then. Rows that are equal are one row with their weight, and the mean of their
    targets, to the same likelihood. The work grows with n³. With `inducing`, m points stand for the rows: sums of m × m
    numbers over the rows, which add up, bound the likelihood from below (Titsias, 2009), so that rows in files are read
    in pieces.

    Examples
    --------
    >>> import suffice as sf
    >>> X = np.linspace(0, 5, 20)[:, None]
    >>> model = sf.GaussianProcessRegressor(alpha=1e-4).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[2.5], [20.0]], return_std=True)
    >>> mean.round(2), bool(std[0] < 0.01 < std[1])
    (array([0.6, 0. ]), True)
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.gaussian_process",
        ignored={"copy_X_train": COPY, "n_targets": "it is for predictions before a fit, which are refused"},
    )

    needs = Needs(target="numbers", scaled=True, one_hot=True)
    most_rows = 1000

    alpha: float | NumberLike = param(
        1e-10,
        number=True,
        at_least=0,
        below=np.inf,
        accept=lambda value: are_numbers(value, 1),
        allowed="one such number a row",
        doc="The variance of the noise of a target, or one a row; it is added to the diagonal of the kernel matrix.",
    )
    normalize_y: bool = param(
        False, choices=(True, False), doc="Whether targets are taken about their mean, in units of their deviation."
    )
    inducing: int | NumberLike | None = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        accept=lambda value: are_numbers(value, 2),
        allowed="an array of points, (m, d)",
        doc="How many points stand for the rows, centres of k-means, or these points; None uses all rows.",
    )

    y_train_: Floats = learned(
        "The targets of these rows, in the shape of `alpha_`, normalised if asked for; 0 of inducing points.",
        holds=either(floats("n"), floats("n", "targets")),
    )
    holds: ClassVar = {
        "_noise": floats("n", at_least=0),
        "_weight": floats("n", above=0),
        "_spread": floats("n", None, at_least=0),
        "_middle": floats(None),
        "_unit": floats(None, above=0),
        "_alpha": sometimes(number(at_least=0)),
        "_sums": sometimes(floats("n", "n")),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        q = 1 if self.y_train_.ndim == 1 else self.y_train_.shape[1]
        require(self.alpha_.shape == self.y_train_.shape and q, "alpha_ must have the shape of y_train_")
        for name in ("_middle", "_unit"):
            require(len(getattr(self, name)) == q, f"{name} must have a number for each target")
        require(self._spread.shape[1] == q, "_spread must have a column for each target")

    @classmethod
    def as_proposed(cls) -> Self:
        """With a noise that is learned: with the little noise of the default, f runs through all targets."""
        return cls(1.0 * GaussianKernel(gamma=0.2) + WhiteNoiseKernel(1.0), normalize_y=True)

    # ---- all rows ----

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if self.inducing is not None:
            return self._learn_by_points(source)
        owner, covariance = type(self).__name__, self._covariance()
        rows, middle, unit = self._observed(source, covariance)
        outcome = self._optimised(lambda own: evaluated(own, rows), covariance)

        def attributes(theta: Floats) -> Attributes:
            final = covariance.at(theta)
            found = posterior(final, rows, owner)
            shared = {"_noise": rows.alpha, "_weight": rows.weight, "_spread": rows.spread}
            return {
                **self._described(final, rows.X, rows.y, found.solution, middle, unit),
                "log_marginal_likelihood_value_": found.log_likelihood,
                **shared,
            }

        return outcome.then(attributes)

    def _described(
        self, covariance: Covariance, X: Floats, y: Floats, solution: Floats, middle: Floats, unit: Floats
    ) -> Attributes:
        flat = y.shape[1] == 1
        finite(solution, type(self).__name__, "coefficients")
        return {
            "kernel_": covariance.kernel,
            "X_train_": X,
            "y_train_": y[:, 0] if flat else y,
            "alpha_": solution[:, 0] if flat else solution,
            "_middle": middle,
            "_unit": unit,
            **({"_alpha": float(self.alpha)} if isinstance(self.alpha, int | float | np.number) else {}),
        }

    def _observed(self, source: Source, covariance: Covariance) -> tuple[ObservedRows, Floats, Floats]:
        """The rows, and the middle and the unit of their targets."""
        owner = type(self).__name__
        chunk = source.gather(self.memory, INSTEAD)
        check_memory(len(chunk), len(chunk), 8 * (len(covariance.theta) + 4), self.memory, owner)
        y, weight = _targets(chunk), given_or_ones(chunk.weight, len(chunk))
        middle, unit = self._scale(Moments.of(y, weight))
        X = np.array(chunk.X, dtype=np.float64, order="C")  # a copy: the user's array may change
        merge = isinstance(covariance, OwnCovariance)
        rows = ObservedRows.of(X, (y - middle) / unit, weight, self._noise_of(len(X)), merge)
        apart = rows.spread.any(axis=1) & (rows.alpha == 0)
        if apart.any() and not np.all(covariance.noise(rows.X[apart])[0] > 0):
            raise InvalidData(
                f"{owner}: rows with equal cells have different targets, and alpha=0 leaves no noise that could "
                "explain it. Give an alpha above 0."
            )
        return rows, middle, unit

    def _scale(self, moments: Moments) -> tuple[Floats, Floats]:
        """The middle and the unit of targets with these moments."""
        q = len(moments.mean)
        if not self.normalize_y:
            return np.zeros(q), np.ones(q)
        deviation = np.sqrt(np.diagonal(moments.scatter) / moments.weight)
        return moments.mean, np.where(deviation > 0, deviation, 1.0)

    def _noise_of(self, n: int) -> Floats:
        """α of each of the n rows."""
        owner, count = type(self).__name__, n if np.size(self.alpha) != 1 else 1
        if np.ndim(self.alpha) == 0:
            return np.full(n, self.alpha, dtype=np.float64)
        alpha = numbers(owner, "alpha", self.alpha, (count,), "one number, or one for each row")
        if np.any(alpha < 0):
            raise InvalidParameter(f"{owner}: alpha must be at least 0; got {float(alpha.min())!r}.")
        return np.array(np.broadcast_to(alpha, (n,)))

    def _evaluated(self, covariance: Covariance) -> Evaluated:
        if hasattr(self, "_sums"):
            raise InvalidParameter(
                f"{type(self).__name__}: a fit with inducing points keeps no rows, so that its likelihood is known at "
                "the theta of the fit alone: log_marginal_likelihood_value_."
            )
        return evaluated(covariance, self._rows_of_fit())

    def _rows_of_fit(self) -> ObservedRows:
        y = self.y_train_.reshape(len(self.X_train_), -1)
        return ObservedRows(self.X_train_, y, self._weight, self._noise, self._spread)

    @derived
    def L_(self) -> Floats:
        """Cholesky's factor of K + α W⁻¹, the lower one, (n, n); of inducing points that of their own matrix."""
        if hasattr(self, "_sums"):
            K = with_jitter(self._fitted().between(self.X_train_, self.X_train_.copy()))
            found = factor_of(K, np.zeros(len(K)))
            if found is None:
                raise InvalidData(f"{type(self).__name__}: the kernel matrix of the inducing points is not positive.")
            return found
        return posterior(self._fitted(), self._rows_of_fit(), type(self).__name__).factor

    def _explained(self, between: Floats) -> Floats:
        return quadratic(self.L_, between)

    # ---- inducing points ----

    def _learn_by_points(self, source: Source) -> Outcome[Attributes]:
        owner, covariance = type(self).__name__, self._covariance()
        if not isinstance(covariance, OwnCovariance):
            raise InvalidParameter(
                f"{owner}: inducing points need a kernel of suffice.kernels; got {self.kernel!r:.80}."
            )
        if np.ndim(self.alpha) or np.size(self.alpha) != 1:
            raise InvalidParameter(f"{owner}: inducing points need alpha to be one number for all rows.")
        moments = source.reduce(lambda chunk: Moments.of(_targets(chunk), chunk.weight))
        middle, unit = self._scale(moments)
        points = Inducing(self._points(source), source, float(np.asarray(self.alpha)), middle, unit)
        outcome = self._optimised(points.evaluated, covariance)

        def attributes(theta: Floats) -> Attributes:
            final, m = covariance.at(theta), len(points.Z)
            factor = points.factor(final)
            if factor is None:
                raise InvalidData(f"{owner}: the kernel matrix of the inducing points is not positive definite.")
            total, zeros = points.sums(final, factor, False)[0], np.zeros((m, len(unit)))
            outer = _with_ones(finite(total.A, owner, "sums over the rows"), owner)
            return {
                **self._described(final, points.Z, zeros, transposed(factor, solved_by(outer, total.b)), middle, unit),
                "log_marginal_likelihood_value_": -points.evaluated(final).value,
                "_noise": np.zeros(m),
                "_weight": np.ones(m),
                "_spread": zeros,
                "_sums": total.A,
            }

        return outcome.then(attributes)

    def _points(self, source: Source) -> Floats:
        """The points that stand for the rows."""
        owner, d = type(self).__name__, len(source.schema)
        if not isinstance(self.inducing, int | np.integer):
            m = max(1, len(np.asarray(self.inducing)))
            points = numbers(owner, "inducing", self.inducing, (m, d), "a point in each row, as many columns as X")
            if len(np.unique(points, axis=0)) < m:
                raise InvalidParameter(f"{owner}: inducing must hold different points; some of its {m} are equal.")
            return points
        m = int(self.inducing)
        check_memory(m, m, 8 * (len(self._covariance().theta) + 4), self.memory, owner)
        rows = source.count()
        centres = KMeans(min(m, rows), max_iter=10, n_init=1, random_state=0, tol=0.0)
        return np.unique(centres.fit_source(source.mapped(_without_target)).cluster_centers_, axis=0)

    @derived
    def _outer(self) -> Floats:
        """The factor of the sums over rows with ones on the diagonal."""
        return _with_ones(self._sums, type(self).__name__)

    def _unexplained(self, between: Floats) -> Floats | None:
        return quadratic(self._outer, self._explained(between)) if hasattr(self, "_sums") else None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _with_ones(A: Floats, owner: str) -> Floats:
    """The factor of I + A."""
    found = factor_of(A.copy(), np.ones(len(A)))
    if found is None:
        raise InvalidData(f"{owner}: the sums over the rows are not positive.")
    return found


def _targets(chunk: Chunk) -> Floats:
    """The targets of a chunk, (n, q)."""
    return np.asarray(chunk.y, dtype=np.float64).reshape(len(chunk), -1)


def _without_target(chunk: Chunk) -> Chunk:
    return Chunk(chunk.X, None, chunk.weight, chunk.start, chunk.numbers)
