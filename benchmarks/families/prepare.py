"""Preparation."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.kernel_approximation as ska
import sklearn.preprocessing as sk
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.metrics.pairwise import rbf_kernel

import suffice as sf

from .contest import UNGROUPED, Contest, at_most, same
from .tables import Cell, Table


def _same_edges(ours: Any, theirs: Any, table: Table) -> None:
    for one, other in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


def _same_categories(ours: Any, theirs: Any, table: Table) -> None:
    for one, other in zip(ours.categories_, theirs.categories_, strict=True):
        np.testing.assert_array_equal(one, other)


def _codes(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, None]:
    """Columns of eight categories each."""
    return rng.integers(0, 8, (cell.n, cell.d)).astype(float), None


def _gaps(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, None]:
    """Rows with a tenth of the cells missing."""
    X = rng.normal(size=(cell.n, cell.d)).round(3)
    return np.where(rng.random(X.shape) < 0.1, np.nan, X), None


CONTESTS = [
    Contest(
        sf.KBinsDiscretizer,
        {"scikit-learn": sk.KBinsDiscretizer},
        _same_edges,
        options=lambda table: {"encode": "ordinal", "subsample": None},
        axes=UNGROUPED,
    ),
    Contest(
        sf.OneHotEncoder,
        {"scikit-learn": sk.OneHotEncoder},
        _same_categories,
        rows=_codes,
        options=lambda table: {"sparse_output": False},
        shape=at_most(200_000, 50),
        axes=UNGROUPED,
    ),
    Contest(
        sf.PolynomialFeatures,
        {"scikit-learn": sk.PolynomialFeatures},
        same("powers_"),
        shape=at_most(100_000, 20),
        axes=UNGROUPED,
    ),
    Contest(
        sf.FunctionTransformer,
        {"scikit-learn": lambda func: sk.FunctionTransformer(np.arctan, np.tan, validate=True)},
        same("n_features_in_"),
        options=lambda table: {"func": "arctan"},
        remarks={key: {"scikit-learn": "NumPy's function on both sides"} for key in ("transform", "inverse_transform")},
        axes=UNGROUPED,
    ),
    Contest(
        sf.PowerTransformer,
        {"scikit-learn": sk.PowerTransformer},
        same("lambdas_", tolerance=1e-4),
        shape=at_most(100_000, 20),
        unlike=dict.fromkeys(("transform", "inverse_transform"), "the powers are equal to about six digits"),
        axes=UNGROUPED,
    ),
    Contest(
        sf.QuantileTransformer,
        {"scikit-learn": sk.QuantileTransformer},
        same("quantiles_"),
        options=lambda table: {"n_quantiles": min(1000, table.X.shape[0]), "subsample": None},
        shape=at_most(200_000, 20),
        axes=UNGROUPED,
    ),
    Contest(
        sf.SplineTransformer,
        {"scikit-learn": sk.SplineTransformer},
        same("n_features_out_"),
        shape=at_most(200_000, 50),
        axes=UNGROUPED,
    ),
    Contest(sf.StandardScaler, {"scikit-learn": sk.StandardScaler}, same("mean_", "scale_"), axes=UNGROUPED),
    Contest(
        sf.StandardScaler,
        {"scikit-learn": sk.StandardScaler},
        same("scale_"),
        options=lambda table: {"with_mean": False},
        variant="without mean",
        sparse=True,
        axes=(),
    ),
]


def _kernel_of(model: Any, X: Any) -> Any:
    """The kernel of some rows that its features give."""
    phi = np.asarray(model.transform(X[:300]), dtype=np.float64)
    return phi @ phi.T


def _as_near(exact: Any) -> Any:
    """As near to the kernel as theirs, but for the chance of one seed."""

    def check(ours: Any, theirs: Any, table: Table) -> None:
        wanted = exact(table.X[:300])
        error = [np.abs(_kernel_of(model, table.X) - wanted).mean() for model in (ours, theirs)]
        assert error[0] <= 1.5 * error[1] + 0.2 * np.abs(wanted).mean(), error

    return check


def _shares(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, None]:
    """Histograms."""
    X = rng.random((cell.n, cell.d))
    return X / X.sum(axis=1, keepdims=True), None


DRAWN = dict.fromkeys(("transform", "fit_transform"), "features are drawn, and other ones have the same products")
KERNEL_MAPS: list[tuple[Any, Any, dict[str, Any], Any]] = [
    (sf.RBFSampler, ska.RBFSampler, {"gamma": 0.05, "n_components": 200}, lambda X: rbf_kernel(X, gamma=0.05)),
    (sf.Nystroem, ska.Nystroem, {"gamma": 0.05, "n_components": 200}, lambda X: rbf_kernel(X, gamma=0.05)),
    (sf.PolynomialCountSketch, ska.PolynomialCountSketch, {"n_components": 200}, lambda X: (X @ X.T) ** 2),
]
CONTESTS += [
    Contest(
        ours,
        {"scikit-learn": theirs},
        _as_near(exact),
        options=lambda table, options=options: {**options, "random_state": 0},  # type: ignore[misc]
        shape=at_most(20_000, 20),
        unlike=DRAWN,
        axes=UNGROUPED,
    )
    for ours, theirs, options, exact in KERNEL_MAPS
]
CONTESTS += [
    Contest(
        sf.AdditiveChi2Sampler,
        {"scikit-learn": ska.AdditiveChi2Sampler},
        same("n_features_in_"),
        rows=_shares,
        shape=at_most(100_000, 20),
        axes=UNGROUPED,
    ),
    Contest(
        sf.SkewedChi2Sampler,
        {"scikit-learn": ska.SkewedChi2Sampler},
        same("n_features_in_"),
        rows=_shares,
        options=lambda table: {"random_state": 0},
        shape=at_most(100_000, 20),
        unlike=DRAWN,
        axes=UNGROUPED,
    ),
]

IMPUTERS = [
    Contest(
        sf.SimpleImputer,
        {"scikit-learn": SimpleImputer},
        same("statistics_"),
        rows=_gaps,
        options=lambda table, strategy=strategy: {"strategy": strategy},  # type: ignore[misc]
        variant=strategy,
        axes=UNGROUPED,
    )
    for strategy in ("mean", "median")
]
CONTESTS += IMPUTERS
FLAGS = {"scikit-learn": "theirs gives flags, an eighth of the bytes"}
CONTESTS.append(
    Contest(
        sf.MissingIndicator,
        {"scikit-learn": MissingIndicator},
        same("features_"),
        rows=_gaps,
        axes=UNGROUPED,
        remarks={"transform": FLAGS, "fit_transform": FLAGS},
    )
)

ALONE = {
    sf.FourierFeatures: "scikit-learn has no harmonics; its Fourier features approximate a kernel",
    sf.OutlierClipper: "scikit-learn clips no outliers",
    sf.RBFFeatures: "scikit-learn has no bumps as a transformer; its kernel matrix is another function",
    sf.SigmoidFeatures: "scikit-learn has no sigmoids as a transformer",
}
