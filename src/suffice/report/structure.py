"""The second section: what the rows are like among each other, whatever the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..description.text import count, number
from ..engine import recording
from ..engine.trace import FitTrace
from ..evaluation import align
from ..models.cluster import KMeans
from ..models.hierarchy import AgglomerativeClustering
from ..models.mixture import GaussianMixture
from ..models.projection import PCA
from ..plots import BiplotDisplay, ClusterDisplay, MixtureDisplay, ScreeDisplay, SilhouetteDisplay
from ..text import listed
from ..typing import Numbers, TableLike
from .choosing import (
    STARTS,
    choice_part,
    chosen_number,
    components_choice_part,
    covariance_of,
    covariances,
    drawn_components,
    mixture_of,
    mixture_settings,
    shape_of,
)
from .collapse import collapsed
from .frames import film
from .parts import Figures, Part, Section, Shown, attempt
from .pictures import picture
from .playing import figure as film_figure
from .row_names import row_names
from .rows import MOST_COLUMNS, Rows
from .scenes import View
from .study import Study

ROWS = 2_000  # that are clustered
LEAVES = 250  # rows in the tree
NAMED = 60  # ends of a tree that are drawn
SILHOUETTES = 600  # rows
FEWEST_ROWS = 10
MUCH = 0.2  # of the cells of a column: when so many are filled, that is said


def structure_section(study: Study) -> Section:
    """Components, the number of clusters, clusters and mixture, the hierarchy."""
    section = Section("structure", "Structure", "")
    names = study.rows.numeric_names()
    if not names or len(study.rows) < FEWEST_ROWS:
        no_names = "no column of numbers varies and is there in at least half of the rows"
        why = no_names if not names else f"there are fewer than {FEWEST_ROWS} rows"
        section.lead = f"Nothing is said about structure, since {why}."
        return section
    n = min(len(study.rows), ROWS)
    shown = f" {study.shown(n)}." if study.shown(n) else ""
    if len(names) == MOST_COLUMNS:
        shown += f" Of {count(len(study.rows.of_kind('numeric')))} columns of numbers {MOST_COLUMNS} are used."
    section.lead = (
        f"From the {len(names)} column{'s' * (len(names) > 1)} of numbers that vary, each brought to mean 0 and "
        f"variance 1, missing values filled by the median.{shown}{filled_cells(study.rows, names)}"
    )
    for title, build in (
        ("Principal components", components_part),
        ("How many clusters", choice_part),
        ("How many components of a mixture", components_choice_part),
        ("Clusters and a mixture, side by side", groups_part),
        ("Hierarchy", hierarchy_part),
    ):
        section.parts.append(attempt(title, lambda build=build: build(study)))  # type: ignore[misc]
        if "X" not in study.results:
            break
    return section


def filled_cells(rows: Rows, names: Sequence[str]) -> str:
    """In which columns so many cells are filled that structure may be that of the filling; nothing where in none."""
    missing = [float(np.mean(~np.isfinite(rows.cells[name]))) for name in names]
    much = [f"{name!r} ({100 * share:.2g} %)" for name, share in zip(names, missing, strict=True) if share >= MUCH]
    if not much:
        return ""
    return f" Much is filled in {listed(much)}: rows may be alike there only because they were filled alike."


def components_part(study: Study) -> Part:
    """The directions of largest variance."""
    X, names = study.rows.standardized(ROWS), study.rows.numeric_names()
    study.results["X"] = X
    pca = study.results["pca"] = PCA().fit(X)
    ratios = pca.explained_variance_ratio_
    part = Part("Principal components", code=f"X = rows.standardized({ROWS})\npca = sf.PCA().fit(X)\n"
                "print(pca.explained_variance_ratio_)")  # fmt: skip
    scree = ScreeDisplay.from_estimator(pca, most=15, ax=False)
    part.pictures.append(Shown(picture(scree), "How much of the variance each component explains."))
    if len(ratios) < 2:
        part.words = ["There is one direction only."]
        return part
    classes = study.classes_of(study.rows.at_most(ROWS))
    biplot = BiplotDisplay.from_estimator(pca, X, names=names, groups=classes, ax=False)
    caption = "Dots are rows, arrows are columns: the longer, the better seen in this plane. Both axes have variance 1."
    part.pictures.insert(0, Shown(picture(biplot), caption))
    share = float(ratios[:2].sum())
    if len(names) > 2:  # two components of two columns are the columns again
        said = f"components explain {100 * share:.3g} % of the variance"
        part.words = [f"The first two {said}."]
        study.short.append(f"Two principal {said} of {len(names)} columns.")
    else:
        part.words = [f"The first component explains {100 * ratios[0]:.3g} % of the variance."]
    return part


def groups_part(study: Study) -> Part:
    """k-means and a Gaussian mixture, in the plane of the components."""
    X = study.results["X"]
    k, shape = chosen_number(study, "choice"), shape_of(X)
    j, said = drawn_components(study, X)
    with recording() as trace:
        kmeans = KMeans(k, n_init=STARTS, random_state=study.seed).fit(X)  # the fits that the criteria are about
        mixture = mixture_of(study, X, j).fit(X)
    study.results |= {"kmeans": kmeans, "mixture": mixture}
    part = Part("Clusters and a mixture, side by side", code=_groups_code(k, j, shape, study))
    view = View.of(X, study.rows.numeric_names(), row_names=row_names(study.rows.at_most(ROWS)))
    part.pictures = [*_side_by_side(X, view, kmeans, mixture), *_silhouettes(X, kmeans, study)]
    part.words = [*said, _agreement(kmeans, mixture, X)]
    part.words += _against_classes(study)
    part.notes = collapsed(covariances(mixture))
    part.tables = [_sizes(kmeans, mixture, X)]
    alone = [fit for fit in trace.fits if fit.within is None]
    part.films = [_film(fit, view, i, study) for i, fit in enumerate(alone)]
    return part


def _groups_code(k: int, j: int, shape: str, study: Study) -> str:
    lines = [
        f"kmeans = sf.KMeans({k}, n_init={STARTS}, random_state={study.seed}).fit(X)",
        f'mixture = sf.GaussianMixture({j}, covariance_type="{shape}", {mixture_settings(study)})',
        "mixture.fit(X)",
        "print(kmeans.inertia_, mixture.bic(X))",
        "print(sf.align(kmeans.labels_, mixture.predict(X)))",
    ]
    if study.groups is not None:
        lines.append(f"print(sf.align(kmeans.labels_, rows.at_most({ROWS}).labelled({study.task!r})[1]))")
    return "\n".join(lines)


def _side_by_side(X: Numbers, view: View, kmeans: KMeans, mixture: GaussianMixture) -> list[Shown]:
    points, parts = view.places(view.rows), mixture.mixture_.parts
    centres = view.places(kmeans.cluster_centers_)
    flat = picture(ClusterDisplay(points, kmeans.predict(view.rows), centres, view.names, X.shape[1] <= 2))
    means = view.places(np.array([part.mean for part in parts]))
    spreads = np.array([view.spread(covariance_of(part)) for part in parts])
    weights = tuple(mixture.weights_)
    responsibilities = np.asarray(mixture.predict_proba(view.rows), dtype=np.float64)
    soft = picture(MixtureDisplay(points, responsibilities, weights, means, spreads, view.names, False))
    shown = f" {count(len(points))} of {count(len(X))} rows shown." if len(points) < len(X) else ""
    return [
        Shown(flat, f"k-means: each row has the colour of the nearest centre.{shown}"),
        Shown(soft, f"Gaussian mixture: ellipses at one and two standard deviations.{shown}"),
    ]


def _silhouettes(X: Numbers, kmeans: KMeans, study: Study) -> list[Shown]:
    """How much nearer rows are to their own cluster than to the next; nothing where a cluster holds every row."""
    if len(np.unique(kmeans.labels_)) < 2:
        return []
    display = SilhouetteDisplay.from_predictions(X, kmeans.labels_, most_rows=SILHOUETTES, ax=False)
    shown = study.shown(len(display.values))
    caption = "Silhouettes of k-means: how much nearer a row is to its own cluster than to the next."
    return [Shown(picture(display), f"{caption} {shown}.".removesuffix(" ."))]


def _agreement(kmeans: KMeans, mixture: GaussianMixture, X: Numbers) -> str:
    rand = align(kmeans.labels_, mixture.predict(X)).adjusted_rand
    said = f"{kmeans.n_clusters} clusters of k-means and {mixture.n_components} components of a Gaussian mixture agree"
    return f"{said} with an adjusted Rand index of {rand:.3f} (1: the same, 0: by chance)."


def _against_classes(study: Study) -> list[str]:
    if study.groups is None:
        return []
    classes = study.classes_of(study.rows.at_most(ROWS))
    found = study.results["alignment"] = align(study.results["kmeans"].labels_, classes)
    said = f"Against the classes of {study.rows.target!r}: matched one to one, {100 * found.accuracy:.3g} % of the rows"
    rand = f"adjusted Rand index {found.adjusted_rand:.3f}"
    return [f"{said} are in the cluster of their class; {rand}. The target was not used to find them."]


def _sizes(kmeans: KMeans, mixture: GaussianMixture, X: TableLike) -> Figures:
    rows = [
        ("k-means", "cost", number(kmeans.inertia_), _spread_of(kmeans.labels_)),
        ("Gaussian mixture", "BIC", number(float(mixture.bic(X))), _spread_of(mixture.predict(X))),
    ]
    return Figures(("model", "measured by", "value", "rows in each group"), rows, words=2, ends_in_words=True)


def _spread_of(labels: Numbers) -> str:
    return ", ".join(count(int(n)) for n in np.bincount(labels))


def _film(fit: FitTrace, view: View, number_: int, study: Study) -> dict[str, object]:
    made = film_figure(film(fit, view), number_)
    shown = study.shown(len(view.rows))
    made["caption"] = f"{fit.name}, iteration by iteration as it was fitted." + (f" {shown}." if shown else "")
    return made


def _ends(n: int, named: bool) -> str:
    """What stands at the ends of a dendrogram."""
    counts = "; numbers in parentheses are rows that are not drawn one by one." if n > NAMED else "."
    return counts if named else f", by the numbers of rows from 0{counts}"


def hierarchy_part(study: Study) -> Part:
    """The tree of merges of some rows."""
    X = study.rows.standardized(LEAVES)
    k = min(chosen_number(study, "choice"), len(X))
    with recording() as trace:
        tree = study.results["tree"] = AgglomerativeClustering(k, linkage="ward").fit(X)
    named = row_names(some := study.rows.at_most(LEAVES))
    beside = "left" if named is not None and len(some) <= NAMED else "top"
    drawn = tree.dendrogram(named or some.places.tolist(), orientation=beside, ax=False)
    part = Part(
        "Hierarchy",
        words=[
            "Ward's method: the clusters whose merge adds least to the squares within are merged, until one is left."
        ],
        code=f'tree = sf.AgglomerativeClustering({k}, linkage="ward").fit(rows.standardized({LEAVES}))\n'
        "print(tree.distances_[-5:])  # tree.dendrogram() draws it",
    )
    caption = f"Cut into {k} clusters" + _ends(len(X), named is not None)
    shown = study.shown(len(X))
    part.pictures = [Shown(picture(drawn), caption)]
    part.notes = [f"{shown}."] if shown else []
    made = film(trace.fits[0], View.of(X, study.rows.numeric_names(), LEAVES, named))
    if drawn.cut is not None and made["kind"] == "tree":
        made["cut"] = drawn.cut
    part.films = [
        {
            **film_figure(made, 9),
            "caption": "The tree grows merge by merge; drag the dashed line, or use its slider, to cut it.",
        }
    ]
    return part
