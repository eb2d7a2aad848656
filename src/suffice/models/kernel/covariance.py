"""The kernel of a Gaussian process as its models use it: ours, or one that follows scikit-learn's protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self, cast

import numpy as np

from ...errors import InvalidData, InvalidParameter
from ...kernels import GaussianKernel, Kernel, as_kernel
from ...typing import Floats

LEAST, MOST = 1e-5, 1e5  # a hyperparameter of our kernels is sought between them
_FEW, _LOOK = 64, 8  # rows whose matrix is made for its diagonal alone, or to see whether there is noise
_STEP = 1e-5  # in theta
_ROUNDING = 1e-12  # of k(x, x): less is no noise
WithSlopes = tuple[Floats, list[Floats]]


class Covariance(Protocol):
    """A kernel with hyperparameters: the logarithms `theta` (p,), each within `bounds`, (p, 2)."""

    @property
    def theta(self) -> Floats: ...
    @property
    def bounds(self) -> Floats: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def kernel(self) -> object: ...
    def at(self, theta: Floats) -> Self:
        """The same with other hyperparameters."""

    def among(self, X: Floats) -> Floats:
        """The matrix of some rows with themselves, (n, n), with the noise that the kernel has of its own."""

    def among_with_slopes(self, X: Floats) -> WithSlopes:
        """The same, and its derivatives in `theta`."""

    def between(self, X: Floats, Y: Floats) -> Floats:
        """The matrix of rows with other rows, (n, m), without any noise."""

    def diagonal(self, X: Floats) -> Floats:
        """k(x, x) of each row, with noise."""

    def noise(self, X: Floats) -> tuple[Floats, list[Floats]]:
        """The kernel's own noise of each row, (n,), and its derivatives in `theta`."""


@dataclass(frozen=True)
class OwnCovariance:
    """A kernel of ours."""

    kernel: Kernel

    @property
    def theta(self) -> Floats:
        return self.kernel.theta

    @property
    def names(self) -> tuple[str, ...]:
        return self.kernel.theta_names

    @property
    def bounds(self) -> Floats:
        return np.tile(np.log([LEAST, MOST]), (len(self.theta), 1))

    def at(self, theta: Floats) -> Self:
        return type(self)(self.kernel.with_theta(theta))

    def among(self, X: Floats) -> Floats:
        return np.asarray(self.kernel(X), dtype=np.float64)

    def among_with_slopes(self, X: Floats) -> WithSlopes:
        K, slopes = self.kernel.gradients(X)
        return np.asarray(K, dtype=np.float64), [np.asarray(slope, dtype=np.float64) for slope in slopes]

    def between(self, X: Floats, Y: Floats) -> Floats:
        return np.asarray(self.kernel(X, Y), dtype=np.float64)

    def between_with_slopes(self, X: Floats, Y: Floats) -> WithSlopes:
        """The matrix of rows with other rows, and its derivatives in `theta`."""
        K, slopes = self.kernel.gradients(X, Y)
        return np.asarray(K, dtype=np.float64), [np.asarray(slope, dtype=np.float64) for slope in slopes]

    def diagonal(self, X: Floats) -> Floats:
        return np.asarray(self.kernel.diag(X), dtype=np.float64)

    def diagonal_with_slopes(self, X: Floats) -> tuple[Floats, list[Floats]]:
        """k(x, x) of each row without noise, (n,), and its derivatives in `theta`, by differences."""
        noise, noise_slopes = self.noise(X)
        steps = _STEP * np.eye(len(self.theta))
        ends = [(self.at(self.theta + step), self.at(self.theta - step)) for step in steps]
        slopes = [(above.diagonal(X) - below.diagonal(X)) / (2 * _STEP) for above, below in ends]
        return self.diagonal(X) - noise, [own - more for own, more in zip(slopes, noise_slopes, strict=True)]

    def noise(self, X: Floats) -> tuple[Floats, list[Floats]]:
        found, slopes = self._noise(X[:_LOOK])
        if not found.any():  # a kernel has noise in every row, or in none
            return np.zeros(len(X)), [np.zeros(len(X)) for _ in slopes]
        return self._noise(X)

    def _noise(self, X: Floats) -> tuple[Floats, list[Floats]]:
        whole, slopes = _diagonals([self.among_with_slopes(part) for part in _parts(X)])
        shared, others = _diagonals([self.between_with_slopes(part, part.copy()) for part in _parts(X)])
        return whole - shared, [own - other for own, other in zip(slopes, others, strict=True)]


class _Hyperparameter(Protocol):
    name: str
    n_elements: int
    fixed: bool


class Foreign(Protocol):
    """The protocol of scikit-learn's kernels, as far as it is used."""

    theta: Floats
    bounds: Floats
    hyperparameters: list[_Hyperparameter]

    def __call__(self, X: Floats, Y: Floats | None = None, eval_gradient: bool = False) -> Floats: ...
    def diag(self, X: Floats) -> Floats: ...
    def clone_with_theta(self, theta: Floats) -> Self: ...


@dataclass(frozen=True)
class ForeignCovariance:
    """A kernel by scikit-learn's protocol, as those of `sklearn.gaussian_process.kernels`."""

    kernel: Foreign
    owner: str

    @property
    def theta(self) -> Floats:
        return np.asarray(self.kernel.theta, dtype=np.float64)

    @property
    def names(self) -> tuple[str, ...]:
        each = [(own.name, own.n_elements) for own in self.kernel.hyperparameters if not own.fixed]
        found = [[name] if count == 1 else [f"{name}[{j}]" for j in range(count)] for name, count in each]
        return tuple(name for some in found for name in some)

    @property
    def bounds(self) -> Floats:
        return np.asarray(self.kernel.bounds, dtype=np.float64).reshape(-1, 2)

    def at(self, theta: Floats) -> Self:
        return type(self)(self.kernel.clone_with_theta(theta), self.owner)

    def among(self, X: Floats) -> Floats:
        return np.array(self.kernel(X), dtype=np.float64)

    def among_with_slopes(self, X: Floats) -> WithSlopes:
        K, slopes = self.kernel(X, eval_gradient=True)
        return np.array(K, dtype=np.float64), [np.ascontiguousarray(slopes[:, :, j]) for j in range(slopes.shape[2])]

    def between(self, X: Floats, Y: Floats) -> Floats:
        return np.asarray(self.kernel(X, Y), dtype=np.float64)

    def diagonal(self, X: Floats) -> Floats:
        return np.asarray(self.kernel.diag(X), dtype=np.float64)

    def noise(self, X: Floats) -> tuple[Floats, list[Floats]]:
        shared = without_noise(self, X)
        found = self.diagonal(X) - shared
        if np.abs(found).max(initial=0.0) > _ROUNDING * np.abs(shared).max(initial=0.0):
            raise InvalidData(
                f"{self.owner}: the noise of {self.kernel} cannot be divided by weights; give a kernel of "
                "suffice.kernels, or alpha."
            )
        return np.zeros(len(X)), [np.zeros(len(X)) for _ in self.theta]


def without_noise(covariance: Covariance, X: Floats) -> Floats:
    """k(x, x) of each row without noise, (n,)."""
    few = X[:_LOOK]
    if isinstance(covariance, OwnCovariance):  # a kernel has noise in every row, or in none
        shared = np.diagonal(covariance.between(few, few.copy()))
        if np.abs(covariance.diagonal(few) - shared).max(initial=0.0) <= _ROUNDING * np.abs(shared).max(initial=0.0):
            return covariance.diagonal(X)
    return np.concatenate([np.diagonal(covariance.between(part, part.copy())) for part in _parts(X)])


def _parts(X: Floats) -> list[Floats]:
    return [X[first : first + _FEW] for first in range(0, len(X), _FEW)]


def _diagonals(parts: list[WithSlopes]) -> tuple[Floats, list[Floats]]:
    """The diagonals of blocks one after another, of matrices and of their slopes."""
    whole = np.concatenate([np.diagonal(K) for K, _ in parts])
    slopes = [np.concatenate([np.diagonal(part[1][j]) for part in parts]) for j in range(len(parts[0][1]))]
    return whole, slopes


def is_foreign(value: object) -> bool:
    """Whether a value is a kernel by scikit-learn's protocol."""
    return not isinstance(value, type | Kernel) and all(
        hasattr(value, name) for name in ("theta", "bounds", "clone_with_theta", "diag")
    )


def as_covariance(value: object, owner: str) -> Covariance:
    """The covariance that a parameter says."""
    if value is None:
        return OwnCovariance(1.0 * GaussianKernel(bandwidth=2.0**0.5))  # of length scale 1
    if is_foreign(value):
        return ForeignCovariance(cast(Foreign, value), owner)
    kernel = as_kernel(value, owner, gamma=1.0)
    if not isinstance(kernel, Kernel):
        raise InvalidParameter(f"{owner}: kernel must be a kernel of suffice.kernels; got {value!r:.80}.")
    return OwnCovariance(1.0 * kernel if isinstance(value, str) else kernel)


def covariance_of(kernel: object, owner: str) -> Covariance:
    """The covariance of a fitted kernel."""
    return OwnCovariance(kernel) if isinstance(kernel, Kernel) else ForeignCovariance(cast(Foreign, kernel), owner)
