"""`search`: the hyperparameters that do best on rows left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Real

from ...data.source import Source
from ...errors import InvalidParameter
from ...evaluation.evaluating import checked, evaluated, opened, seed_of, usable
from ...evaluation.processes import checked_jobs
from ...evaluation.running import Settings
from ...params import as_float
from ...resampling import Measure, problem
from ...typing import EstimatorLike, RandomState, TableLike, TargetLike, WeightLike
from ..complexity import knob_of
from .plan import Plan
from .result import SearchResult
from .rules import Rule, SimplerLike
from .space import Space, SpaceLike
from .strategies import STRATEGIES, GridSearch, RandomSearch, Strategy

_OWNER = "search"


def search(
    model: EstimatorLike,
    space: SpaceLike,
    X: TableLike,
    y: TargetLike = None,
    *,
    strategy: Strategy | str | None = None,
    splits: object = None,
    time: TargetLike = None,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    rule: str = "best",
    simpler: SimplerLike = None,
    nested: object = None,
    train: bool = False,
    sample_weight: WeightLike = None,
    groups: TargetLike = None,
    positive: object = None,
    seconds: float | None = None,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> SearchResult:
    """Find the parameters of a model that do best on rows left out, argmin over θ of Σ ℓ(y, f_θ(x)).

    The model is any scikit-learn estimator or pipeline. Models that are a function of one summary, such as `Ridge` or
    the discriminants, are fitted by the sums of folds: one pass over the rows for all candidates.

    space
        A mapping from names of parameters to what they are tried with: lists of values, `Between(low, high)` for a
        range of numbers, also on a logarithmic scale, or distributions with `ppf` and `cdf`. A list of such mappings is
        the union of them. A list of names alone tries what the declarations of the parameters suggest.
    strategy
        "grid", "random", "halving" or "bayesian", or `GridSearch(points)`, `RandomSearch(n)`, `HalvingSearch(n,
        factor)`, `BayesianSearch(n, first)`. By default the grid where all values are listed, else 30 random draws.
    splits, time, groups, positive, sample_weight
        As in `evaluate`; five folds by default.
    measures
        The first one decides; the others stand beside it.
    rule, simpler
        "best" takes the best candidate, "one_se" the simplest one within a standard error of it. `simpler` says what is
        simple: a parameter of which larger values are ("-max_depth" where smaller ones are), several of them, or a
        function of the parameters. A model that names the parameter of its complexity says it by itself.
    nested
        Splits of an outer cross-validation, such as 5: the whole search is made anew within each of its folds, and
        measured on rows that it did not see. The value of the best candidate itself is too good.
    train
        Whether candidates are measured on their training rows too, for validation curves.
    seconds
        About how long the search may take; the first candidate as long as it needs. What is done by then is the result,
        and so it is at Ctrl-C.
    journal
        A file to which finished folds are written; a search that was stopped or killed goes on from it. Candidates may
        be added to the space in the meantime.
    n_jobs
        How many processes fit folds, -1 for one a core; the answers have the same bits.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> found = search(sf.KNeighborsClassifier(), {"n_neighbors": [1, 5, 15, 50]}, iris.matrix(), iris["species"])
    >>> found.params, round(found.value, 3)
    ({'n_neighbors': 15}, 0.967)
    >>> type(found.model).__name__, found.model.n_neighbors
    ('KNeighborsClassifier', 15)
    """
    seed = seed_of(random_state, journal, _OWNER)
    of = problem([model], X, y, sample_weight, groups, positive, _OWNER).timed(time)
    asked = Space.of(space, model, _OWNER)
    found = usable(measures, of, [model]) if measures is not None else usable(None, of.split(splits, seed, 5), [model])
    chosen = Rule.of(rule, simpler, asked.names, _OWNER, _simplicity(model, asked))
    plan = Plan(
        asked, _strategy(strategy, asked), found, splits, chosen, train,
        _checked_seconds(seconds), checked_jobs(n_jobs, _OWNER),
    )  # fmt: skip
    inside = of.split(splits, seed, 5)
    settings = checked(Settings(found, None, 0.95, 2000, seed, False, False, "raise", train, plan.n_jobs), inside)
    outer = None if nested is None else of.split(nested, seed)
    if outer is not None and isinstance(X, Source):
        raise InvalidParameter(f"{_OWNER}: nested needs rows in memory, and they are in {X}; leave it out.")
    with opened(journal, inside, settings, model=model) as book:
        made = plan.run(model, inside, seed, book)
        beside = None
        if outer is not None and made.status == "finished":
            name = f"search of {type(model).__name__}"
            beside = evaluated("nested", model, outer, settings, plan, book, name)
    return SearchResult(model, plan, made.candidates, inside, seed, made.status, beside)


def _simplicity(model: EstimatorLike, space: Space) -> str | None:
    """The parameter that says which models are simple, where the model names one and it is searched."""
    knob = knob_of(model)
    return knob.simpler if knob is not None and knob.name in space.names else None


def _strategy(strategy: object, space: Space) -> Strategy:
    if strategy is None:
        listed = all(hasattr(own, "listed") for part in space.parts for own in part.values())
        return GridSearch() if listed else RandomSearch()
    return STRATEGIES.member(strategy, _OWNER, "strategy")


def _checked_seconds(seconds: object) -> float | None:
    """A limit that is a number above 0, or None."""
    if seconds is None:
        return None
    if not isinstance(seconds, Real) or isinstance(seconds, bool) or not as_float(seconds) > 0:
        raise InvalidParameter(f"{_OWNER}: seconds must be a number, above 0, or None; got {seconds!r}.")
    return as_float(seconds)
