"""What models that learn by a kernel of rows share: its declaration, its matrix, and sums over the rows of the fit."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...errors import InvalidData
from ...estimator import Estimator, declares
from ...holds import floats, instance, require, sometimes
from ...kernels import KERNELS, Function, Kernel, as_kernel, is_function
from ...kernels.base import check_memory
from ...kernels.gram import checked, products
from ...params import learned, param
from ...typing import Floats

INSTEAD = "approximate the kernel by Nystroem before a linear model, which reads its rows piece by piece"


def why_not_positive(kernel: Kernel) -> str:
    """Why a kernel cannot be used where it must be an inner product; nothing where it is one."""
    if kernel.is_positive:
        return ""
    return f"{type(kernel).__name__} is no inner product: its matrices may have negative eigenvalues"


def kernel_param(default: str) -> object:
    """The declaration of `kernel`."""
    return param(
        default,
        choices=("precomputed",),
        names=KERNELS.only(why_not_positive),
        accept=is_function,
        allowed="a function of X (n, d) and Y (m, d) that gives (n, m)",
        doc="The kernel: a name, a kernel, a function; precomputed: X holds its matrix.",
    )


@declares
class KernelModel(Estimator):
    """Base of models whose predictions are sums over the rows of the fit, Σⱼ cⱼ k(x, xⱼ)."""

    gamma: float | None = param(
        None, number=True, above=0, below=np.inf, choices=(None,), doc="The scale of a kernel by name; None takes 1/d."
    )
    degree: int = param(3, integer=True, at_least=1, at_most=1000, doc="The degree of the polynomial.")
    coef0: float = param(1.0, number=True, at_least=0, below=np.inf, doc="What the polynomial adds to gamma x·y.")
    memory: int = param(1 << 31, integer=True, at_least=1, doc="The bytes that matrices of all pairs of rows may take.")

    X_fit_: Floats = learned(
        "The rows of the fit, (n, d), which predictions need; the matrix of a precomputed kernel.",
        holds=floats("n", "d"),
    )
    holds: ClassVar = {"_fitted_kernel": sometimes(instance(Kernel))}  # but of a function, or a given matrix

    def _needs(self) -> Needs:
        rows = not self._is_precomputed()
        return super()._needs().but(scaled=rows, one_hot=rows)

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.X_fit_.size, "X_fit_ must have rows and columns")
        known = hasattr(self, "_fitted_kernel") or self.X_fit_.shape[0] == self.X_fit_.shape[1]
        require(known, "X_fit_ must be square where the kernel is precomputed")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, object]:
        return super().example(rng, min(n, 300))  # the work grows with n³

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _function(self) -> Function | None:
        """The kernel that the parameters say, its scale 1/d where none is given; None where X is its matrix."""
        if self._is_precomputed():
            return None
        given = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        found = as_kernel(self.kernel, type(self).__name__, **given)
        known = found.get_params(deep=False) if isinstance(found, Kernel) else {}
        if isinstance(found, Kernel) and known.get("gamma", 0) is None and known.get("bandwidth") is None:
            return found.with_params(gamma=1 / self.n_features_in_)
        return found

    def _function_of_fit(self) -> Function | None:
        """The kernel of the fit: what a user's function was then is what the parameter says now."""
        found: Function | None = getattr(self, "_fitted_kernel", None)
        if found is not None:
            return found
        return self._function() if is_function(self.kernel) else None

    def _gathered(self, source: Source, copies: int = 1) -> Chunk:
        """All rows, in double; refused where so many matrices of all pairs would take more than `memory`."""
        owner = type(self).__name__
        rows = source.gather(self.memory, INSTEAD)
        check_memory(len(rows), len(rows), 8 * copies, self.memory, owner)
        X = np.array(rows.X, dtype=np.float64, order="C")  # a copy: the user's array may change
        if self._is_precomputed() and X.shape[0] != X.shape[1]:
            raise InvalidData(f"{owner}: a precomputed kernel must be a square matrix; got shape {X.shape}.")
        return Chunk(X, rows.y, rows.weight, rows.start, rows.numbers)

    def _matrix(self, X: Floats, function: Function | None) -> Floats:
        """The kernel matrix of the rows of the fit, (n, n), which may be written to."""
        if function is not None:
            return checked(function, X, X, type(self).__name__)
        if np.abs(X - X.T).max(initial=0.0) > 1e-8 * np.abs(X).max(initial=0.0):
            raise InvalidData(f"{type(self).__name__}: a precomputed kernel must be symmetric, k(i, j) = k(j, i).")
        return X.copy()

    def _remembered(self, X: Floats, function: Function | None) -> dict[str, object]:
        """What predictions need of the fit."""
        kept = {"_fitted_kernel": function} if isinstance(function, Kernel) else {}
        return {"X_fit_": X, **kept}

    def _sums(self, chunk: Chunk, coefficients: Floats) -> Floats:
        """Σⱼ c k(x, xⱼ) of each row, (m, k), for coefficients (n, k)."""
        rows = np.asarray(chunk.X, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return products(self._function_of_fit(), rows, self.X_fit_, coefficients)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags


def finite(values: Floats, owner: str, what: str) -> Floats:
    """The values, where none is too large for a double."""
    if not np.isfinite(values).all():
        raise InvalidData(f"{owner}: {what} are larger than any number; scale the columns down.")
    return values
