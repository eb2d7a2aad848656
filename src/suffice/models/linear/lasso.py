"""The lasso and the elastic net."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...params import param
from ...penalties import L1, ElasticNetPenalty, Penalty
from ...scikit_learn import COPY, Counterpart
from ...typing import ArrayLike, TableLike, TargetLike, WeightLike
from .paths import RegularizationPath
from .penalised import PenalisedRegression

_COUNTERPART = Counterpart(
    "sklearn.linear_model",
    ignored={
        "copy_X": COPY,
        "precompute": "products of columns are formed where that is faster",
        "random_state": "nothing is drawn",
        "selection": "coordinates are taken in turn",
    },
)


@estimator
class Lasso(PenalisedRegression):
    """Least squares with an L1 penalty, which leaves most slopes at exactly 0.

    Minimises Σ s (y − x·w − b)² / 2 Σ s + λ ‖w‖₁, with λ = `alpha`, by coordinate descent over working sets. It ends
    when the dual gap, an upper bound of what could still be gained, is at most `tol` · Σ s (y − ȳ)² / Σ s. A Laplace
    prior on the slopes gives the same. Several targets are fitted one by one.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> sf.Lasso(alpha=0.1).fit(X, iris["sepal_length"]).coef_.round(4)
    array([0.3766, 0.    , 0.    ])
    """

    complexity = "-alpha"

    counterpart: ClassVar = _COUNTERPART

    def _penalty(self, strength: float) -> Penalty:
        return L1(strength, positive=self.positive)


@estimator
class ElasticNet(PenalisedRegression):
    """Least squares with L1 and L2 penalties: slopes of exactly 0, and alike for columns that go together.

    Minimises Σ s (y − x·w − b)² / 2 Σ s + λ (ρ ‖w‖₁ + ½ (1 − ρ) ‖w‖²), with λ = `alpha` and ρ = `l1_ratio`, by
    coordinate descent over working sets, as `Lasso` does.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> sf.ElasticNet(alpha=0.1, l1_ratio=0.5).fit(X, iris["sepal_length"]).coef_.round(4)
    array([0.404 , 0.    , 0.1682])
    """

    complexity = "-alpha"

    proposed = False

    counterpart: ClassVar = _COUNTERPART

    l1_ratio: float = param(
        0.5, number=True, at_least=0, at_most=1, doc="The share ρ of the L1 penalty; 0 is L2 alone, 1 is the lasso."
    )

    def _penalty(self, strength: float) -> Penalty:
        return ElasticNetPenalty(strength, self.l1_ratio, positive=self.positive)


def lasso_path(
    X: TableLike,
    y: TargetLike = None,
    *,
    l1_ratio: float = 1.0,
    alphas: ArrayLike | None = None,
    n_alphas: int = 100,
    eps: float = 1e-3,
    positive: bool = False,
    fit_intercept: bool = True,
    sample_weight: WeightLike = None,
) -> RegularizationPath:
    """The lasso for falling strengths λ; with an `l1_ratio` below 1 the elastic net.

    The same as `Lasso().path` and `ElasticNet(l1_ratio=…).path`: a result to print, to plot, or to take figures from.
    scikit-learn's function of that name gives a tuple, of slopes (d, k), and fits no intercept.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> path = sf.lasso_path(X, iris["sepal_length"], l1_ratio=0.5, n_alphas=3)
    >>> path.coef.round(3)
    array([[ 0.   ,  0.   ,  0.   ],
           [ 0.416,  0.   ,  0.236],
           [ 0.675, -0.483,  0.629]])
    """
    model = ElasticNet(l1_ratio=l1_ratio, positive=positive, fit_intercept=fit_intercept)
    return model.path(X, y, alphas=alphas, n_alphas=n_alphas, eps=eps, sample_weight=sample_weight)
