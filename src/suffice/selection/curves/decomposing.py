"""Bias, variance and noise: of what the error of a learner consists, from many training tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from ...data.labels import encode
from ...data.rows import as_array
from ...data.source import Source
from ...engine import keeps_what_is_done
from ...errors import InvalidData, InvalidParameter
from ...observing import part_done
from ...randomness import generator
from ...resampling import problem
from ...resampling.folds import coded, seeded
from ...resampling.problem import task_of
from ...resampling.rows import rows_of
from ...text import aligned, counted, figure, html_table
from ...typing import AxesLike, EstimatorLike, Flags, Floats, Labels, RandomState, TableLike, TargetLike, Whole
from ..complexity import Knob, chosen_knob
from ..searching.candidates import shown_value
from ..searching.space import Space, check_value
from .terms import Terms, absolute_terms, squared_terms

if TYPE_CHECKING:
    from ...plots import BandsDisplay

_OWNER = "decompose"
_LEAST = 10  # tables
MakeData = Callable[..., tuple[Any, Any]]  # (rng) gives a table and its target, (rng, X=…) new targets of these rows
_WORDS = {"squared": "squared error", "0-1": "0–1 loss"}


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
    """What the expected error of a learner consists of; `noise` is None where it stays part of `bias`."""

    name: str
    loss: str  # "squared" or "0-1"
    terms: Terms
    errors: Terms  # the standard error of each, by leaving out tables, and rows that were predicted
    tables: int
    rows: int  # that were predicted
    status: str = "finished"  # or "interrupted" or "time_limit"

    @property
    def error(self) -> float:
        """The expected error, the sum of all terms."""
        return self.terms.error

    @property
    def noise(self) -> float | None:
        """What no learner can avoid."""
        return self.terms.noise

    @property
    def bias(self) -> float:
        """What the main prediction, the mean or the mode over tables, loses beside the best there is; of one table also
        the noise."""
        return self.terms.bias

    @property
    def variance(self) -> float:
        """What is lost since predictions differ from table to table."""
        return self.terms.variance

    @property
    def disagreement(self) -> float:
        """How far predictions are from their main one: the variance, or the share that differs from the mode."""
        return self.terms.disagreement

    def table(self) -> list[dict[str, Any]]:
        """One row a term: its name, its value and its standard error."""
        named = [("noise", self.terms.noise, self.errors.noise)] if self.terms.noise is not None else []
        bias = "bias²" if self.loss == "squared" else "bias"
        named.append((bias if named else f"{bias} + noise", self.terms.bias, self.errors.bias))
        named += [
            ("variance", self.terms.variance, self.errors.variance),
            ("error", self.terms.error, self.errors.error),
        ]
        return [{"term": name, "value": value, "standard_error": error} for name, value, error in named]

    def __repr__(self) -> str:
        parts = ", ".join(f"{row['term']} {figure(row['value'], 3)}" for row in self.table())
        return f"Decomposition({self.name}: {parts})"

    def __str__(self) -> str:
        return "\n".join([self._head(), "", aligned(self._rows()), *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self._head(), self._notes())

    def _head(self) -> str:
        made = "training tables" if self.terms.noise is not None else "bootstrap samples"
        return f"{self.name}: {_WORDS[self.loss]}, {self.tables:,} {made}, {counted(self.rows, 'row')} predicted"

    def _rows(self) -> Sequence[Sequence[str]]:
        rows = [(row["term"], figure(row["value"]), figure(row["standard_error"], 2)) for row in self.table()]
        return [("term", "value", "±"), *rows]

    def _notes(self) -> list[str]:
        return [] if self.status == "finished" else [f"stopped early ({self.status})"]


@dataclass(frozen=True, eq=False, repr=False)
class DecompositionCurve:
    """Bias, variance and noise over the values of a parameter; print it, or plot it."""

    knob: Knob
    values: tuple[object, ...]
    parts: tuple[Decomposition, ...]

    @property
    def best(self) -> int:
        """The place of the value with the least error."""
        return int(np.argmin([part.error for part in self.parts]))

    def table(self) -> list[dict[str, Any]]:
        """One row a value, with all terms."""
        return [
            {self.knob.name: value, **{row["term"]: row["value"] for row in part.table()}}
            for value, part in zip(self.values, self.parts, strict=True)
        ]

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """Draw every term and their sum over the parameter."""
        from ...plots import BandsDisplay

        return BandsDisplay.from_decomposition(self, ax=ax)

    def _marks(self) -> list[str]:
        return ["least error" if at == self.best else "" for at in range(len(self.parts))]

    def __repr__(self) -> str:
        best = shown_value(self.values[self.best])
        return f"DecompositionCurve({self.knob.name}: {counted(len(self.values), 'value')}, least error at {best})"

    def __str__(self) -> str:
        return aligned(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows(), repr(self), [])

    def _rows(self) -> Sequence[Sequence[str]]:
        table = self.table()
        rows = [
            (shown_value(value), *(figure(float(term), 4) for term in list(row.values())[1:]), at_best)
            for value, row, at_best in zip(self.values, table, self._marks(), strict=True)
        ]
        return [(*table[0], ""), *rows]


def decompose(
    model: EstimatorLike,
    data: MakeData | TableLike,
    y: TargetLike = None,
    *,
    repeats: int = 100,
    random_state: RandomState = 0,
) -> Decomposition:
    """The expected error of a learner as noise + bias + variance, over training tables.

    Of numbers it is the squared error, E (y − f(x))² = Var(y | x) + (E y − E f)² + Var f; of classes the 0–1 loss, with
    the most frequent prediction in place of the mean.

    data, y
        A function: `data(rng)` draws a table, (X, y), and `data(rng, X=X)` new targets of given rows, (X, y). The model
        is fitted to `repeats` tables, and predicts the rows of one more, of which as many targets are drawn. Or a table
        X with its target y: then the model is fitted to bootstrap samples and predicts the rows that are not in them;
        of each row there is one target, so that noise cannot be told from bias.

    >>> import suffice as sf
    >>> def wave(rng, X=None):
    ...     X = rng.uniform(0, 6, (60, 1)) if X is None else X
    ...     return X, np.sin(X[:, 0]) + 0.5 * rng.normal(size=len(X))
    >>> found = decompose(sf.KNeighborsRegressor(1), wave, repeats=50)
    >>> [row["term"] for row in found.table()], bool(abs(found.noise - 0.25) < 0.05)
    (['noise', 'bias²', 'variance', 'error'], True)
    """
    return _decomposed([model], data, y, repeats, random_state)[0]


def decompose_over(
    model: EstimatorLike,
    data: MakeData | TableLike,
    y: TargetLike = None,
    *,
    name: str | None = None,
    values: object = None,
    points: int = 9,
    repeats: int = 100,
    random_state: RandomState = 0,
) -> DecompositionCurve:
    """`decompose` for several values of a parameter, by default of the one that says how flexible the model is.

    The same tables are used for all values, so that their differences are those of the models.

    >>> import suffice as sf
    >>> geyser = sf.datasets.load("faithful")
    >>> X, y = geyser.matrix(["eruptions"]), geyser["waiting"]
    >>> print(decompose_over(sf.KNeighborsRegressor(), X, y, values=[1, 20, 150], repeats=50))
    n_neighbors  bias² + noise  variance  error
    1                    43.77     11.41  55.18
    20                   32.74     1.656   34.4  least error
    150                  56.08    0.7025  56.78
    """
    owner = "decompose_over"
    knob = chosen_knob(name, model, owner)
    space = Space.of([knob.name] if values is None else {knob.name: values}, model, owner)
    tried = [one.params[knob.name] for one in space.grid(points, owner)]
    for value in tried:
        check_value(knob.name, value, model, model.get_params(), owner)
    models = [clone(model).set_params(**{knob.name: value}) for value in tried]
    return DecompositionCurve(knob, tuple(tried), tuple(_decomposed(models, data, y, repeats, random_state)))


@dataclass(frozen=True, eq=False)
class _Said:
    """What one fit of each model says: predictions (models, m), which rows were asked (m,), and a target (m,)."""

    predicted: Sequence[Labels]
    asked: Flags
    target: Labels


def _decomposed(
    models: Sequence[EstimatorLike], data: object, y: TargetLike, repeats: int, random_state: RandomState
) -> list[Decomposition]:
    if not isinstance(repeats, Integral) or isinstance(repeats, bool) or repeats < _LEAST:
        raise InvalidParameter(f"{_OWNER}: repeats must be an integer, at least {_LEAST}; got {repeats!r}.")
    task = task_of(models[0], _OWNER)
    if task not in ("classes", "numbers"):
        raise InvalidParameter(f"{_OWNER}: {type(models[0]).__name__} gives {task}; take a classifier or a regressor.")
    rng = generator(random_state)
    simulated = callable(data) and not hasattr(data, "shape")
    made = _simulated(models, data, int(repeats), rng) if simulated else _bootstrapped(models, data, y, repeats, rng)
    said, status = _collected(made, int(repeats))
    name = type(models[0]).__name__
    return [_of_model(name, [one.predicted[k] for one in said], said, task, simulated, status)
            for k in range(len(models))]  # fmt: skip


def _collected(made: Iterator[_Said], repeats: int) -> tuple[list[_Said], str]:
    """What was said until all is done, or somebody stopped it with enough to go by."""
    said: list[_Said] = []
    with keeps_what_is_done(_OWNER, {"repeats": repeats}, enough=lambda: len(said) >= _LEAST) as ended:
        for one in made:
            part_done(len(said), repeats)  # what was fitted when time was over does not count
            said.append(one)
    return said, ended.status


def _simulated(
    models: Sequence[EstimatorLike], make: MakeData, repeats: int, rng: np.random.Generator
) -> Iterator[_Said]:
    X_new, first = _drawn(make, rng)
    for _ in range(repeats):
        X, y = _drawn(make, rng)
        target = _drawn(make, rng, X_new)[1]
        if len(target) != len(first):
            raise InvalidData(f"{_OWNER}: data(rng, X=X) must give a target for each of {len(first)} rows of X.")
        seed = int(rng.integers(2**31))
        said = [np.asarray(seeded(model, seed).fit(X, y).predict(X_new)) for model in models]
        yield _Said(said, np.ones(len(first), dtype=bool), target)


def _drawn(make: MakeData, rng: np.random.Generator, X: object = None) -> tuple[Any, Labels]:
    try:
        pair = make(rng) if X is None else make(rng, X=X)
        table, target = pair
    except (TypeError, ValueError) as error:
        raise InvalidParameter(
            f"{_OWNER}: data must be a function with data(rng) -> (X, y) and data(rng, X=X) -> (X, new y); {error}."
        ) from None
    return table, np.asarray(target)


def _bootstrapped(
    models: Sequence[EstimatorLike], X: TableLike, y: TargetLike, repeats: int, rng: np.random.Generator
) -> Iterator[_Said]:
    if isinstance(X, Source):
        raise InvalidParameter(f"{_OWNER}: samples are drawn in memory, and the rows are in {X}; give a part of them.")
    of = problem(models, X, y, owner=_OWNER)
    target = as_array(of.y, _OWNER, "y must have one entry a row")
    if target.ndim != 1:
        raise InvalidData(f"{_OWNER}: y must be one column; got shape {target.shape}.")
    for _ in range(repeats):
        drawn: Whole = rng.integers(of.n, size=of.n)
        left = np.ones(of.n, dtype=bool)
        left[drawn] = False
        if of.codes is not None and len(np.unique(of.codes[drawn])) < 2:
            drawn = np.arange(of.n)  # one class alone teaches nothing; nobody is asked
            left[:] = False
        seed, rows, out = int(rng.integers(2**31)), rows_of(of.X, drawn), np.flatnonzero(left)
        said = []
        for model in models:
            fitted = seeded(model, seed).fit(rows, of.y[drawn])
            told = np.asarray(fitted.predict(rows_of(of.X, out))) if len(out) else target[:0]
            own = np.empty(of.n, dtype=np.result_type(told, target) if told.dtype.kind != "O" else object)
            own[out] = told
            said.append(own)
        yield _Said(said, left, target)


def _of_model(
    name: str, predicted: list[Labels], said: list[_Said], task: str, simulated: bool, status: str
) -> Decomposition:
    asked = np.array([one.asked for one in said])
    enough = asked.sum(axis=0) >= 2  # what is predicted once has no variance
    if not enough.any():
        raise InvalidData(f"{_OWNER}: no row was left out of 2 samples; give more rows or repeats.")
    asked = asked[:, enough]
    if task == "numbers":
        f = np.array([np.asarray(one[enough], dtype=np.float64) for one in predicted])
        y = np.array([np.asarray(one.target[enough], dtype=np.float64) for one in said])

        def compute(often: Floats, at: Flags) -> Terms:
            return squared_terms(f[:, at], y[:, at], asked[:, at], often, simulated)

    else:
        classes = encode(np.concatenate([one.target for one in said]))[0]
        labels = tuple(classes.tolist())
        f_codes = np.array(
            [np.where(a, _codes(p[enough], a, labels), 0) for p, a in zip(predicted, asked, strict=True)]
        )
        y_codes = np.array([coded(one.target[enough], labels) for one in said])
        k = len(labels) + 1

        def compute(often: Floats, at: Flags) -> Terms:
            return absolute_terms(f_codes[:, at], y_codes[:, at], asked[:, at], often, k, simulated)

    terms, errors = _with_errors(compute, len(said), asked.shape[1])
    return Decomposition(name, "squared" if task == "numbers" else "0-1", terms, errors, len(said),
                         int(enough.sum()), status)  # fmt: skip


def _codes(labels: Labels, asked: Flags, classes: tuple[object, ...]) -> Whole:
    found = np.zeros(len(labels), dtype=np.int64)
    found[asked] = coded(np.array(labels[asked].tolist()), classes)
    return found


def _with_errors(compute: Callable[[Floats, Flags], Terms], tables: int, rows: int) -> tuple[Terms, Terms]:
    """The terms, and their standard errors: the jackknife over ten groups of tables, and over ten of the rows."""
    often, at = np.ones(tables), np.ones(rows, dtype=bool)
    whole = compute(often, at)
    ways = [[compute(np.where(gone, 0.0, often), at) for gone in _tenths(tables)],
            [compute(often, ~gone) for gone in _tenths(rows)]]  # fmt: skip

    def error(name: str) -> float:
        each = [np.array([getattr(one, name) for one in without], dtype=float) for without in ways if without]
        squares = [(len(own) - 1) / len(own) * np.nansum((own - np.nanmean(own)) ** 2) for own in each]
        found = float(np.sqrt(sum(squares)))
        return found if found > 1e-12 * float(np.nanmax(np.abs(each[0]))) else 0.0  # less is rounding

    names = ("bias", "variance", "error", "disagreement")
    noise = None if whole.noise is None else error("noise")
    return whole, Terms(noise=noise, **{name: error(name) for name in names})


def _tenths(n: int) -> list[Flags]:
    """Which of n are in each of ten groups, fewer where they are fewer, every tenth in one; none of a single one."""
    groups = min(n, 10)
    return [np.arange(n) % groups == group for group in range(groups)] if n > 1 else []
