"""How many clusters, and how many components of a mixture: what each criterion asks for, and how many are drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..errors import InvalidData
from ..models.cluster import KMeans
from ..models.mixture import GaussianMixture
from ..selection import select_components, select_k
from ..selection.choose_k import Selection
from ..text import figure
from ..typing import Floats, Numbers
from .collapse import collapsed, flat_ones
from .parts import Figures, Part, Shown
from .pictures import picture
from .study import Study
from .votes import votes

MOST_CLUSTERS = 8
STARTS = 3  # of each fit: the criteria, the pictures and the figures are of the same fits
MOST_COMPONENTS = 6
FULL_COVARIANCES = 12  # columns; with more, mixtures have diagonal ones


def choice_part(study: Study) -> Part:
    """The number of clusters that each criterion asks for."""
    X = study.results["X"]
    most = _most(X, MOST_CLUSTERS)
    model = KMeans(n_init=STARTS, random_state=study.seed)
    chosen = select_k(model, X, range(1, most + 1), references=5, folds=3, random_state=study.seed)
    study.results["choice"] = chosen
    study.short.append(f"How many clusters? {votes(chosen)}")
    code = (
        f"model = sf.KMeans(n_init={STARTS}, random_state={study.seed})\n"
        f"choice = sf.select_k(model, X, range(1, {most + 1}), references=5, folds=3, random_state={study.seed})\n"
        "print(choice)"
    )
    return _selection_part("How many clusters", chosen, code)


def components_choice_part(study: Study) -> Part:
    """The number of components of a Gaussian mixture that each criterion asks for."""
    X = study.results["X"]
    most, shape = _most(X, MOST_COMPONENTS), shape_of(X)
    model = GaussianMixture(covariance_type=shape, max_iter=1000, n_init=STARTS, random_state=study.seed)
    chosen = select_components(model, X, range(1, most + 1), folds=3, random_state=study.seed)
    study.results["components"] = chosen
    code = (
        f'model = sf.GaussianMixture(covariance_type="{shape}", {mixture_settings(study)})\n'
        f"components = sf.select_components(model, X, range(1, {most + 1}), folds=3, random_state={study.seed})\n"
        "print(components)"
    )
    return _selection_part("How many components of a mixture", chosen, code)


def _most(X: Numbers, most: int) -> int:
    found = min(most, len(np.unique(X, axis=0)) - 1)
    if found < 3:
        raise InvalidData("the rows take fewer than 4 different values, so there is nothing to choose.")
    return found


def shape_of(X: Numbers) -> Literal["full", "diag"]:
    return "full" if X.shape[1] <= FULL_COVARIANCES else "diag"


def _selection_part(title: str, chosen: Selection, code: str) -> Part:
    """The curve of what was measured and one of each criterion, and all their figures."""
    part = Part(title, words=[votes(chosen)], code=code)
    display = chosen.plot(ax=False)
    part.pictures = [Shown(picture(replace(display, curves=(curve,)))) for curve in display.curves]
    part.hidden.append(_selection_table(chosen))
    return part


def _selection_table(chosen: Selection) -> Figures:
    table = chosen.table
    header = [name.replace("_", " ") for name in table]
    rows = [[str(k), *(figure(float(table[name][i])) for name in list(table)[1:])] for i, k in enumerate(chosen.ks)]
    return Figures(header, rows, "Every criterion for every k")


def chosen_number(study: Study, key: str) -> int:
    """The number that the criteria recommend; two at least, so that there is something to see."""
    return max(2, study.results[key].recommended) if key in study.results else 2


def drawn_components(study: Study, X: Floats) -> tuple[int, list[str]]:
    """The number of components to draw: of cross-validation where the one of most criteria has flat ones."""
    j = chosen_number(study, "components")
    fewer = max(2, study.results["components"].best.get("cv", j)) if "components" in study.results else j
    if fewer >= j:
        return j, []
    flat = collapsed(covariances(mixture_of(study, X, j).fit(X)))
    return (fewer, [flat_ones(j, fewer)]) if flat else (j, [])


def mixture_of(study: Study, X: Floats, j: int) -> GaussianMixture:
    return GaussianMixture(j, covariance_type=shape_of(X), max_iter=1000, n_init=STARTS, random_state=study.seed)


def mixture_settings(study: Study) -> str:
    return f"max_iter=1000, n_init={STARTS}, random_state={study.seed}"


def covariances(mixture: GaussianMixture) -> Floats:
    return np.array([covariance_of(one) for one in mixture.mixture_.parts])


def covariance_of(part: Any) -> Floats:
    return np.asarray(part.covariance if hasattr(part, "covariance") else np.diag(np.asarray(part.variance)))
