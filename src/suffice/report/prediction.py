"""The third section: how well the target can be told from the other columns, and where that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..description.text import count
from ..estimator import Estimator
from ..evaluation import Comparison, compare
from ..evaluation.comparing import DUMMY
from ..models.impute import SimpleImputer
from ..models.prepare import OneHotEncoder, StandardScaler
from ..pipeline import Pipeline
from ..plots import IntervalsDisplay
from ..resampling import Interval
from ..text import counted, figure
from ..typing import EstimatorLike
from .division import Divided
from .errors import errors_part
from .keeping import keeping_part
from .learnable import FEW_ROWS, FOLDS, learnable
from .learned import TITLE, learned_part
from .measuring import measures_of, rare_class, why_measured
from .model_choice import candidates, chosen
from .next_steps import DECIDING, NEXT, deciding_part, next_part
from .parts import Figures, Part, Section, Shown, attempt
from .pictures import picture
from .readable_tree import importance_part, tree_part, uses_trees
from .study import Study
from .worst import worst_part

_RIVALS = 4  # named in the verdict
_PREPARED = {
    OneHotEncoder: "categories become columns of 0 and 1",
    SimpleImputer: "missing values are filled by medians",
    StandardScaler: "columns are scaled",
}


def prediction_section(study: Study) -> Section:
    """Models compared, the winner's errors, and its worst rows."""
    section = Section("target", f"Predicting {study.rows.target}", "")
    part = attempt("Models compared", lambda: comparison_part(study), "No models were compared")
    section.parts.append(part)
    if part.failed:
        study.short.append(part.words[0])
    if "comparison" in study.results:
        section.parts += [attempt(title, lambda build=build: build(study)) for title, build in _parts(study).items()]  # type: ignore[misc]
    return section


def _parts(study: Study) -> dict[str, Callable[[Study], Part]]:
    """What is said of the winner, and of trees where there are any."""
    parts: dict[str, Callable[[Study], Part]] = {
        "Errors of the best": errors_part,
        DECIDING: deciding_part,
        "What it gets wrong": worst_part,
        TITLE: learned_part,
    }
    if uses_trees(study.results["models"]):
        parts |= {"What the trees look at": importance_part, "A tree to read": tree_part}
    return {**parts, "The best model, to be used": keeping_part, NEXT: next_part}


def comparison_part(study: Study) -> Part:
    """All models that can learn from the table, on the same folds."""
    rows, y, kind, said = learnable(study.rows, study.task)
    divided = study.division.divide(rows, y, kind)
    rows, y, said = divided.rows, divided.y, said + divided.notes
    X = rows.table()
    found = candidates(X, kind) if study.models is None else chosen(study.models, X)
    pipelines = found.pipelines
    measures, positive = measures_of(y, kind, pipelines.values()), rare_class(y, kind)
    made: Comparison = compare(
        pipelines, X, y,
        **divided.arguments, measures=measures, positive=positive, random_state=study.seed, keep_models=False,
        train=len(y) <= FEW_ROWS, on_error="keep", seconds=study.seconds if study.models is None else None,
    )  # fmt: skip
    models = {name: model for name, model in found.models.items() if name in made.evaluations}
    study.results |= {"models": models, "comparison": made, "labelled": rows, "y": y, "kind": kind, "table": X}
    part = Part(
        "Models compared", words=_how(made, {n: found.pipelines[n] for n in models}, X.num_columns, divided, study)
    )
    part.words += why_measured(y, kind, measures)
    part.code = _code(models, divided, study, kind, measures, positive)
    part.notes += said
    caption = (
        f"{made.measure.name} with its {100 * made.level:g} % interval; small dots are folds, the dashed line is the "
        "dummy, which sees the target alone. Beside it the differences from the best: within the band they do not "
        "matter." + (" Dots above the intervals are the scores of training rows." if made.has_training else "")
    )
    part.pictures = [Shown(picture(IntervalsDisplay.from_comparison(made, ax=False)), caption)]
    part.tables = [_comparison_table(made)]
    left_out = {**found.left_out, **made.left_out}
    if left_out:
        part.hidden = [Figures(("model", "why it was left out"), sorted(left_out.items()), "Models left out", 1, True)]
    part.notes += unfinished(made.left_out)
    study.short.append(_verdict(made))
    part.words.insert(0, _verdict(made))
    if made.has_training:
        part.words.append(fitting(made))
    return part


def unfinished(left_out: Mapping[str, str]) -> list[str]:
    """Who was not ready when the time was over: another model might be the best with more of it."""
    late = [name for name, why in left_out.items() if why.startswith(("not finished", "not begun"))]
    if not late:
        return []
    were = "was" if len(late) == 1 else "were"
    return [f"{', '.join(late)} {were} not ready in time; with more seconds another model may be the best."]


def fitting(made: Comparison) -> str:
    """Training error beside future error, in words: the gap of the best, and who over- or underfits beside it."""
    gap = str(made.gaps[made.best])
    said = [f"{made.best} beside its training rows: {gap}."]
    for fit, why in (("overfits", "better on training rows and worse on new ones"), ("underfits", "worse on both")):
        names = [name for name, found in made.fits.items() if found == fit and name != DUMMY]
        if names:
            said.append(f"Beside {made.best}, {', '.join(names)} {fit if len(names) == 1 else fit[:-1]}: {why}.")
    return " ".join(said)


def _verdict(made: Comparison) -> str:
    best, name = made.best, made.measure.name
    value = made.evaluations[best].intervals[name]
    said = with_ends(value)
    if best == DUMMY:
        return f"No model tells the target better than the dummy does, which reaches {name} {said}."
    dummy = made.evaluations[DUMMY].intervals[name]
    rivals = [other for other, d in made.to_best.items() if d.verdict in ("equivalent", "undecided")]
    found = (
        f"The best of {counted(len(made.evaluations) - 1, 'model')} is {best}: {name} {said}, "
        f"the dummy {figure(dummy.value, 3)}."
    )
    if DUMMY in rivals:
        return f"{found} There is no clear difference between these two{_but_ranks(made)}"
    more = f" and {len(rivals) - _RIVALS} more" if len(rivals) > _RIVALS else ""
    return f"{found} No clear difference to: {', '.join(rivals[:_RIVALS])}{more}." if rivals else found


def _but_ranks(made: Comparison) -> str:
    """That there may be nothing to learn; or that the rows of two classes are ranked better than by chance."""
    able = {name: one for name, one in made.evaluations.items() if name != DUMMY and "roc_auc" in one.intervals}
    level = 1 - (1 - made.level) / max(1, len(able))  # the best of many is looked at
    ranked = {name: one.interval("roc_auc", level=level) for name, one in able.items()}
    best = max(ranked, key=lambda name: ranked[name].low, default=None)
    if best is None or made.measure.name == "roc_auc" or not ranked[best].low > 0.5:
        return ": perhaps there is nothing to learn."
    own = ranked[best]
    return f", but {best} ranks the rows better than chance does: area under the ROC curve {with_ends(own)}."


def with_ends(found: Interval) -> str:
    """A figure and its interval, whose ends have so many digits that they are seen to differ from it.

    >>> with_ends(Interval(1.0, 0.9995, 1.0)), with_ends(Interval(0.8123, 0.7012, 0.9))
    ('1 [0.9995, 1]', '0.812 [0.701, 0.9]')
    """
    said = figure(found.value, 3)

    def end(x: float) -> str:
        shown = (figure(x, digits) for digits in range(3, 10))
        return next((words for words in shown if words != said or x == found.value), figure(x, 9))

    return f"{said} [{end(found.low)}, {end(found.high)}]"


def _how(
    made: Comparison, pipelines: Mapping[str, Pipeline], columns: int, divided: Divided, study: Study
) -> list[str]:
    n, told = len(divided.y), study.division.told(divided.parts)
    shown = study.shown(n, "used")
    return [
        f"{told} {_preparation(pipelines)}{count(n)} rows and {counted(columns, 'column')}"
        + (f" ({shown})." if shown else ".")
        + f" Differences up to {figure(made.zone, 3)} do not matter. The best was chosen on these same folds, so its "
        "own figure is a little too good."
    ]


def _preparation(pipelines: Mapping[str, Pipeline]) -> str:
    """What is done to the table for models that need it."""
    each = [[type(step) for _, step in own.steps[:-1] if not _is_for_later(step)] for own in pipelines.values()]
    done = [words for step, words in _PREPARED.items() if any(step in own for own in each)]
    if not done:
        return "No model needs the table prepared. "
    listed = done[0] if len(done) == 1 else f"{', '.join(done[:-1])} and {done[-1]}"
    bare = each.count([])
    rest = f"; {bare} of {len(pipelines)} models {'takes' if bare == 1 else 'take'} the table as it is" if bare else ""
    return f"Within each fold, for models that need it, {listed}{rest}. "


def _is_for_later(step: object) -> bool:
    """Whether it fills missing numbers of other rows, where these have none."""
    return isinstance(step, SimpleImputer) and step.strategy == "mean"


def _comparison_table(made: Comparison) -> Figures:
    measures = list(next(iter(made.evaluations.values())).intervals)
    header = ("model", made.measure.name, "interval", "less the best", "", *measures[1:])
    header += ("training",) if made.has_training else ()
    rows = []
    for row in made.table():
        others = made.evaluations[row["model"]].intervals
        against = "" if row["difference_to_best"] is None else _signed(row["difference_to_best"])
        rows.append(
            (row["model"], figure(row["value"]), f"[{figure(row['low'])}, {figure(row['high'])}]", against,
             row["verdict_to_best"] or "best", *(figure(others[name].value) for name in measures[1:]),
             *((figure(row["training"]),) if made.has_training else ()))
        )  # fmt: skip
    return Figures(header, rows, "Best first; the same folds for all", best=0)


def _signed(x: float) -> str:
    return f"{x:+.3g}" if x else "0"


def _code(
    models: Mapping[str, EstimatorLike],
    divided: Divided,
    study: Study,
    kind: str,
    measures: tuple[str, ...],
    positive: object,
) -> str:
    rows = divided.rows
    listed = "".join(f'    "{name}": {_call(model)},\n' for name, model in models.items())
    lines = [f"labelled, y, kind = rows.labelled({study.task!r})"]
    if len(rows) < len(study.rows) and kind == "classes":
        lines += [
            "names, sizes = np.unique(y, return_counts=True)",
            f"enough = np.isin(y, names[sizes >= {FOLDS}])",
            "labelled, y = labelled.only(enough), y[enough]",
        ]
    lines += study.division.keeping("labelled")
    arguments = ", ".join(filter(None, [f"splits={divided.parts}", study.division.argument("labelled")]))
    about = "" if positive is None else f" positive={positive!r},"
    lines += [
        "table = labelled.table()",
        f"models = {{\n{listed}}}",
        "comparison = sf.compare(",
        "    {name: sf.prepared(model, table) for name, model in models.items()}, table, y,",
        f"    {arguments}, measures={measures},{about} random_state={study.seed},",
        f'    keep_models=False, train={len(rows) <= FEW_ROWS}, on_error="keep",',
        ")",
        "print(comparison)",
    ]
    return "\n".join(lines)


def _call(model: EstimatorLike) -> str:
    cls = type(model)
    if isinstance(model, Estimator) and "as_proposed" in vars(cls) and repr(model) == repr(model.as_proposed()):
        return f"sf.{cls.__name__}.as_proposed()"
    own = cls.__module__.startswith(__name__.partition(".")[0])
    return " ".join(f"{'sf.' if own else ''}{model!r}".split())
