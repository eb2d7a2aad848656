"""Linear discriminant analysis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ... import backend
from ...backend.posteriors import posterior
from ...data import Chunk, Needs
from ...errors import InvalidParameter
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, require, sometimes
from ...params import derived, learned, param
from ...scikit_learn import Counterpart
from ...statistics import RootMoments
from ...typing import Floats, Reals, TableLike
from .base import log_of
from .covariance import Floored
from .discriminant import Discriminant
from .few_rows import FlooredRoot, RootCovariance, pooled
from .gaussian import Structure, Within


@estimator
class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, Transformer, Discriminant):  # type: ignore[misc]
    """Linear discriminant analysis, Gaussians with one covariance W: P(c | x) ∝ P(c) N(x; mean_c, W).

    The boundary between two classes is a plane. `transform` gives Fisher's discriminant coordinates: the directions
    v that maximise vᵀBv / vᵀWv one after the other, where B is the covariance of the means; in them W is the identity.
    Missing values are integrated out: by EM at `fit`, and by the density of what is there at `predict`. A singular W
    is raised to `floor`, with a warning. The objective is the negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.LinearDiscriminantAnalysis(unbiased=True).fit(iris.matrix(), iris["species"])
    >>> model.explained_variance_ratio_.round(4)
    array([0.9912, 0.0088])
    >>> model.transform(iris.matrix()[:1]).round(2)
    array([[-8.06,  0.3 ]])
    """

    complexity = "-shrinkage"

    units = "columns"

    needs = Needs(target="classes", missing=True, one_hot=True)
    counterpart: ClassVar = Counterpart(
        "sklearn.discriminant_analysis",
        ignored={
            "solver": "there is one way, which gives coordinates and takes shrinkage",
            "store_covariance": "`covariance_` is computed when it is read",
            "tol": "singular covariances are raised to `floor`",
        },
        absent={"covariance_estimator": "use `shrinkage`"},
    )

    n_components: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="How many coordinates `transform` gives; None gives all."
    )

    xbar_: Floats = learned("The mean of the means, by P(class), (d,).", holds=floats("d"))
    scalings_: Floats = learned("The discriminant directions as columns, (d, r).", holds=floats("d", "r"))
    explained_variance_ratio_: Floats = learned(
        "The proportion of trace: each coordinate's share of tr(W⁻¹B), (r,).", holds=floats(None)
    )
    coef_: Floats = learned(
        "The weights of the linear scores, (k, d), or (1, d) of their difference for two classes.",
        holds=floats("scores", "d"),
    )
    intercept_: Floats = learned(
        "The constants of the linear scores, (k,) or (1,).", holds=floats("scores", finite=False)
    )
    holds: ClassVar = {
        "_slope": floats("k", "d"),
        "_constant": sometimes(floats("k", finite=False)),  # of earlier versions, in place of the one at the centre
        "_at_centre": sometimes(floats("k", finite=False)),
    }

    @derived
    def covariance_(self) -> Floats:
        """W, the covariance within the classes, (d, d)."""
        return np.asarray(self._members[0].covariance)

    def check_loaded(self) -> None:
        super().check_loaded()
        if not hasattr(self, "_at_centre"):
            self._at_centre = self._constant + self._slope @ self.xbar_
        width, most = len(self.explained_variance_ratio_), self.scalings_.shape[1]
        require(width <= most, f"explained_variance_ratio_ must have at most {most} numbers; got {width}")

    def _structure(self) -> Structure:
        return "tied"

    def _covariance(self, parts: tuple[Any, ...]) -> Floats:
        weight = np.array([part.weight for part in parts])
        pooled = np.tensordot(weight / weight.sum(), self._covariances(parts), 1)
        return np.asarray(pooled * self._correction(float(weight.sum()), len(parts), "X"))

    def _root_covariance(self, parts: tuple[RootMoments, ...]) -> list[RootCovariance]:
        weight = np.array([part.weight for part in parts])
        factor = self._correction(float(weight.sum()), len(parts), "X")
        return [pooled(self._root_covariances(parts), factor * weight / weight.sum())]

    def _also(self, means: Floats, prior: Floats, within: Within) -> Attributes:
        most, own = min(len(means) - 1, means.shape[1]), within[0]
        if self.n_components is not None and self.n_components > most:
            raise InvalidParameter(
                "LinearDiscriminantAnalysis: n_components cannot be larger than min(n_features, n_classes - 1), "
                f"which is {most} for {len(means)} class{'es' * (len(means) > 1)}; got {self.n_components}."
            )
        xbar = prior @ means
        whitened = own.whitened(means - xbar)  # (k, d)
        scalings, ratio = _fisher(whitened, own, prior)
        width = most if self.n_components is None else self.n_components
        slope = own.unwhitened(whitened)
        at_centre = log_of(prior) - 0.5 * np.sum(whitened**2, axis=1)
        constant = at_centre - slope @ xbar
        two = len(means) == 2
        return {
            "xbar_": xbar,
            "scalings_": scalings,
            "explained_variance_ratio_": ratio[:width],
            "coef_": slope[1:] - slope[:1] if two else slope,
            "intercept_": constant[1:] - constant[:1] if two else constant,
            "_slope": slope,
            "_at_centre": at_centre,
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.explained_variance_ratio_)

    def transform(self, X: TableLike) -> Reals:
        """The discriminant coordinates (X − xbar) scalings, (n, r); expected where cells are missing."""
        self._check_fitted()
        axes = np.ascontiguousarray(self.scalings_[:, : self._n_features_out])
        zero = np.zeros(self._n_features_out)

        def coordinates(chunk: Chunk) -> Reals:
            found: Reals = backend.affine(chunk.X, self.xbar_, axes, zero)
            if backend.first_bad(found) is not None:
                incomplete = np.flatnonzero(np.isnan(found).any(axis=1))
                found[incomplete] = backend.affine(self._filled(chunk.X[incomplete]), self.xbar_, axes, zero)
            return found

        return self._rows(X, coordinates)

    def _filled(self, X: Reals) -> Reals:
        """Rows whose missing cells are their expectations, given what is there."""
        probability = posterior(self._log_joint(Chunk(X)), self._log_prior())  # (n, k)
        given = np.stack([member.given(X).filled for member in self._members], axis=2)  # (n, d, k)
        return np.where(np.isnan(X), np.einsum("njk,nk->nj", given, probability), X).astype(X.dtype)

    def _shows_bad_cells(self) -> bool:
        return True  # a product of an infinite cell and a finite slope is infinite or NaN

    def _log_scores(self, chunk: Chunk) -> Floats:
        X = np.asarray(chunk.X, dtype=np.float64)
        scores: Floats = backend.affine(X, self.xbar_, np.ascontiguousarray(self._slope.T), self._at_centre)
        incomplete = np.isnan(scores[:, 0])
        if incomplete.any():
            scores[incomplete] = self._log_joint(Chunk(X[incomplete]))
        return scores

    def _scores(self, chunk: Chunk) -> Floats:
        return self._log_scores(chunk)


LinearDiscriminant = LinearDiscriminantAnalysis  # pickles and files of earlier versions name it so


def _fisher(whitened: Floats, own: Floored | FlooredRoot, prior: Floats) -> tuple[Floats, Floats]:
    """The directions (d, r) with W the identity in them, and the share of the trace of each."""
    most = min(len(whitened) - 1, whitened.shape[1])
    _, singular, axes = np.linalg.svd(np.sqrt(prior)[:, None] * whitened, full_matrices=False)
    trace = float(np.sum(singular**2))
    ratio = singular[:most] ** 2 / trace if trace > 0 else np.zeros(most)
    directions = own.unwhitened(axes[:most]).T
    sign = np.sign(directions[np.argmax(np.abs(directions), axis=0), np.arange(most)])
    return directions * np.where(sign == 0, 1.0, sign), ratio
