"""How many clusters, or components: several criteria side by side."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from numbers import Integral
from statistics import median_low
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..data import Needs, Source, as_source
from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..observing import Iteration, announced, observers
from ..randomness import generator
from ..text import aligned, figure
from ..typing import AxesLike, EstimatorLike, RandomState, TableLike, WeightLike
from .criteria import CRITERIA, Scores, Trial, cost_of

_MOST_REFERENCES = 1_000_000
ALL = ("elbow", "penalty", "silhouette", "gap", "held_out")


@dataclass(frozen=True, eq=False)
class Selection:
    """What each criterion says about each number k; print it, plot it, or take the figures.

    `costs` is what the models minimised, or maximised, by its name `measure`.
    """

    ks: tuple[int, ...]
    costs: NDArray[np.float64]
    scores: dict[str, Scores]
    measure: str = "cost"

    @property
    def table(self) -> dict[str, NDArray[np.generic]]:
        """Columns by name: k, what was measured, and each criterion's value and, where it has one, its spread."""
        columns: dict[str, NDArray[np.generic]] = {"k": np.asarray(self.ks), self.measure: self.costs}
        for name, found in self.scores.items():
            columns[name] = found.values
            if found.spread is not None:
                columns[f"{name}_spread"] = found.spread
        return columns

    @property
    def best(self) -> dict[str, int]:
        """The k that each criterion chooses; without those that choose none."""
        return {name: found.best for name, found in self.scores.items() if found.best is not None}

    @property
    def recommended(self) -> int:
        """The k that most criteria choose; where several have as many votes, the nearest to the median choice."""
        chosen = list(self.best.values())
        if not chosen:
            raise InvalidParameter(
                f"Selection: {' and '.join(self.scores)} chose no k; ask for another criterion beside."
            )
        votes, middle = Counter(chosen), median_low(chosen)
        return min(votes, key=lambda k: (-votes[k], abs(k - middle), k))

    def __str__(self) -> str:
        rows = [
            (str(k), figure(self.costs[i]), *(_cell(found, i) for found in self.scores.values()))
            for i, k in enumerate(self.ks)
        ]
        choice = ("best", "", *(str(self.best.get(name, "")) for name in self.scores))
        text = aligned([("k", self.measure, *self.scores), *rows, choice])
        silent = [f"{name} is shown, but chooses no k" for name in self.scores if name not in self.best]
        return "\n".join([text, "", *silent, *([f"recommended: k = {self.recommended}"] if self.best else [])])

    def plot(self, ax: AxesLike = None) -> Any:
        """Draw what was measured and every criterion over k, each choice marked; gives the display."""
        from ..plots.criteria import CriteriaDisplay, Curve

        curves = [Curve(self.measure.replace("_", " "), tuple(self.costs.tolist()))]
        for name, found in self.scores.items():
            spread = None if found.spread is None else tuple(found.spread.tolist())
            curves.append(Curve(name.replace("_", " "), tuple(found.values.tolist()), spread, found.best))
        return CriteriaDisplay(self.ks, tuple(curves)).drawn(ax)


def _cell(found: Scores, i: int) -> str:
    value = figure(found.values[i])
    spread = "" if found.spread is None else figure(found.spread[i], 2)  # nothing where it is not known
    return f"{value} ± {spread}" if value and spread else value


def select_k(
    model: EstimatorLike,
    X: TableLike,
    k: Iterable[int] | None = None,
    criteria: Sequence[str] = ALL,
    *,
    sample_weight: WeightLike = None,
    penalty: float | None = None,
    references: int = 10,
    folds: int = 5,
    random_state: RandomState = None,
) -> Selection:
    """Fit a clusterer with each number of clusters k and ask several criteria, such as min cost(k) + λ k.

    The model is any clusterer with `n_clusters`, its cost what it minimises. Rows that are not in memory, from
    `scan` or Dask, can be asked for elbow and penalty only, which need no more than the costs. `penalty` is λ,
    `references` the tables of the gap, `folds` those of held_out. What each criterion is, see `criteria`. held_out
    is shown, but has no vote: the cost of new rows falls with k, too. Without `k`, 1 to 14 are tried, no more than
    there are rows.

    >>> import numpy as np, suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.3, (30, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    >>> found = select_k(sf.KMeans(n_init=3), X, range(1, 7), ("elbow", "penalty", "silhouette"), random_state=0)
    >>> found.best, found.recommended
    ({'elbow': 3, 'penalty': 3, 'silhouette': 3}, 3)
    """
    _check_numbers(penalty, references, folds)
    settings = {"penalty": penalty, "references": references, "folds": folds}
    return ask(Question(), model, X, k, criteria, sample_weight, random_state, settings)


@dataclass(frozen=True)
class Question:
    """Who asks, for which parameter of a model, and which criteria know the answer."""

    owner: str = "select_k"
    parameter: str = "n_clusters"
    of: str = "clusters"
    measure: str = "cost"
    answers: tuple[str, ...] = ()  # methods that the model must have
    tried: int = 14  # the largest k where none is given
    takes_sparse: bool = False

    def usual(self, model: EstimatorLike, n_rows: int | None, n_columns: int) -> tuple[int, ...]:
        """Every k that is tried where none is given."""
        return tuple(range(1, min(self.tried, n_rows or self.tried) + 1))

    def settle(self, trial: Trial, X: TableLike, weight: WeightLike, done: Callable[[int, float], None]) -> Trial:
        """The trial with the cost, and where rows are in memory the labels, of each k."""
        costs, labels = [], []
        for k in trial.ks:
            model = trial.fit(k, X, weight)
            costs.append(cost_of(model, X))
            if trial.rows is not None:
                labels.append(np.asarray(model.labels_ if hasattr(model, "labels_") else model.predict(X)))
            done(k, costs[-1])
        return replace(trial, costs=np.array(costs), labels=labels)

    def measured(self, trial: Trial) -> NDArray[np.float64]:
        """What the selection shows of each k beside the criteria."""
        return trial.costs


def ask(question: Question, model: EstimatorLike, X: Any, k: Iterable[int] | None, criteria: Sequence[str],
        sample_weight: Any, random_state: RandomState, settings: dict[str, Any]) -> Selection:  # fmt: skip
    """Fit the model for each k, and score every k by each criterion."""
    owner = question.owner
    given, names = None if k is None else _checked_ks(k, owner), _checked_criteria(criteria, question)
    if isinstance(model, type):
        raise InvalidParameter(f"{owner}: model must be a model, such as {model.__name__}(), not its class.")
    if not hasattr(model, "get_params") or question.parameter not in model.get_params():
        kind = "clusterer" if question.of == "clusters" else "density"
        raise InvalidParameter(
            f"{owner}: model must be a {kind} with the parameter {question.parameter}; got {model!r}."
        )
    lacking = [name for name in question.answers if not hasattr(model, name)]
    if lacking:
        raise InvalidParameter(
            f"{owner}: {type(model).__name__} is not a density: it has no {lacking[0]}. Use a mixture, PPCA, "
            "FactorAnalysis, PCA, a factorisation or a topic model."
        )
    rng = generator(random_state)
    model = _seeded(model, rng) if random_state is not None else clone(model)
    missing = question.of != "clusters" and bool(get_tags(model).input_tags.allow_nan)
    needs = Needs(owner=owner, missing=missing, sparse=question.takes_sparse)
    source = as_source(X, None, sample_weight, needs=needs)
    rows, weight = _in_memory(source, names, question)
    most = rows.shape[0] if rows is not None else source.n_rows
    ks = question.usual(model, most, len(source.schema)) if given is None else given
    if most is not None and ks[-1] > most:
        raise InvalidParameter(f"{owner}: k must be at most the number of rows, {most}; got {ks[-1]}.")
    if (weight is not None or sample_weight is not None) and not has_fit_parameter(model, "sample_weight"):
        raise InvalidParameter(f"{owner}: {type(model).__name__} takes no sample_weight; leave it out.")
    trial = Trial(
        model, ks, np.empty(0), len(source.schema), rows, weight, seed=int(rng.integers(2**31)),
        parameter=question.parameter, **settings,
    )  # fmt: skip
    began, numbers = time.perf_counter(), count(1)

    def done(k: int, cost: float) -> None:
        one = Iteration(next(numbers), cost, time.perf_counter() - began, {"k": k})
        for observer in observers():
            observer.iteration_done(one, {})

    with announced(owner, {"model": repr(model), "k": list(ks)}) as ended:
        trial = question.settle(trial, *((X, sample_weight) if rows is None else (rows, weight)), done)
        scores = {name: CRITERIA[name].score(trial) for name in names}
        ended.append("converged")
    return Selection(ks, question.measured(trial), scores, question.measure)


def _in_memory(source: Source, names: Sequence[str], question: Question) -> tuple[Any, Any]:
    """The rows that count and their weights, or nothing where they are not in memory and no criterion asks."""
    if source.in_memory is not None:
        rows, weight = source.in_memory.X, source.in_memory.weight
        return (rows, None) if weight is None else (rows[weight > 0], weight[weight > 0])
    for name in names:
        if CRITERIA[name].needs_rows:
            known = [name for name, one in CRITERIA.items() if question.of in one.of and not one.needs_rows]
            other = f"ask for criteria that need only costs ({', '.join(known)}), or " if known else ""
            raise InvalidData(
                f"{question.owner}: {name} needs the rows in memory, and {source} is read in chunks; {other}give a "
                "sample of the rows as an array."
            )
    return None, None


def _seeded(model: EstimatorLike, rng: np.random.Generator) -> Any:
    model = clone(model)
    if model.get_params().get("random_state", 0) is None:
        model.set_params(random_state=int(rng.integers(2**31)))
    return model


def _checked_ks(k: Iterable[int], owner: str) -> tuple[int, ...]:
    ks = list(k) if isinstance(k, Iterable) else [k]
    if not ks or not all(isinstance(n, Integral) and not isinstance(n, bool) and n >= 1 for n in ks):
        raise InvalidParameter(f"{owner}: k must be integers, at least 1; got {ks!r}.")
    return tuple(sorted({int(n) for n in ks}))


def _checked_criteria(criteria: Sequence[str], question: Question) -> tuple[str, ...]:
    names = tuple(criteria) if isinstance(criteria, Iterable) and not isinstance(criteria, str) else (criteria,)
    known = [name for name, one in CRITERIA.items() if question.of in one.of]
    for name in names:
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise InvalidParameter(f"{question.owner}: criteria must be among {', '.join(known)}; got {name!r}.{hint}")
    if not names:
        raise InvalidParameter(f"{question.owner}: criteria must name at least 1 of {', '.join(known)}; got none.")
    return names


def _check_numbers(penalty: object, references: object, folds: object) -> None:
    if penalty is not None and not (isinstance(penalty, int | float | np.number) and penalty >= 0):
        raise InvalidParameter(f"select_k: penalty must be a number, at least 0, or None; got {penalty!r}.")
    check_at_least("select_k", "references", references, 1, _MOST_REFERENCES)
    check_at_least("select_k", "folds", folds, 2)


def check_at_least(owner: str, name: str, value: object, least: int, most: float = math.inf) -> None:
    """Raise `InvalidParameter` unless the value is an integer of at least `least`, at most `most`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not least <= value <= most:
        limit = "" if most == math.inf else f", at most {most:,}"
        raise InvalidParameter(f"{owner}: {name} must be an integer, at least {least}{limit}; got {value!r:.80}.")
