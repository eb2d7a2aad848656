"""Gaussian process classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ...backend.posteriors import rounded
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData
from ...estimator import Attributes, Classifier, estimator
from ...holds import floats, integers, require
from ...kernels.base import check_memory
from ...params import param
from ...scikit_learn import COPY, JOBS, Counterpart
from ...typing import Flags, Floats, Labels, Reals, TableLike, Whole
from ..linear.targets import CodedClasses
from .covariance import Covariance, covariance_of, without_noise
from .hyperparameters import Evaluated
from .kernel_of_rows import INSTEAD, finite
from .laplace import Mode, SignedRows, curved_factor, laplace_evaluated, mean_probability, mode_of
from .marginal_likelihood import quadratic
from .process import GaussianProcess

_BLOCK_CELLS = 1 << 22  # cells of the kernel matrix made at once
Curved = list[tuple[Floats, Floats]]  # √W (n,) and the factor of B (n, n) of each function


@estimator
class GaussianProcessClassifier(Classifier, GaussianProcess):
    """Gaussian process classification: P(second | x) = σ(f(x)) of two classes, where f is a Gaussian process.

    f given the rows is taken for normal, with its mode as mean and the curvature there (Laplace's approximation);
    P(second | x) is the mean of σ(f(x)) then, by quadrature. The hyperparameters of the kernel maximise the approximate
    marginal likelihood, by its gradient. Of several classes each is learned against all others, with one kernel for
    all, whose likelihoods are added up; their probabilities are divided by their sum. The work grows with n³.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X, y = iris.matrix(["petal_length", "petal_width"]), iris["species"]
    >>> model = sf.GaussianProcessClassifier().fit(X, y)
    >>> round(model.score(X, y), 2), model.predict([[1.4, 0.2]])
    (0.96, array(['setosa'], dtype='<U10'))
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.gaussian_process",
        ignored={"copy_X_train": COPY, "n_jobs": JOBS, "warm_start": "the mode is found to rounding from any start"},
        absent={"multi_class": "classes are learned against all others; for pairs give it to OneVsOneClassifier"},
    )

    needs = Needs(target="classes", scaled=True, one_hot=True)
    most_rows = 500
    small: ClassVar = {"max_iter": 3}

    max_iter_predict: int = param(100, integer=True, at_least=1, doc="At most so many Newton iterations for a mode.")

    holds: ClassVar = {
        "_codes": integers("n", at_least=0, below="k"),
        "_weight": floats("n", at_least=0),
        "_modes": floats("n", "scores"),
        "_pulls": floats("n", "scores"),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.classes_) > 1, "classes_ must hold at least 2 classes")
        require(self._modes.shape[1] == self._functions(), "_modes must have a column for each function")

    def _functions(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner, covariance = type(self).__name__, self._covariance()
        coded = CodedClasses.of(source, None, signs=False)
        chunk = coded.source.gather(self.memory, INSTEAD)
        check_memory(len(chunk), len(chunk), 8 * (len(covariance.theta) + 6), self.memory, owner)
        weight = given_or_ones(chunk.weight, len(chunk))
        chunk = chunk.at(np.flatnonzero(weight > 0))
        codes = np.asarray(chunk.y, dtype=np.int64)
        weight = given_or_ones(chunk.weight, len(chunk)).astype(np.float64)
        X = np.array(chunk.X, dtype=np.float64, order="C")  # a copy: the user's array may change
        rows = SignedRows(X, _signs(codes, len(coded.classes)), weight, self.max_iter_predict)
        outcome = self._optimised(lambda own: laplace_evaluated(own, rows), covariance)

        def attributes(theta: Floats) -> Attributes:
            final = covariance.at(theta)
            modes = _modes(final, rows, owner)
            return {
                "kernel_": final.kernel,
                "classes_": coded.classes,
                "X_train_": X,
                "log_marginal_likelihood_value_": float(sum(mode.log_likelihood for mode in modes)),
                "_codes": codes,
                "_weight": weight,
                "_modes": np.column_stack([mode.f for mode in modes]),
                "_pulls": _pulls(np.column_stack([mode.f for mode in modes]), rows),
            }

        return outcome.then(attributes)

    def _rows_of_fit(self) -> SignedRows:
        signs = _signs(self._codes, len(self.classes_))
        return SignedRows(self.X_train_, signs, self._weight, self.max_iter_predict)

    def _evaluated(self, covariance: Covariance) -> Evaluated:
        return laplace_evaluated(covariance, self._rows_of_fit())

    def _curved(self) -> Curved:
        """√W and the factor of B of each function."""
        from scipy.special import expit

        K, found = covariance_of(self.kernel_, type(self).__name__).among(self.X_train_), []
        for f in self._modes.T:
            W = self._weight * expit(f) * expit(-f)
            factor = curved_factor(K, W)
            if factor is None:
                raise InvalidData(f"{type(self).__name__}: the kernel matrix of the rows is not positive definite.")
            found.append((np.sqrt(W), factor))
        return found

    def latent_mean_and_variance(self, X: TableLike) -> tuple[Reals, Reals]:
        """The mean and the variance of f at each row, (n,), or (n, classes) where there are several."""
        self._check_fitted("kernel_")
        curved = self._curved()

        def both(chunk: Chunk) -> Reals:
            return np.asarray(np.stack(self._latent(chunk, curved), axis=1), dtype=chunk.X.dtype)

        found = self._rows(X, both)
        flat = found.shape[2] == 1
        return (found[:, 0, 0], found[:, 1, 0]) if flat else (found[:, 0], found[:, 1])

    def _latent(self, chunk: Chunk, curved: Curved) -> tuple[Floats, Floats]:
        """The mean and the variance of every function at the rows, (n, functions) each."""
        owner = type(self).__name__
        own = covariance_of(self.kernel_, owner)
        mean, variance = np.empty((2, len(chunk), self._functions()))
        with np.errstate(over="ignore", invalid="ignore"):
            for part, rows, between in self._blocks(chunk):
                mean[part] = between.T @ self._pulls
                alone = without_noise(own, rows)
                for k, (root, factor) in enumerate(curved):
                    known = quadratic(factor, root[:, None] * between)
                    variance[part, k] = alone - np.einsum("ij,ij->j", known, known)
        return finite(mean, owner, "predictions"), finite(np.maximum(variance, 0.0), owner, "variances")

    def _blocks(self, chunk: Chunk) -> Iterator[tuple[slice, Floats, Floats]]:
        """Places of rows, the rows, and the kernel of the rows of the fit with them."""
        rows, own = np.asarray(chunk.X, dtype=np.float64), covariance_of(self.kernel_, type(self).__name__)
        height = max(1, _BLOCK_CELLS // len(self.X_train_))
        for first in range(0, len(rows), height):
            part = slice(first, first + height)
            yield part, rows[part], own.between(self.X_train_, rows[part])

    def _shares(self, chunk: Chunk, curved: Curved) -> Floats:
        """P(class | x), (n, classes), in double."""
        mean, variance = self._latent(chunk, curved)
        own = np.column_stack([mean_probability(mean[:, k], variance[:, k]) for k in range(mean.shape[1])])
        if own.shape[1] == 1:
            return np.column_stack([1 - own[:, 0], own[:, 0]])
        return np.asarray(own / own.sum(axis=1, keepdims=True))

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes)."""
        self._check_fitted("kernel_")
        curved = self._curved()
        return self._rows(X, lambda chunk: rounded(self._shares(chunk, curved), chunk.X.dtype))

    def predict(self, X: TableLike) -> Labels:
        """The most probable class."""
        self._check_fitted("kernel_")
        curved = [] if self._functions() == 1 else self._curved()

        def codes(chunk: Chunk) -> Whole:
            if curved:
                return np.asarray(np.argmax(self._shares(chunk, curved), axis=1))
            return self._is_second(chunk).astype(np.int64)

        found: Labels = np.take(self.classes_, self._rows(X, codes))
        return found

    def _is_second(self, chunk: Chunk) -> Flags:
        """Whether P(second | x) is above a half: f is symmetric about its mean, so that this decides alone."""
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [between.T @ self._pulls[:, 0] for _, _, between in self._blocks(chunk)]
        return np.asarray(finite(np.concatenate([np.empty(0), *parts]), type(self).__name__, "predictions") > 0)


def _signs(codes: Whole, k: int) -> Floats:
    """1 where a row is of the class of a function, (n, functions)."""
    return np.asarray((codes[:, None] == (np.array([1]) if k == 2 else np.arange(k))).astype(np.float64))


def _pulls(modes: Floats, rows: SignedRows) -> Floats:
    """The gradient of log P(y | f) at the modes, (n, functions)."""
    from scipy.special import expit

    return np.asarray(rows.weight[:, None] * (rows.y - expit(modes)))


def _modes(covariance: Covariance, rows: SignedRows, owner: str) -> list[Mode]:
    K = covariance.among(rows.X)
    found = [mode_of(K, y, rows.weight, rows.max_iter) for y in rows.y.T] if np.isfinite(K).all() else [None]
    modes = [mode for mode in found if mode is not None]
    if len(modes) < len(found):
        raise InvalidData(
            f"{owner}: the kernel {covariance.kernel} gives no positive definite matrix for these rows and weights; "
            "scale the columns, or the weights."
        )
    return modes
