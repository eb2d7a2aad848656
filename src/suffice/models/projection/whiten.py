"""Whitening: columns that are uncorrelated, each with variance 1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ... import backend
from ...data import Chunk
from ...engine import Step
from ...errors import IllConditioned, warn
from ...estimator import Attributes, SummaryModel, Transformer, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...statistics import Affine, Moments
from ...statistics.spectrum import spectrum
from ...typing import Floats, Reals, TableLike


@estimator
class Whiten(ClassNamePrefixFeaturesOutMixin, Transformer, SummaryModel):  # type: ignore[misc]
    """Sphere the rows: z = W (x − mean) with W S Wᵀ = I, where S is the covariance with Σw − 1.

    With S = Vᵀ Λ V, `method="pca"` takes W = Λ^(−½) V (coordinates are components) and `method="zca"` takes
    W = Vᵀ Λ^(−½) V (coordinates stay as close to the columns as they can). Directions without variance map to 0.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> Z = sf.Whiten().fit_transform(np.log(sf.datasets.load("crabs").matrix()))
    >>> np.allclose(np.cov(Z, rowvar=False), np.eye(5))
    True
    """

    method: str = param("pca", positional=True, choices=("pca", "zca"), doc="Which of the whitening rotations.")

    mean_: Floats = learned("The weighted mean, (d,).", holds=floats("d"))
    whitening_: Floats = learned("W, (d, d).", holds=floats("d", "d"))
    unwhitening_: Floats = learned("The (pseudo-)inverse of Wᵀ, (d, d).", holds=floats("d", "d"))
    explained_variance_: Floats = learned("The variances Λ along the principal axes, (d,).", holds=floats("d"))
    holds: ClassVar = {"summary_": instance(Moments, d="d")}

    def summarise(self, chunk: Chunk) -> Moments:
        return Moments.of(chunk.X, chunk.weight)

    def solve(self, summary: Moments) -> Step[Attributes]:
        found = spectrum(summary, None)
        flat = np.arange(len(found.variance)) >= found.rank
        if flat.any():
            warn(
                f"Whiten: {flat.sum()} of {len(flat)} directions have no variance (columns determined by others, or "
                "fewer rows than columns); they map to 0.",
                IllConditioned,
            )
        std = np.sqrt(np.where(flat, 1.0, found.variance))
        forward = np.where(flat, 0.0, 1 / std)[:, None] * found.axes  # (d, d)
        backward = np.where(flat, 0.0, std)[:, None] * found.axes
        if self.method == "zca":
            forward, backward = found.axes.T @ forward, found.axes.T @ backward
        attributes = {
            "mean_": summary.mean,
            "whitening_": forward,
            "unwhitening_": backward,
            "explained_variance_": found.variance,
        }
        return Step(attributes, float(np.trace(summary.scatter)))

    @property
    def _n_features_out(self) -> int:
        return len(self.whitening_)

    def transform(self, X: TableLike) -> Reals:
        """The whitened rows."""
        self._check_fitted()
        forward, nothing = np.ascontiguousarray(self.whitening_.T), np.zeros(len(self.whitening_))
        return self._rows(X, lambda chunk: backend.affine(chunk.X, self.mean_, forward, nothing), late=True, lean=True)

    def _affine(self) -> Affine:
        return Affine(self.whitening_.T, -self.mean_ @ self.whitening_.T)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The rows in the original units."""
        self._check_fitted()
        back = lambda chunk: backend.affine(chunk.X, None, self.unwhitening_, self.mean_)  # noqa: E731
        return self._rows_back(X, back, len(self.whitening_))
