"""The singular value decomposition, cut after a few components."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend.affine_rows import affine_rows
from ...data import Needs, Source
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...scikit_learn import Counterpart
from ...typing import Floats, RandomState, Reals, TableLike
from .leading_axes import Axes, leading_axes


@estimator
class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, Transformer):  # type: ignore[misc]
    """The best approximation of rank k: min Σ w ‖x − Vᵀ V x‖² with orthonormal rows of V, about the origin.

    So X ≈ U Σ V, with Σ the singular values and U Σ what `transform` gives (latent semantic analysis, for counts of
    words). Columns are not centred, which `PCA` does, so sparse rows stay sparse. A random block times powers of XᵀX
    finds V in `n_iter` + 2 passes over any source, each a sum of products of rows; where there are at most 2,048
    columns or rows, or the products of all take less work, these are decomposed instead, and V is exact.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> svd = sf.TruncatedSVD(2).fit(crabs)
    >>> svd.singular_values_.round(2), svd.explained_variance_ratio_.round(4)
    (array([787.2 ,  17.01]), array([0.9805, 0.0101]))
    """

    complexity = "n_components"

    needs = Needs(sparse=True)
    small: ClassVar = {"n_components": 2}

    counterpart: ClassVar = Counterpart(
        "sklearn.decomposition",
        ignored={
            "power_iteration_normalizer": "every power is made orthonormal",
            "tol": "the exact decomposition is that to rounding",
        },
    )

    n_components: int = param(2, positional=True, integer=True, at_least=1, doc="How many components, k.")
    algorithm: str = param(
        "randomized",
        choices=("randomized", "exact", "arpack"),
        doc="Powers of a random block, unless all products take less work, or the exact decomposition; arpack is "
        "scikit-learn's name of the latter.",
    )
    n_iter: int = param(5, integer=True, at_least=0, doc="How many times the random block is improved.")
    n_oversamples: int = param(10, integer=True, at_least=0, doc="Columns of the random block beyond k.")
    random_state: RandomState = random_state_param()

    components_: Floats = learned(
        "The right singular vectors as rows, (k, d); the largest entry of each is positive.", holds=floats("k", "d")
    )
    singular_values_: Floats = learned("The singular values, falling, (k,).", holds=floats("k"))
    explained_variance_: Floats = learned("The variance of each coordinate, (k,), divided by Σw.", holds=floats("k"))
    explained_variance_ratio_: Floats = learned(
        "The share of the variance of all columns that each coordinate has, (k,).", holds=floats("k")
    )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        d = len(source.schema)
        if self.n_components > d:
            raise InvalidParameter(
                f"TruncatedSVD: n_components({self.n_components}) must be <= n_features({d}), the number of columns."
            )
        rng = generator(self.random_state)
        exact = self.algorithm != "randomized"
        found = leading_axes(source, self.n_components, rng, self.n_iter, self.n_oversamples, exact)
        return found.then(self._attributes)

    def _attributes(self, found: Axes) -> Attributes:
        variance = found.scatter / found.weight
        whole = found.all_scatter / found.weight
        return {
            "components_": found.axes,
            "singular_values_": np.sqrt(found.squares),
            "explained_variance_": variance,
            "explained_variance_ratio_": variance / (whole if whole > 0 else 1.0),
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: TableLike) -> Reals:
        """The rows in the coordinates of the components, U Σ."""
        self._check_fitted("components_")
        forward, nothing = np.ascontiguousarray(self.components_.T), np.zeros(len(self.components_))
        return self._rows(X, lambda chunk: affine_rows(chunk.X, None, forward, nothing), late=True, lean=True)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The rows that coordinates stand for."""
        self._check_fitted("components_")
        nothing = np.zeros(self.components_.shape[1])
        back = lambda chunk: affine_rows(chunk.X, None, self.components_, nothing)  # noqa: E731
        return self._rows_back(X, back, len(self.components_))
