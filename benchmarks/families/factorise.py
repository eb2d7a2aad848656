"""Factorisations."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sklearn.decomposition as sk

import suffice as sf

from .contest import UNGROUPED, Contest, Differs, at_most
from .projection import SUMMED
from .tables import Table, counts


def _kept(table: Table) -> dict[str, Any]:
    return {"n_components": int(max(1, min(10, *(side - 1 for side in table.X.shape))))}


def _product(table: Table) -> float:
    return float(2.0 * table.X.shape[0] * table.X.shape[1] * _kept(table)["n_components"])


def _as_many_squares(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = (float(np.sum(np.square(model.singular_values_, dtype=float))) for model in (ours, theirs))
    text = f"squares along the axes {mine:.6g} against {other:.6g}"
    assert mine >= other * (1 - 1e-4), text
    if other < mine * (1 - 1e-4):  # an approximation that is worse than ours
        raise Differs(text)


def _as_near(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = float(ours.reconstruction_err_), float(theirs.reconstruction_err_)
    text = f"error {mine:.6g} against {other:.6g}"
    assert mine <= other * 1.02, text
    if other > mine * 1.02:
        raise Differs(text)


def _as_likely_words(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = float(ours.score(table.X)), float(theirs.score(table.X))
    text = f"bound {mine:.6g} against {other:.6g}"
    assert mine >= other - 0.02 * abs(other), text
    if other < mine - 0.02 * abs(other):
        raise Differs(text)


def _parts(table: Table) -> dict[str, Any]:
    return {**_kept(table), "random_state": 0}


TURNED = dict.fromkeys(("transform", "inverse_transform", "perplexity", "score"), "each ends at an optimum of its own")
CONTESTS = [
    Contest(
        sf.TruncatedSVD, {f"scikit-learn, {name}": partial(sk.TruncatedSVD, algorithm=name, random_state=0)
                          for name in ("randomized", "arpack")},
        _as_many_squares, options=_kept, shared=("components_",), sparse=True, axes=UNGROUPED,
        operations={"transform": _product, "inverse_transform": _product}, in_single=SUMMED,
    ),
    Contest(
        sf.NMF, {f"scikit-learn, {solver}": partial(sk.NMF, solver=solver, init="nndsvda", max_iter=200)
                 for solver in ("cd", "mu")},
        _as_near, options=_parts, rows=counts, shape=at_most(columns=500), axes=UNGROUPED, unlike=TURNED,
    ),
    Contest(
        sf.LatentDirichletAllocation, {"scikit-learn": partial(sk.LatentDirichletAllocation, max_iter=50)},
        _as_likely_words, options=_parts, rows=counts, shape=at_most(columns=100), axes=UNGROUPED, unlike=TURNED,
    ),
]  # fmt: skip
ALONE = {
    sf.MatrixFactorization: "tables with missing cells: implicit takes counts alone, and is in benchmarks/factorise.py",
    sf.PLSA: "no package that is kept up has probabilistic latent semantic analysis",
}
