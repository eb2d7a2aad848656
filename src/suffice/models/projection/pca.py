"""Principal components."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend.affine_rows import affine_rows
from ...data import Chunk, Needs, Source
from ...data.rows import is_sparse
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidParameter
from ...estimator import Attributes, SummaryModel, Transformer, estimator
from ...holds import floats, instance, optional, whole
from ...params import learned, param
from ...scikit_learn import COPY, Counterpart
from ...statistics import Affine, Moments, RootMoments, SparseRows
from ...statistics.joint import joint_moments
from ...statistics.sparse_rows import SparseRoot
from ...statistics.spectrum import Spectrum, column_scale, divisor, spectrum
from ...typing import Floats, Reals, TableLike
from .sparse_spectrum import are_few, sparse_spectrum

Summary = Moments | RootMoments | SparseRows


@estimator
class PCA(ClassNamePrefixFeaturesOutMixin, Transformer, SummaryModel):  # type: ignore[misc]
    """Principal component analysis: the orthonormal directions v of largest variance, max vᵀ S v with ‖v‖ = 1.

    The rows become z = V (x − mean); the objective is the variance that the kept components leave unexplained.
    It comes from the eigenvectors of the moments (one pass over any source), or, with `solver="svd"`, from the
    singular values of a QR summary, which keeps twice the digits of small components.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> pca = sf.PCA(2).fit(crabs.matrix())
    >>> pca.explained_variance_ratio_.round(4)
    array([0.9825, 0.0091])
    """

    complexity = "n_components"

    read_late = ("whiten",)

    counterpart: ClassVar = Counterpart(
        "sklearn.decomposition",
        ignored={
            "copy": COPY,
            "iterated_power": "the decomposition is exact",
            "n_oversamples": "the decomposition is exact",
            "power_iteration_normalizer": "the decomposition is exact",
            "random_state": "nothing is drawn",
            "svd_solver": "the decomposition is exact; see `solver`",
            "tol": "the decomposition is exact",
        },
    )

    needs = Needs(sparse=True)

    n_components: int | float | None = param(
        None,
        positional=True,
        integer=True,
        at_least=1,
        choices=(None,),
        accept=lambda share: isinstance(share, float | np.floating) and 0 < share < 1,
        allowed="a share of the variance between 0 and 1",
        doc="How many components: a number, the share of variance they must explain, or None for every direction "
        "that has variance.",
    )
    scaling: str = param(
        "covariance",
        choices=("covariance", "correlation"),
        doc="Columns as they are, or each divided by its standard deviation first.",
    )
    whiten: bool = param(False, choices=(True, False), doc="Whether the components are scaled to variance 1.")
    solver: str = param(
        "auto",
        choices=("auto", "moments", "svd"),
        doc="Eigenvectors of the moments, or singular vectors; auto takes eigenvectors of the products of rows where "
        "these are no more than columns, and singular vectors where that would cost digits.",
    )

    components_: Floats = learned(
        "The principal axes as rows, (k, d); the largest entry of each is positive.", holds=floats("k", "d")
    )
    explained_variance_: Floats = learned("The variance along each axis, (k,), divided by Σw − 1.", holds=floats("k"))
    explained_variance_ratio_: Floats = learned(
        "The share of the whole variance along each axis, (k,).", holds=floats("k")
    )
    singular_values_: Floats = learned("√(explained variance · (Σw − 1)), (k,).", holds=floats("k"))
    noise_variance_: float = learned("The mean variance of the directions left out.")
    mean_: Floats = learned("The weighted mean, (d,).", holds=floats("d"))
    scale_: Floats | None = learned(
        "What columns are divided by for correlation, (d,); else None.", holds=optional(floats("d", above=0))
    )
    n_components_: int = learned("How many components were kept.", holds=whole("k", at_least=1))
    holds: ClassVar = {"summary_": instance(Moments, RootMoments, SparseRows, d="d")}

    def _needs(self) -> Needs:
        return super()._needs().but(scaled=self.scaling == "covariance")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if self._keeps_rows(source):
            return closed_form(lambda: self._solved(source.reduce(lambda chunk: SparseRows.of(chunk.X, chunk.weight))))
        rooted = self.solver == "svd" or (self.solver == "auto" and source.is_wide)
        return closed_form(lambda: self._solved(source.reduce(partial(_summed_up, rooted=rooted))))

    def _keeps_rows(self, source: Source) -> bool:
        """Whether few directions are wanted of sparse rows that take less memory than the products of columns."""
        rows, d = source.in_memory, len(source.schema)
        if rows is None or not is_sparse(rows.X) or not isinstance(self.n_components, int) or self.solver != "auto":
            return False
        return are_few(d, self.n_components) and rows.X.nnz < d * d

    def summarise(self, chunk: Chunk) -> Summary:
        held = getattr(self, "summary_", None)  # whose form new rows take on
        return joint_moments(chunk.X, chunk.weight, rooted=self.solver == "svd", like=held)

    def solve(self, summary: Summary) -> Step[Attributes]:
        scale = column_scale(summary) if self.scaling == "correlation" else None
        found = self._kept(self._spectrum(summary, scale))
        k, d = found.axes.shape
        unexplained = max(found.total - float(found.variance.sum()), 0.0)
        total = found.total if found.total > 0 else 1.0
        attributes = {
            "components_": found.axes,
            "explained_variance_": found.variance,
            "explained_variance_ratio_": found.variance / total,
            "singular_values_": np.sqrt(found.variance * divisor(summary.weight)),
            "noise_variance_": unexplained / (d - k) if k < d else 0.0,
            "mean_": summary.mean,
            "scale_": scale,
            "n_components_": k,
        }
        return Step(attributes, unexplained)

    def _spectrum(self, summary: Summary, scale: Floats | None) -> Spectrum:
        if not isinstance(summary, SparseRows):
            return spectrum(summary, scale, self._wanted(summary), exact=self.solver == "svd")
        root = SparseRoot.of(summary)
        root = root if scale is None else root.divided(scale)
        return sparse_spectrum(root, divisor(summary.weight), self._wanted(summary))

    def _wanted(self, summary: Summary) -> int | None:
        """How many directions to compute; None for all of them."""
        d = len(summary.mean)
        if self.n_components is None or isinstance(self.n_components, float):
            return None
        if self.n_components > d:
            raise InvalidParameter(
                f"{type(self).__name__}: n_components={self.n_components} must be at most the number of columns, {d}."
            )
        return self.n_components

    def _kept(self, found: Spectrum) -> Spectrum:
        if self.n_components is None:
            k = max(1, found.rank)
        elif isinstance(self.n_components, float):
            share = np.cumsum(found.variance) / (found.total if found.total > 0 else 1.0)
            k = min(int(np.searchsorted(share, self.n_components, side="right")) + 1, len(found.variance))
        else:
            return found
        return found.first(k)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: TableLike) -> Reals:
        """The rows in the coordinates of the components."""
        self._check_fitted()
        forward = np.ascontiguousarray((self.components_ / self._factor()).T)
        nothing = np.zeros(self.n_components_)
        return self._rows(X, lambda chunk: affine_rows(chunk.X, self.mean_, forward, nothing), late=True, lean=True)

    def _affine(self) -> Affine:
        forward = (self.components_ / self._factor()).T
        return Affine(forward, -self.mean_ @ forward)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The rows in the original units, from their component coordinates."""
        self._check_fitted()
        back = self.components_ * self._factor()
        return self._rows_back(X, lambda chunk: affine_rows(chunk.X, None, back, self.mean_), self.n_components_)

    def _factor(self) -> Floats:
        """What a loading is divided by, (k, d) or (k, 1): the component's spread and the column's scale."""
        spread = np.ones(self.n_components_)
        if self.whiten:  # a component without variance stays 0
            spread = np.sqrt(np.where(self.explained_variance_ > 0, self.explained_variance_, 1.0))
        return spread[:, None] if self.scale_ is None else np.outer(spread, self.scale_)


def _summed_up(chunk: Chunk, rooted: bool) -> Summary:
    return joint_moments(chunk.X, chunk.weight, rooted=rooted)
