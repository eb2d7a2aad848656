"""Linear discriminant analysis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from ... import backend
from ...backend.posteriors import posterior, rounded
from ...data import Chunk
from ...errors import InvalidParameter
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, require
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, TableLike
from .base import log_of
from .covariance import Floored
from .discriminant import Discriminant
from .gaussian import Structure


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

    units = "columns"

    counterpart: ClassVar = Counterpart(
        "sklearn.discriminant_analysis",
        ignored={
            "solver": "there is one way, which gives coordinates and takes shrinkage",
            "store_covariance": "`covariance_` is always there",
            "tol": "singular covariances are raised to `floor`",
        },
        absent={"covariance_estimator": "use `shrinkage`"},
    )

    n_components: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="How many coordinates `transform` gives; None gives all."
    )

    covariance_: Floats = learned("W, the covariance within the classes, (d, d).", holds=floats("d", "d"))
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
    holds: ClassVar = {"_slope": floats("k", "d"), "_constant": floats("k", finite=False)}

    def check_loaded(self) -> None:
        super().check_loaded()
        width, most = len(self.explained_variance_ratio_), self.scalings_.shape[1]
        require(width <= most, f"explained_variance_ratio_ must have at most {most} numbers; got {width}")

    def _structure(self) -> Structure:
        return "tied"

    def _covariance(self, parts: tuple[Any, ...]) -> Floats:
        weight = np.array([part.weight for part in parts])
        pooled = np.tensordot(weight / weight.sum(), self._covariances(parts), 1)
        return np.asarray(pooled * self._correction(float(weight.sum()), len(parts), "X"))

    def _also(self, means: Floats, prior: Floats, within: list[Floored]) -> Attributes:
        most, whiten = min(len(means) - 1, means.shape[1]), within[0].whiten
        if self.n_components is not None and self.n_components > most:
            raise InvalidParameter(
                "LinearDiscriminantAnalysis: n_components cannot be larger than min(n_features, n_classes - 1), "
                f"which is {most} for {len(means)} class{'es' * (len(means) > 1)}; got {self.n_components}."
            )
        xbar = prior @ means
        scalings, ratio = _fisher(means - xbar, whiten, prior)
        width = most if self.n_components is None else self.n_components
        slope = (means - xbar) @ whiten @ whiten.T  # (k, d)
        constant = log_of(prior) - 0.5 * np.sum(slope * (means - xbar), axis=1) - slope @ xbar
        two = len(means) == 2
        return {
            "xbar_": xbar,
            "scalings_": scalings,
            "explained_variance_ratio_": ratio[:width],
            "coef_": slope[1:] - slope[:1] if two else slope,
            "intercept_": constant[1:] - constant[:1] if two else constant,
            "_slope": slope,
            "_constant": constant,
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.explained_variance_ratio_)

    def transform(self, X: TableLike) -> Reals:
        """The discriminant coordinates (X − xbar) scalings, (n, r); expected where cells are missing."""
        check_is_fitted(self)
        axes = np.ascontiguousarray(self.scalings_[:, : self._n_features_out])
        zero = np.zeros(self._n_features_out)
        return self._rows(X, lambda chunk: backend.affine(self._filled(chunk), self.xbar_, axes, zero))

    def _filled(self, chunk: Chunk) -> Any:
        """Rows whose missing cells are their expectations, given what is there."""
        incomplete = np.flatnonzero(np.isnan(chunk.X).any(axis=1))
        if not len(incomplete):
            return chunk.X
        some, filled = Chunk(chunk.X[incomplete]), chunk.X.copy()
        probability = posterior(self._log_joint(some), self._log_prior())  # (n, k)
        given = np.stack([member.given(some.X).filled for member in self._members], axis=2)  # (n, d, k)
        filled[incomplete] = np.where(np.isnan(some.X), np.einsum("njk,nk->nj", given, probability), some.X)
        return filled

    def _scores(self, chunk: Chunk) -> Reals:
        scores: Reals = backend.affine(chunk.X, None, np.ascontiguousarray(self._slope.T), self._constant)
        incomplete = np.isnan(scores[:, 0])
        if incomplete.any():
            scores[incomplete] = rounded(self._log_joint(Chunk(chunk.X[incomplete])), scores.dtype)
        return scores


LinearDiscriminant = LinearDiscriminantAnalysis  # pickles and files of earlier versions name it so


def _fisher(centred: Floats, whiten: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """The directions (d, r) with W the identity in them, and the share of the trace of each."""
    most = min(len(centred) - 1, len(whiten))
    _, singular, axes = np.linalg.svd(np.sqrt(prior)[:, None] * centred @ whiten, full_matrices=True)
    trace = float(np.sum(singular**2))
    ratio = singular[:most] ** 2 / trace if trace > 0 else np.zeros(most)
    directions = whiten @ axes[:most].T
    sign = np.sign(directions[np.argmax(np.abs(directions), axis=0), np.arange(most)])
    return directions * np.where(sign == 0, 1.0, sign), ratio
