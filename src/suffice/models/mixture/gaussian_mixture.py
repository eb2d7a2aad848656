"""Gaussian mixtures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...data import Source
from ...distributions import DiagonalGaussian, Distribution, Gaussian, Mixture, SphericalGaussian, TiedGaussian
from ...distributions.mixture import check_weights
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import either, floats
from ...params import are_numbers, learned, numbers, param
from ...scikit_learn import VERBOSE, Counterpart
from ...typing import Floats
from .base import MixtureEstimator
from .initialisation import NAMES, FirstLook, initialise
from .missing import Imputes
from .prior import reg_covar_param

_SPREAD = either(*(floats(*shape, finite=False) for shape in (("k", "d", "d"), ("d", "d"), ("k", "d"), ("k",))))
_FAMILIES: dict[str, Callable[..., Distribution]] = {
    "full": Gaussian,
    "tied": TiedGaussian,
    "diag": DiagonalGaussian,
    "spherical": SphericalGaussian,
}


@estimator
class GaussianMixture(Imputes, MixtureEstimator):
    """Mixture of Gaussians by EM: p(x) = Σⱼ πⱼ N(x; mⱼ, Cⱼ), with the largest Σ w log p(x).

    An iteration shares each row out by γⱼ = πⱼ N(x; mⱼ, Cⱼ) / p(x), then takes πⱼ, mⱼ and Cⱼ from the rows so weighted
    and from the prior of `reg_covar`. The objective in `history_`, which no iteration lowers, is the mean log
    likelihood of a row with the log prior; the metric `log_likelihood` is without, `free_energy` and `kl` split it.
    Missing values enter by their exact expectation, for every covariance type. A component that collapses or loses its
    rows is mended, with a warning.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> model = sf.GaussianMixture(2, random_state=0).fit(faithful)
    >>> order = np.argsort(model.means_[:, 0])
    >>> model.means_[order].round(1)
    array([[ 2. , 54.5],
           [ 4.3, 80. ]])
    >>> model.weights_[order].round(2)
    array([0.36, 0.64])
    >>> model.impute(np.array([[2.0, np.nan]])).round(1)
    array([[ 2. , 54.2]])
    """

    complexity = "n_components"

    units = "columns"
    counterpart: ClassVar = Counterpart(
        "sklearn.mixture",
        ignored={
            "verbose": VERBOSE,
            "verbose_interval": VERBOSE,
        },
    )

    covariance_type: Literal["full", "tied", "diag", "spherical"] = param(
        "full", choices=tuple(_FAMILIES), doc="The shape of the covariances; tied: one for all components."
    )
    reg_covar: float = reg_covar_param()
    init_params: str = param(
        "kmeans",
        choices=NAMES,
        doc="Where to begin: rows given to the nearest centre of k-means, of its seeding, of random rows, or "
        "responsibilities at random.",
    )
    weights_init: ArrayLike | None = param(
        None, choices=(None,), accept=lambda v: are_numbers(v, 1), allowed="an array (k,)", doc="Weights to begin with."
    )
    means_init: ArrayLike | None = param(
        None, choices=(None,), accept=lambda v: are_numbers(v, 2), allowed="an array (k, d)", doc="Means to begin with."
    )
    precisions_init: object = param(
        None,
        choices=(None,),
        accept=lambda v: are_numbers(v, 1, 2, 3),
        allowed="an array shaped as `covariances_`",
        doc="Inverses of the covariances to begin with.",
    )

    means_: Floats = learned("m, (k, d).", holds=floats("k", "d"))
    covariances_: Floats = learned("C: (k, d, d) full, (d, d) tied, (k, d) diag, (k,) spherical.", holds=_SPREAD)
    precisions_: Floats = learned("The inverses of the covariances.", holds=_SPREAD)
    precisions_cholesky_: Floats = learned("The roots U of the precisions, precision = U Uᵀ.", holds=_SPREAD)

    def _family(self, source: Source) -> Distribution:
        if self.covariance_type == "tied" and not isinstance(self.tied, bool):
            raise InvalidParameter(
                f"{type(self).__name__}: covariance_type='tied' is one covariance for all components; use "
                "covariance_type='full' where tied says which of them share one."
            )
        family: Distribution = _FAMILIES[self.covariance_type]()
        return family

    def _begins_at_rows(self) -> bool:
        return self.means_init is None and super()._begins_at_rows()

    def _initialise(self, look: FirstLook, rng: np.random.Generator) -> Mixture:
        given = (self.weights_init, self.means_init, self.precisions_init)
        if all(value is not None for value in given):
            started = None
        elif self.means_init is not None:
            started = look.around(self._means(look))
        else:
            started = initialise(self.init_params, look, rng)
        return self._with_given(look, started)

    def _means(self, look: FirstLook) -> Floats:
        shape = (self.n_components, len(look.columns.mean))
        return numbers(type(self).__name__, "means_init", self.means_init, shape, "one row a component")

    def _with_given(self, look: FirstLook, started: Mixture | None) -> Mixture:
        """The start with whatever was given put in."""
        k = self.n_components
        if self.weights_init is None:
            weights = started.weights  # type: ignore[union-attr]
        else:
            weights = numbers(type(self).__name__, "weights_init", self.weights_init, (k,), "one number a component")
            check_weights(weights, k, type(self).__name__, "weights_init")
        if started is None:
            pairs = zip(self._means(look), self._covariances(len(look.columns.mean)), strict=True)
            return look.mixture(weights, [_member(look.family, mean, spread) for mean, spread in pairs])
        parts: Any = started.parts
        if self.means_init is not None:
            parts = [part.moved_to(mean) for part, mean in zip(parts, self._means(look), strict=True)]
        if self.precisions_init is not None:
            parts = [part.with_spread(c) for part, c in zip(parts, self._covariances(len(parts[0].mean)), strict=True)]
        return look.mixture(weights, parts)

    def _covariances(self, d: int) -> list[object]:
        """The covariance of each component that precisions_init gives."""
        k, kind = self.n_components, self.covariance_type
        shape = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[kind]
        what = f"the shape of `covariances_` for covariance_type={kind!r}"
        precisions = numbers(type(self).__name__, "precisions_init", self.precisions_init, shape, what)
        positive = np.all(precisions > 0) if kind in ("diag", "spherical") else _are_positive(precisions)
        if not positive:
            raise InvalidParameter(
                f"{type(self).__name__}: precisions_init must be positive (symmetric, positive-definite matrices); "
                f"those given for covariance_type={kind!r} are not."
            )
        if kind in ("diag", "spherical"):
            return list(1 / precisions.reshape(k, -1))
        return [np.linalg.inv(precisions)] * k if kind == "tied" else list(np.linalg.inv(precisions))

    def _attributes(self, mixture: Mixture) -> Attributes:
        parts = mixture.parts
        if self.covariance_type == "tied":
            covariances = parts[0].covariance
        elif self.covariance_type == "spherical":
            covariances = np.array([part.variance[0] for part in parts])
        else:
            covariances = np.array([part.spread for part in parts])
        if self.covariance_type in ("diag", "spherical"):
            precisions, roots = 1 / covariances, 1 / np.sqrt(covariances)
        else:
            roots = np.swapaxes(np.linalg.inv(_root(covariances, mixture)), -1, -2)
            precisions = roots @ np.swapaxes(roots, -1, -2)
        return {
            "means_": np.array([part.mean for part in parts]),
            "covariances_": covariances,
            "precisions_": precisions,
            "precisions_cholesky_": roots,
        }


def _member(family: Distribution, mean: Floats, spread: object) -> Distribution:
    """The member with this mean and covariance, or variances, which were checked."""
    name = "variance" if family.shape == "diagonal" else "covariance"  # type: ignore[attr-defined]
    return family.with_arrays(**{"mean": mean, name: spread})


def _are_positive(matrices: Floats) -> bool:
    symmetric = np.allclose(matrices, np.swapaxes(matrices, -1, -2))
    return bool(symmetric and np.all(np.linalg.eigvalsh(matrices) > 0))


def _root(covariances: Floats, mixture: Mixture) -> Floats:
    try:
        return np.asarray(np.linalg.cholesky(covariances))
    except np.linalg.LinAlgError:  # the last iteration collapsed: what the next one would begin with
        scale = float(np.mean(np.trace(covariances, axis1=-2, axis2=-1))) / covariances.shape[-1]
        return np.asarray(np.linalg.cholesky(covariances + (1e-10 * scale or 1e-10) * np.eye(covariances.shape[-1])))
