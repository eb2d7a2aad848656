"""The tensor sketch of the polynomial kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from scipy.fft import irfft, rfft
from scipy.sparse import csr_array, hstack

from ...data import Needs, Source
from ...data.rows import is_sparse
from ...estimator import Attributes, estimator
from ...holds import floats, integers, require, whole
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...scikit_learn import Counterpart
from ...typing import Floats, Numbers, RandomState, Reals, Whole
from .base import FeatureMap, check_room, finite
from .waves import n_components_param, numbered


@estimator
class PolynomialCountSketch(FeatureMap):
    """The tensor sketch of the polynomial kernel: φ(x)·φ(y) is near (gamma x·y + coef0)^degree.

    A count sketch adds up cells, with random signs, in D random places; the sketch of a product of columns is the
    convolution of sketches, by the fast Fourier transform (Pham & Pagh, 2013). It never has the d^degree products that
    `PolynomialFeatures` has, and costs degree · (d + D log D) a row. No two columns share a place while there are
    enough, so that a sketch of degree 1 is exact for D > d. Nothing is learned from the rows.

    Examples
    --------
    >>> import suffice as sf
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 4)) / 2
    >>> phi = sf.PolynomialCountSketch(degree=2, n_components=4000, random_state=0).fit_transform(X)
    >>> bool(np.abs(phi @ phi.T - (X @ X.T) ** 2).mean() < 0.1)
    True
    """

    complexity = "n_components"

    counterpart: ClassVar = Counterpart("sklearn.kernel_approximation")
    needs = Needs(scaled=True, one_hot=True, sparse=True)
    read_late = ("gamma", "coef0")

    gamma: float = param(1.0, number=True, above=0, below=np.inf, doc="What x·y is multiplied with.")
    degree: int = param(2, integer=True, at_least=1, at_most=1000, doc="The degree of the polynomial.")
    coef0: float = param(0.0, number=True, at_least=0, below=np.inf, doc="What is added to gamma x·y.")
    n_components: int = n_components_param()
    random_state: RandomState = random_state_param()

    indexHash_: Whole = learned(  # noqa: N815
        "The place of each mapped column, and of coef0, in each sketch, (degree, m + 1).",
        holds=integers("p", "m+1", at_least=0, below="D"),
    )
    bitHash_: Floats = learned("Their signs, (degree, m + 1).", holds=floats("p", "m+1"))  # noqa: N815
    n_features_out_: int = learned("The number D of features.", holds=whole("D", at_least=1, at_most=1_000_000))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.indexHash_), "indexHash_ must have a sketch")

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        rng, shape = generator(self.random_state), (self.degree, len(chosen) + 1)
        return {
            "indexHash_": np.array([_places(rng, shape[1], self.n_components) for _ in range(self.degree)]),
            "bitHash_": rng.choice([-1.0, 1.0], shape),
            "n_features_out_": self.n_components,
        }

    def _features(self, X: Reals) -> Reals:
        D = self.n_features_out_
        check_room(X, D, type(self).__name__, "lower n_components, or transform fewer rows at a time")
        constant = np.full((X.shape[0], 1), self.coef0**0.5, dtype=X.dtype)
        cells = (hstack if is_sparse(X) else np.hstack)([X * X.dtype.type(self.gamma**0.5), constant])
        first, *others = (self._sketch(cells, s) for s in range(len(self.indexHash_)))
        if not others:
            return first
        with np.errstate(over="ignore", invalid="ignore"):
            waves = rfft(first, axis=1)
            for sketch in others:
                waves *= rfft(sketch, axis=1)
            return finite(np.asarray(irfft(waves, n=D, axis=1), dtype=X.dtype), type(self).__name__)

    def _sketch(self, cells: Numbers, s: int) -> Reals:
        """The signed cells, each added in its place, (n, D)."""
        width = cells.shape[1]
        signs = self.bitHash_[s].astype(cells.dtype)
        places = csr_array((signs, self.indexHash_[s], np.arange(width + 1)), shape=(width, self.n_features_out_))
        made = cells @ places
        return made.toarray() if is_sparse(made) else np.ascontiguousarray(made)

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        return numbered(self, self.n_features_out_)


def _places(rng: np.random.Generator, width: int, D: int) -> Whole:
    """A random place for each column, a place again only after all others; the signs keep the sketch unbiased."""
    return np.concatenate([rng.permutation(D) for _ in range(-(-width // D))])[:width]
