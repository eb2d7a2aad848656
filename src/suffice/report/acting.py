"""The section of a report about acting: what the costs say is done, in words, and what that costs on new rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidParameter
from ..evaluation import Comparison
from ..models.decision.cost_curve import cost_curve
from ..models.decision.rejection import rejection_curve
from ..resampling.cost_results import CostResult
from ..resampling.costs import Costs, CostsLike
from ..text import figure
from ..typing import Codes, Floats
from .learnable import learnable
from .parts import Figures, Part, Section, Shown, attempt
from .pictures import picture
from .rows import Rows, Task
from .study import Study

TITLE = "Deciding"


@dataclass(frozen=True, eq=False)
class Acting:
    """What actions cost, and what doubt does; the file or value that said so stands in `given`."""

    costs: Costs
    doubt: float | None
    given: object
    of_all: bool = True  # whether every class that `given` names is learned

    @classmethod
    def of(cls, given: CostsLike, doubt: float | None, rows: Rows, task: Task) -> Acting:
        """The costs of a table's classes, but for those that have too few rows to be learned from."""
        _, y, kind, _ = learnable(rows, task)
        if kind != "classes":
            raise InvalidParameter(
                f"report: costs are for classes, and the target {rows.target!r} holds numbers; leave costs out, or say "
                "task='classes'."
            )
        every, kept = np.unique(rows.labelled("classes")[1]).tolist(), np.unique(y)
        costs = Costs.of(given, every, None, "report")
        if np.array_equal(costs.actions, costs.classes):
            costs = Costs(costs.costs, costs.classes, costs.classes)
        own = np.isin(every, kept)
        return cls(Costs(costs.costs[own], kept, costs.actions), doubt, given, bool(own.all()))

    @property
    def table(self) -> Floats:
        """What each action costs where each class is true, doubt last, (k, a)."""
        return self.costs.with_doubt(self.doubt)

    @property
    def actions(self) -> list[str]:
        """The names of the actions, doubt last."""
        return [*map(str, self.costs.actions.tolist()), *([] if self.doubt is None else ["doubt"])]


def rule_in_words(acting: Acting) -> str:
    """When which action is taken, in words: those of least expected cost.

    >>> costs = Costs.of({"ill": {"treat": 1, "wait": 20}, "well": {"treat": 1, "wait": 0}}, ["ill", "well"])
    >>> rule_in_words(Acting(costs, None, None))
    "'wait' where the probability of 'well' is above 0.95, else 'treat'."
    """
    C, doubt = acting.costs.costs, acting.doubt
    if len(C) == 2:
        return _of_two(acting)
    error = float(C.max())
    if np.array_equal(acting.costs.actions, acting.costs.classes) and np.array_equal(C, error * (1 - np.eye(len(C)))):
        rule = "The most probable class"
        return f"{rule}." if doubt is None or doubt >= error else _but_doubt(rule, 1 - doubt / error)
    rule = "Of each row the action whose costs, weighted by the probabilities of the classes, are least"
    return f"{rule}." if doubt is None else f"{rule}; doubt where they are all above {figure(doubt)}."


def _but_doubt(rule: str, at: float) -> str:
    return f"{rule}; doubt where its probability is below {figure(at)}."


def _of_two(acting: Acting) -> str:
    """The probabilities p of the second class for each action: expected costs are straight lines in p."""
    name, table = repr(str(acting.costs.classes.tolist()[1])), acting.table
    words = [*(repr(str(action)) for action in acting.costs.actions.tolist()), "doubt"]
    start, slope = table[0], table[1] - table[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = ((start[:, None] - start) / (slope - slope[:, None])).ravel()
    ends = np.unique(np.concatenate([[0.0, 1.0], meet[(meet > 0) & (meet < 1)]]))
    middle = (ends[1:] + ends[:-1]) / 2
    best = np.argmin(start[:, None] + slope[:, None] * middle, axis=0)
    change = np.flatnonzero(np.diff(best)) + 1
    said, at = [words[k] for k in best[np.append(0, change)]], [figure(float(ends[k])) for k in change]
    if len(said) == 1:
        return f"Always {said[0]}."
    if len(said) == 2:
        return f"{_begun(said[1])} where the probability of {name} is above {at[0]}, else {said[0]}."
    between = [f"{own} from {low} to {high}" for own, low, high in zip(said[1:-1], at, at[1:], strict=False)]
    return f"By the probability of {name}: {said[0]} up to {at[0]}, {', '.join(between)}, {said[-1]} above {at[-1]}."


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def deciding_section(study: Study, acting: Acting) -> Section:
    """The rule, what it costs on rows left out, and pictures of that for other prices and for doubt."""
    section = Section("deciding", TITLE, "")
    section.parts.append(attempt("What to do, and what it costs", lambda: _cost_part(study, acting)))
    return section


def _cost_part(study: Study, acting: Acting) -> Part:
    made: Comparison | None = study.results.get("comparison")
    if made is None:
        return Part(
            "What to do, and what it costs", words=["No models were compared, so that nothing says what to do."]
        )
    rule = rule_in_words(acting)
    found, costs = made.evaluations[made.winner], acting.costs
    part = Part("What to do, and what it costs", words=[f"Decision rule of least expected cost: {rule}"])
    study.short.append(f"Decision rule by these costs: {rule}")
    part.tables = [_cost_table(acting)]
    P = None if found.probability is None else np.asarray(found.probability, dtype=np.float64)
    if P is None or len(found.classes) != len(costs.classes) or not np.isfinite(P).all(axis=1).any():
        part.words.append(
            f"{made.winner} gives no probabilities, which costs need; calibrate it, or take another model."
        )
        return part
    place = [list(map(str, found.classes)).index(str(name)) for name in costs.classes.tolist()]
    known = np.isfinite(P).all(axis=1)
    P, codes = P[known][:, place], np.searchsorted(costs.classes, np.asarray(study.results["y"])[known])
    expected = costs.expected(P, acting.doubt)
    given, actions = _given(acting)
    result = found.cost(given, actions, acting.doubt)
    part.words += [*in_words(result, made.winner), *([] if acting.doubt is None else [_doubted(result)])]
    study.short.append(in_words(result, made.winner)[0])
    part.tables.append(_actions(result))
    part.pictures = _pictures(P, expected, codes, acting)
    part.code = _code(acting, made.winner)
    study.results["costs"] = result
    return part


def in_words(result: CostResult, name: str) -> list[str]:
    """What acting costs beside what always doing the same does, and beside what the probabilities promise."""
    own, always = result.realised, f"the {figure(result.fixed, 3)} of always doing {str(result.fixed_action)!r}"
    cost = f"{figure(own.value, 3)} [{figure(own.low, 3)}, {figure(own.high, 3)}]"
    clear = "less than" if own.high < result.fixed else "more than" if own.low > result.fixed else ""
    clear = clear or "not clearly other than"
    first = f"Acting on {name} costs {cost} a row on rows it did not learn from, {clear} {always}."
    promised = figure(result.expected.value, 3)
    if own.low > result.expected.value:
        more = f"Its probabilities promise {promised}, less than is paid: calibrate them before they decide."
    elif own.high < result.expected.value:
        more = f"Its probabilities promise {promised}, more than is paid: calibrate them before they decide."
    else:
        more = f"Its probabilities promise {promised}, which agrees with what is paid."
    return [first, more]


def _doubted(result: CostResult) -> str:
    return f"Left to somebody else: {100 * result.doubted:.3g} % of the rows."


def _cost_table(acting: Acting) -> Figures:
    rows = [(str(name), *map(figure, own)) for name, own in zip(acting.costs.classes, acting.table, strict=True)]
    return Figures(("where true is", *acting.actions), rows, "What each action costs")


def _actions(result: CostResult) -> Figures:
    """How often each action is taken, and what it costs then, as expected and in truth."""
    rows = [
        (
            str(own.action),
            figure(own.weight),
            f"{100 * own.share:.3g} %",
            figure(own.expected, 3),
            figure(own.realised, 3),
        )
        for own in result.by_action
    ]
    header = ("action", "rows", "share", "expected cost", "cost")
    return Figures(header, rows, "Actions on rows that were left out, and the mean cost of a row")


def _pictures(P: Floats, expected: Floats, codes: Codes, acting: Acting) -> list[Shown]:
    costs = acting.costs
    curve = rejection_curve(expected[:, : len(costs.actions)], codes, costs, None, 0.95)
    shown = [Shown(picture(curve.plot(ax=False)),
                   "The mean cost of the rows that are decided, with its 95 % interval, over the share that is left to "
                   "somebody else, the most doubtful rows first")]  # fmt: skip
    if len(costs.classes) == 2:
        second = str(costs.classes.tolist()[1])
        made = cost_curve(P[:, 1], codes == 1, second, None, 101, 0.95)
        caption = (
            f"Whatever the prices are: the mean cost of acting on the probability of {second!r} over the share of a "
            "false alarm in the costs of a false alarm and a miss, with its 95 % interval"
        )
        shown.append(Shown(picture(made.plot(ax=False)), caption))
    return shown


def _code(acting: Acting, name: str) -> str:
    given, actions = _given(acting)
    arguments = f"{given!r}"
    arguments += "" if actions is None else f", actions={actions!r}"
    arguments += "" if acting.doubt is None else f", doubt={acting.doubt!r}"
    return (
        f"paid = comparison.evaluations[{name!r}].cost({arguments})\n"
        'print(paid, *paid.by_action, sep="\\n")\n'
        f"model = sf.prepared(models[{name!r}], table)\n"
        f"decide = sf.Decide(model, {arguments}).fit(table, y)\n"
        "print(decide.costs_)"
    )


def _given(acting: Acting) -> tuple[CostsLike, list[object] | None]:
    """The costs as they were given, and the names of actions where these do not say them.

    Where a class was left out, or an object gave them that has no short name, they are a matrix of the classes learned.
    """
    costs, given = acting.costs, acting.given
    if acting.of_all and isinstance(given, str | dict):
        return given, None
    return costs.costs.tolist(), costs.actions.tolist()
