"""Uniform manifold approximation and projection."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from ...backend.embedding import Curve
from ...data import Chunk, Needs, Source
from ...engine import Kept, Outcome, iterate
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, record, whole
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator
from ...typing import CSR, Floats, Whole
from .classical import spread_out
from .compared import Compared
from .fuzzy_curve import fitted_curve
from .fuzzy_graph import fuzzy_graph
from .fuzzy_map import FuzzyMap
from .graph_embedding import pieces_param
from .labelled import LabelledObjects, told_apart
from .neighbourhood import Neighbourhood, Pieces, check_lists, in_pieces
from .objects import Objects
from .sampled_descent import Layout, Moved, SampledDescent
from .scaling import Scaling
from .starts import boxed, main_axes, spectral
from .turned import turned

_STARTS = ("spectral", "pca", "random")
_SIDE = 10.0  # of the box that a map begins in
_NOISE = 1e-4  # that tells equal places apart
_MANY = 10_000  # objects, from which on fewer epochs do
_LARGEST_SEED = 1 << 62


def _is_table(value: object) -> bool:
    return are_numbers(value, 2)


class _Ready(NamedTuple):
    """What a fit has before its first epoch."""

    near: Neighbourhood
    graph: CSR
    some: Whole  # the objects that are mapped
    mass: Floats
    n_pieces: int


@estimator
class UMAP(Scaling):
    """A map in which pairs look as near as they are by a fuzzy graph of neighbours (McInnes, Healy and Melville, 2018).

    A row is joined with its neighbours by μ = exp(−max(0, d − ρ) / σ), where ρ is the distance of the nearest and σ
    such that its memberships sum to log₂ `n_neighbors`, and two rows by the fuzzy union of what both say. In the map a
    pair looks as near as ν = 1 / (1 + a ‖zᵢ − zⱼ‖²ᵇ). Edges drawn by their μ are pulled along log ν, and for each some
    points are drawn that push along log(1 − ν): the cross-entropy −Σ μ log ν + (1 − μ) log(1 − ν), with pairs that are
    no neighbours counted by `negative_sample_rate` in place of 1 − μ. The objective is its mean over edges, estimated
    by the same drawn ones in every epoch. Who is near whom can be read off the map; distances between groups, and their
    sizes, cannot. Weights count beside their mean. A new row goes where its own cross-entropy is least.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> model = sf.UMAP(2, random_state=0).fit(crabs)
    >>> sf.trustworthiness(crabs, model.embedding_) > 0.97, model.transform(crabs[:1] + 0.01).shape
    (True, (1, 2))
    """

    descends = False

    n_neighbors: int = param(
        15,
        integer=True,
        at_least=2,
        doc="How many neighbours a row has, itself counted; at most all. Few show detail, many the whole.",
    )
    min_dist: float = param(
        0.1, number=True, at_least=0, doc="Points of a map that are nearer to each other look equally near."
    )
    spread: float = param(
        1.0, number=True, above=0, doc="Beyond that, nearness falls by e at each such distance; at least min_dist."
    )
    a: float | None = param(None, number=True, above=0, choices=(None,), doc="a of ν; None: by min_dist and spread.")
    b: float | None = param(None, number=True, above=0, choices=(None,), doc="b of ν; None: by min_dist and spread.")
    n_epochs: int | None = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="How many epochs; None: 500 up to 10,000 different rows, 200 for more.",
    )
    learning_rate: float = param(
        1.0, number=True, above=0, doc="The length of a step in the first epoch, from where it falls evenly to 0."
    )
    negative_sample_rate: int = param(
        5, integer=True, at_least=0, at_most=10_000, doc="How many points are drawn against each edge that is drawn."
    )
    repulsion_strength: float = param(1.0, number=True, at_least=0, doc="What each of them counts beside the edge.")
    local_connectivity: float = param(
        1.0, number=True, at_least=0, doc="The neighbour of that number is entirely one, in between by interpolation."
    )
    set_op_mix_ratio: float = param(
        1.0,
        number=True,
        at_least=0,
        at_most=1,
        doc="1: two rows are neighbours as far as either says so (fuzzy union), 0: as far as both do (intersection).",
    )
    init: object = param(
        "spectral",
        choices=_STARTS,
        accept=_is_table,
        allowed="an array of places, one row an object",
        doc="Where it begins: Laplacian eigenmaps of the graph, each piece in the middle of its principal components; "
        "principal components (classical scaling, for other distances); at random; or there.",
    )
    pieces: Pieces = pieces_param("keep")
    target_weight: float | None = param(
        None,
        number=True,
        at_least=0,
        at_most=1,
        choices=(None,),
        doc="With a target y of labels: of what part memberships fall between different ones; None leaves y out.",
    )
    unlabelled: object = param(
        None,
        choices=(None,),
        accept=lambda value: isinstance(value, str | int | float | np.generic),
        allowed="a label",
        doc="The label in y of rows whose own is not known.",
    )

    a_: float = learned("a of ν.")
    b_: float = learned("b of ν.")
    n_pieces_: int = learned("In how many pieces the graph of neighbours was.")
    n_iter_: int = learned("The number of epochs.")
    cross_entropy_: float = learned("The estimate of the objective, as in `history_`, of the map.")
    small: ClassVar = {"n_epochs": 25, "n_neighbors": 6}
    traced = ("points",)

    # ---- the fit ----

    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(target="none" if self.target_weight is None else "classes")

    def _objects(self, rows: Chunk) -> Objects:
        objects = super()._objects(rows)
        return objects if self.target_weight is None else LabelledObjects.with_labels(objects, rows, self.unlabelled)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if self.landmarks is not None and self.target_weight is not None:
            raise InvalidParameter(
                f"UMAP: target_weight must be None with landmarks, which are drawn without labels; got "
                f"{self.target_weight}. Fit a sample of the rows, and transform the others."
            )
        return super()._learn(source)

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        objects = replace(objects, weight=objects.weight / objects.weight.mean())
        compared, curve = self._comparison(objects, source), self._curve()
        ready = self._ready(compared, objects)
        outcome = self._lowered(ready, curve, partial(self._first, ready, compared, objects))
        count = len(outcome.history)

        def attributes(last: Moved) -> Attributes:
            points = turned(last.points, ready.mass, not isinstance(self.init, str))
            made = FuzzyMap(
                points, ready.near, ready.mass, float(self.n_neighbors), float(self.local_connectivity), curve.a,
                curve.b, float(self.repulsion_strength), self.negative_sample_rate,
            )  # fmt: skip
            places = made.points
            if len(ready.some) < len(objects):
                places = made.places(objects.rows)
            return {
                "a_": curve.a,
                "b_": curve.b,
                "n_pieces_": ready.n_pieces,
                "n_iter_": count,
                "cross_entropy_": float(outcome.history.objective[-1]),
                "_map": made,
                "_places": places,
            }

        return outcome.then(attributes)

    def _ready(self, compared: Compared, objects: Objects) -> _Ready:
        near = Neighbourhood(compared, max(1, min(len(objects) - 1, self.n_neighbors - 1)))
        check_lists("UMAP", near, self.memory, self._without_pairs())
        whole = near.graph()
        kept, some = in_pieces("UMAP", whole, self.pieces, near)
        if len(some) < len(objects):
            near = Neighbourhood(compared.part(some), min(len(some) - 1, near.k or 1))
        graph = fuzzy_graph(kept, self.n_neighbors, self.local_connectivity, self.set_op_mix_ratio)
        if isinstance(objects, LabelledObjects) and self.target_weight is not None:
            graph = told_apart(graph, objects.label[some], float(self.target_weight))
        return _Ready(near, graph, some, objects.weight[some], whole.n_components)

    def _curve(self) -> Curve:
        if self.min_dist > self.spread:
            raise InvalidParameter(
                f"UMAP: min_dist must be at most spread, which is {self.spread}; got {self.min_dist}. Raise spread."
            )
        a, b = fitted_curve(self.min_dist, self.spread)
        return Curve(float(a if self.a is None else self.a), float(b if self.b is None else self.b))

    def _lowered(self, ready: _Ready, curve: Curve, first: partial[Floats]) -> Outcome[Moved]:
        m, k, given = len(ready.some), self.n_components, not isinstance(self.init, str)
        epochs = self.n_epochs or (500 if m <= _MANY else 200)
        rate = float(self.learning_rate)
        layout = Layout(curve, float(self.repulsion_strength), self.negative_sample_rate, rate, epochs)
        rng = generator(self.random_state)

        def descent(seed: int) -> SampledDescent:
            return SampledDescent.of(ready.graph, ready.mass, layout, seed)

        def packed(now: Moved) -> tuple[Floats, int, int]:
            return now.points, now.epochs, now.descent.sampling.seed

        def unpacked(kept: tuple[Floats, int, int]) -> Moved:
            return Moved(*kept[:2], descent(kept[2]))

        return iterate(
            lambda run: Moved(first(rng), 0, descent(int(rng.integers(_LARGEST_SEED)))),
            lambda now: now.descent.step(now),
            max_iter=epochs,
            several=lambda now, most: now.descent.several(now, most),
            snapshot=lambda now: {"points": turned(now.points, ready.mass, given)},
            kept=Kept(record(floats(m, k), whole(), whole()), packed, unpacked),
        )

    # ---- where it begins ----

    def _first(self, ready: _Ready, compared: Compared, objects: Objects, rng: np.random.Generator) -> Floats:
        k = self.n_components
        shape = (len(ready.some), k)
        noise = _NOISE * rng.normal(size=shape)
        if not isinstance(self.init, str):
            size = (len(objects.which), k)
            given = numbers("UMAP", "init", self.init, size, "one row an object, one column a coordinate")
            return given[objects.at][ready.some] + noise
        if self.init == "random":
            return rng.uniform(-_SIDE, _SIDE, shape)

        def middle() -> Floats:
            return main_axes(compared, objects, k, rng)[ready.some]

        if self.init == "pca":
            return boxed(spread_out(middle()), _SIDE) + noise
        return spectral(ready.graph, ready.mass, k, _SIDE, middle) + noise
