"""Maps of data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import sklearn.manifold as sk

import suffice as sf

from .contest import UNGROUPED, Contest, Differs, at_most, is_installed
from .tables import Table

ALL_PAIRS = "all pairs of rows are compared"


def _kept(table: Table) -> dict[str, Any]:
    return {"n_components": int(max(1, min(2, *(side - 1 for side in table.X.shape))))}


def _same_map(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = np.asarray(ours.embedding_, dtype=float), np.asarray(theirs.embedding_, dtype=float)
    size = np.abs(other).max()
    error = float(np.abs(np.abs(mine) - np.abs(other)).max() / size)
    if error > (2e-3 if table.X.dtype == np.float32 else 1e-6):
        raise Differs(f"places differ by {error:.2g} of the size of the map")


def _no_more_stress(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = float(ours.stress_), float(theirs.stress_)
    assert mine <= other * 1.02 + 1e-9, f"stress {mine:.6g} against {other:.6g}"


def _from_classical(table: Table) -> dict[str, Any]:
    return {**_kept(table), "init": "classical_mds", "max_iter": 100}


def _by_order(table: Table) -> dict[str, Any]:
    return {**_from_classical(table), "metric_mds": False}


def _near(table: Table) -> dict[str, Any]:
    return {**_kept(table), "n_neighbors": int(max(1, min(8, len(table.X) - 1)))}


def _near_or_self(table: Table) -> dict[str, Any]:
    return {**_kept(table), "n_neighbors": int(max(2, min(12, len(table.X) // 2)))}


def _no_more_cut(ours: Any, theirs: Any, table: Table) -> None:
    """The quadratic form of both maps in the graph that both have."""
    W = theirs.affinity_matrix_
    degree = np.asarray(W.sum(axis=1)).ravel()

    def cut(Z: Any) -> float:
        Z = np.asarray(Z, dtype=float)
        norms = degree @ Z**2
        return float(np.sum((norms - np.einsum("ij,ij->j", Z, W @ Z)) / np.where(norms > 0, norms, 1.0)))

    mine, other = cut(ours.embedding_), cut(theirs.embedding_)
    if not mine <= other * 1.01 + 1e-6:
        raise Differs(f"the form of the map is {mine:.6g} against {other:.6g}")


def _no_more_left(ours: Any, theirs: Any, table: Table) -> None:
    def error(model: Any) -> float:
        found = getattr(model, "reconstruction_error_", None)
        return float(model.reconstruction_error() if found is None else found)

    mine, other = error(ours), error(theirs)
    scale = 1.0 if hasattr(ours, "reconstruction_error_") else float(np.square(table.X).sum())
    if not mine <= other * 1.01 + 1e-6 * scale:
        raise Differs(f"what the map leaves is {mine:.6g} against {other:.6g}")


UNLIKE = {"transform": "the signs of theirs are not fixed"}


def _divergence(table: Table) -> dict[str, Any]:
    perplexity = float(max(1, min(30, (len(table.X) - 1) // 3)))
    return {**_kept(table), "perplexity": perplexity, "init": "pca", "max_iter": 500}


def _no_more_divergence(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = float(ours.kl_divergence_), float(theirs.kl_divergence_)
    if not mine <= other * 1.03 + 0.01:
        raise Differs(f"the divergence is {mine:.4g} against {other:.4g}")


def _umap_learn(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)  # of TensorFlow
        from umap import UMAP  # here, as it compiles while it is imported
    return UMAP(**options)


def _around(table: Table) -> dict[str, Any]:
    return {**_kept(table), "n_neighbors": int(max(2, min(15, len(table.X) - 1))), "random_state": 0}


def _as_trustworthy(ours: Any, theirs: Any, table: Table) -> None:
    k = int(max(1, min(10, len(table.X) // 3)))
    for measure in (sf.trustworthiness, sf.continuity):
        mine, other = (
            float(measure(table.X, np.asarray(model.embedding_, dtype=float), n_neighbors=k))
            for model in (ours, theirs)
        )
        if not mine >= other - 0.02:
            raise Differs(f"{measure.__name__} is {mine:.4g} against {other:.4g}")


CONTESTS = [
    Contest(
        sf.MDS, {"scikit-learn": sk.MDS}, _no_more_stress, options=_from_classical, axes=UNGROUPED, variant="metric",
        shape=at_most(1000), cut=ALL_PAIRS,
    ),
    Contest(
        sf.MDS, {"scikit-learn": sk.MDS}, _no_more_stress, options=_by_order, axes=UNGROUPED, variant="nonmetric",
        shape=at_most(500), cut=ALL_PAIRS,
    ),
    Contest(
        sf.ClassicalMDS, {"scikit-learn": sk.ClassicalMDS}, _same_map, options=_kept, axes=UNGROUPED,
        shape=at_most(3000), cut=ALL_PAIRS,
    ),
    Contest(
        sf.TSNE, {"scikit-learn": sk.TSNE}, _no_more_divergence, options=_divergence, axes=UNGROUPED,
        shape=at_most(2000), cut="they take minutes",
    ),
    Contest(
        sf.UMAP, {"umap-learn": _umap_learn} if is_installed("umap") else {}, _as_trustworthy, options=_around,
        axes=UNGROUPED, shape=at_most(3000), cut="their first fit compiles for half a minute",
        remarks={"transform": {"umap-learn": "theirs knows the rows of the fit by a hash, and looks them up"}},
        unlike={"transform": "theirs moves new rows by drawn forces", "inverse_transform": "theirs goes by simplices"},
    ),
    Contest(
        sf.Isomap, {"scikit-learn": sk.Isomap}, _no_more_left, options=_near, axes=UNGROUPED, shape=at_most(3000),
        cut=ALL_PAIRS, unlike=UNLIKE,
    ),
    Contest(
        sf.LocallyLinearEmbedding, {"scikit-learn": sk.LocallyLinearEmbedding}, _no_more_left, options=_near,
        axes=UNGROUPED, shape=at_most(3000), cut="their factorisation fills with more", unlike=UNLIKE,
    ),
    Contest(
        sf.SpectralEmbedding, {"scikit-learn": sk.SpectralEmbedding}, _no_more_cut, options=_near_or_self,
        axes=UNGROUPED, shape=at_most(3000), cut="their factorisation fills with more",
    ),
]  # fmt: skip
ALONE = {
    sf.DiffusionMap: "scikit-learn has none; the work is that of SpectralEmbedding with a kernel",
    sf.MaximumVarianceUnfolding: "scikit-learn has none, and its programme would keep a general solver busy for hours",
}
