"""t-distributed stochastic neighbour embedding."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from ...backend import embedding
from ...backend.neighbors import Within
from ...data import Source
from ...engine import Kept, Outcome, iterate
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, number, record, whole
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...typing import Floats
from .affinities import Affinities
from .classical import spread_out
from .compared import Compared
from .descent import Descent, Moving, Push
from .neighbor_map import EXACT, NeighborMap
from .neighbourhood import Neighbourhood, check_lists
from .objects import Objects
from .scaling import Scaling
from .smooth_field import SmoothField
from .starts import main_axes
from .turned import turned

_NEIGHBOURS = 3  # times the perplexity: others have hardly a share
_SIZE = 1e-4  # of a start that has none of its own
_METHODS = ("auto", "interpolation", "barnes_hut", "exact")
_MOST_COORDINATES = {"interpolation": 2, "barnes_hut": embedding.TREE_COORDINATES}


def _is_table(value: object) -> bool:
    return are_numbers(value, 2)


@estimator
class TSNE(Scaling):
    """A map by t-SNE, in which the shares of near pairs are as in the data (van der Maaten and Hinton, 2008).

    It minimises the divergence KL(P ‖ Q) = Σ pᵢⱼ log(pᵢⱼ / qᵢⱼ). For pᵢⱼ a Gaussian about each row is as wide that the
    shares of its neighbours are as uncertain as those of `perplexity` equal ones, and qᵢⱼ is 1 / (1 + ‖zᵢ − zⱼ‖²) as a
    share of the sum over all pairs. That sum is exact for few rows, else by Fourier transforms on a grid or by cells of
    points. Who is near whom can be read off the map; distances between groups, and their sizes, cannot. Weights
    count beside their mean. A new row goes where its own divergence is least.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris").matrix()
    >>> model = sf.TSNE(2, random_state=0).fit(iris)
    >>> bool(model.kl_divergence_ < 0.15), model.transform(iris[:1] + 0.01).shape
    (True, (1, 2))
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.manifold",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE},
        absent={"metric_params": "give the distance itself, such as suffice.distances.Minkowski(p=3)"},
    )
    descends = False

    perplexity: float = param(
        30.0,
        number=True,
        above=0,
        doc="How many neighbours a row has, about, at least 1; where there are not more different rows, a third of "
        "their number.",
    )
    early_exaggeration: float = param(
        12.0, number=True, at_least=1, doc="How many times near pairs count at first, so that groups find together."
    )
    early_exaggeration_iter: int = param(250, integer=True, at_least=0, doc="For so many iterations.")
    learning_rate: float | str = param(
        "auto",
        number=True,
        above=0,
        choices=("auto",),
        doc="The length of a step; auto: a quarter of the number of different rows, in the early iterations over "
        "early_exaggeration.",
    )
    max_iter: int = param(1000, integer=True, at_least=1, doc="At most so many iterations, the early ones included.")
    n_iter_without_progress: int = param(
        300, integer=True, at_least=1, doc="Stop when the divergence has not fallen for so many iterations."
    )
    min_grad_norm: float = param(1e-7, number=True, at_least=0, doc="Stop when the slope is no longer than that.")
    init: object = param(
        "pca",
        choices=("pca", "random"),
        accept=_is_table,
        allowed="an array of places, one row an object",
        doc="Where it begins: principal components (classical scaling, for other distances; the slowest steps of a "
        "walk, where a sparse matrix lists who is near), at random, or there.",
    )
    method: str = param(
        "auto",
        choices=_METHODS,
        doc="How all pairs are summed: interpolation on a grid (at most 2 coordinates), Barnes and Hut's cells (at "
        "most 3), or exact; auto: exact up to 3,000 different rows, else the first that can.",
    )
    angle: float = param(
        0.5,
        number=True,
        at_least=0,
        at_most=1,
        doc="How wide cells may be, beside how far they are (barnes_hut).",
    )

    kl_divergence_: float = learned("KL(P ‖ Q) of the map.")
    perplexity_: float = learned("The perplexity that was used.")
    learning_rate_: float = learned("The length of a step that was used.")
    n_iter_: int = learned("The number of iterations.")
    small: ClassVar = {"max_iter": 80, "early_exaggeration_iter": 20, "perplexity": 5.0}
    traced = ("points",)

    # ---- the fit ----

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        m, mass = len(objects), objects.weight / objects.weight.mean()
        compared, method = self._comparison(objects, source), self._method(m)
        perplexity = max(1.0, float(self.perplexity if self.perplexity < m else (m - 1) / 3))
        near = Neighbourhood(compared, max(1, min(m - 1, int(_NEIGHBOURS * perplexity))))
        check_lists("TSNE", near, self.memory, self._without_pairs())
        lists = near.each()
        self._check_listed(lists, compared, perplexity)
        affinities = Affinities.of(lists, mass, perplexity)
        rate, early_rate = (self._rate(m / factor) for factor in (1.0, self.early_exaggeration))
        descent = Descent(
            affinities, mass, _push(method, mass, self.angle), rate, early_rate, self.early_exaggeration,
            self.early_exaggeration_iter, self.n_iter_without_progress, self.min_grad_norm,
        )  # fmt: skip
        outcome = self._lowered(descent, partial(self._first, compared, objects, affinities))
        count = len(outcome.history)

        def attributes(best: Moving) -> Attributes:
            points = turned(best.points, mass, not isinstance(self.init, str))
            return {
                "kl_divergence_": best.divergence,
                "perplexity_": perplexity,
                "learning_rate_": rate,
                "n_iter_": count,
                "_map": NeighborMap(points, near, mass, perplexity),
                "_places": points,
            }

        return outcome.then(attributes)

    def _allows_lists(self) -> bool:
        return True

    def _check_listed(self, lists: Within, compared: Compared, perplexity: float) -> None:
        """Refuse sparse dissimilarities in which some row lists fewer others than the perplexity."""
        if compared.graph is None:
            return
        fewest = int(np.diff(lists.ends, prepend=0).min(initial=len(compared)))
        if fewest < min(perplexity, len(compared) - 1):
            raise InvalidData(
                f"TSNE: some row of the sparse matrix lists only {fewest} others with their distances, fewer than "
                f"perplexity={perplexity:g}; list about {_NEIGHBOURS} times as many, or lower perplexity."
            )

    def _method(self, m: int) -> str:
        k, method = self.n_components, self.method
        if method == "auto":
            return "exact" if m <= EXACT or k > 3 else "interpolation" if k <= 2 else "barnes_hut"
        most = _MOST_COORDINATES.get(method)
        if most is not None and k > most:
            raise InvalidParameter(
                f"TSNE: method must be 'auto' or 'exact' with n_components={k}; {method!r} is for at most {most} "
                f"coordinates."
            )
        return method

    def _rate(self, rows: float) -> float:
        if isinstance(self.learning_rate, str):
            return rows / 4
        return float(self.learning_rate)

    def _lowered(self, descent: Descent, first: partial[Floats]) -> Outcome[Moving]:
        m, k = len(descent.mass), self.n_components
        given = not isinstance(self.init, str)

        def packed(now: Moving) -> tuple[object, ...]:
            return now.points, now.velocity, now.gain, now.iterations, now.least, now.since

        def unpacked(kept: tuple[Floats, Floats, Floats, int, float, int]) -> Moving:
            points, velocity, gain, iterations, least, since = kept
            found = descent.at(points, velocity, gain, iterations=iterations)
            return found._replace(least=least, since=since)

        places = floats(m, k)
        return iterate(
            lambda run: descent.at(first()),
            descent.step,
            max_iter=self.max_iter,
            snapshot=lambda now: {"points": turned(now.points, descent.mass, given)},
            kept=Kept(record(places, places, places, whole(), number(finite=False), whole()), packed, unpacked),
        )

    # ---- where it begins ----

    def _first(self, compared: Compared, objects: Objects, affinities: Affinities) -> Floats:
        shape = (len(objects), self.n_components)
        if not isinstance(self.init, str):
            size = (len(objects.which), self.n_components)
            return numbers("TSNE", "init", self.init, size, "one row an object, one column a coordinate")[objects.at]
        rng = generator(self.random_state)
        if self.init == "random":
            return rng.normal(size=shape) * _SIZE
        listed = compared.graph is not None
        points = spread_out(
            affinities.slowest(self.n_components) if listed else main_axes(compared, objects, self.n_components, rng)
        )
        spread = float(np.sqrt(objects.weight @ points[:, 0] ** 2 / objects.weight.sum()))
        return points * (_SIZE / spread) if spread > 0 else points


def _push(method: str, mass: Floats, angle: float) -> Push:
    if method == "interpolation":
        return lambda points: SmoothField.of(points, mass).at(points)
    if method == "barnes_hut":
        return lambda points: embedding.push_by_tree(points, points, mass, angle)
    return lambda points: embedding.push(points, points, mass)
