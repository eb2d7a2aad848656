"""The third section: how well the target can be told from the other columns, and where that fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.rows import is_gap
from ..description.text import count, number
from ..errors import InvalidData
from ..evaluation import Comparison, compare
from ..evaluation.comparing import DUMMY
from ..models.impute import SimpleImputer
from ..models.prepare import OneHotEncoder, StandardScaler
from ..pipeline import Pipeline, prepared
from ..plots import CalibrationDisplay, ConfusionDisplay, IntervalsDisplay, PredictionErrorDisplay, RocDisplay
from ..text import counted, figure
from ..typing import EstimatorLike, Labels
from .model_choice import candidates
from .parts import Figures, Part, Section, Shown, attempt
from .pictures import picture
from .readable_tree import importance_part, tree_part, uses_trees
from .rows import MOST_FEATURES, Rows
from .study import Study

FOLDS = 5  # at least; each class needs as many rows
MORE_FOLDS, FEW_ROWS = 10, 2_000  # with few rows more folds can be afforded, and more is learned from them
FEWEST = 2 * FOLDS  # rows
MEASURES = {"classes": ("accuracy", "balanced_accuracy", "log_loss"), "numbers": ("r2", "rmse", "mae")}
_RIVALS = 4  # named in the verdict
_PREPARED = {
    OneHotEncoder: "categories become columns of 0 and 1",
    SimpleImputer: "missing values are filled by medians",
    StandardScaler: "columns are scaled",
}
_WORST = 10
_WORST_COLUMNS = 8
_CLASSES_SHOWN = 20
_CURVES_SHOWN = 6  # classes with a curve each
_POINTS = 1_500


def prediction_section(study: Study) -> Section:
    """Models compared, the winner's errors, and its worst rows."""
    section = Section("target", f"Predicting {study.rows.target}", "")
    part = attempt("Models compared", lambda: comparison_part(study), "No models were compared")
    section.parts.append(part)
    if part.failed:
        study.short.append(part.words[0])
    if "comparison" in study.results:
        section.parts.append(attempt("Errors of the best", lambda: errors_part(study)))
        section.parts.append(attempt("What it gets wrong", lambda: worst_part(study)))
        if uses_trees(study.results["models"]):
            section.parts.append(attempt("What the trees look at", lambda: importance_part(study)))
            section.parts.append(attempt("A tree to read", lambda: tree_part(study)))
    return section


def learnable(study: Study) -> tuple[Rows, NDArray[np.generic], str, list[str]]:
    """The rows with a usable target, the target, its kind, and what was left out."""
    rows, y, kind = study.rows.labelled(study.task)
    target, said = study.rows.target, []
    if kind == "classes":
        names, sizes = np.unique(y, return_counts=True)
        if len(names) > max(2, len(y) / 3):
            raise InvalidData(
                f"the target {target!r} has {count(len(names))} different values in {count(len(y))} rows, like an id."
            )
        rare = names[sizes < FOLDS]
        if len(rare):
            said.append(f"Classes with fewer than {FOLDS} rows are left out: {', '.join(map(str, rare[:10]))}.")
            keep = ~np.isin(y, rare)
            rows, y = rows.only(keep), y[keep]
    different = len(set(y.tolist()))
    if different < 2:
        what = "class" if kind == "classes" else "value"
        raise InvalidData(
            f"the target {target!r} has {'no' if not different else 'only one'} {what} with enough rows to learn from."
        )
    if len(y) < FEWEST:
        raise InvalidData(f"the target {target!r} is known in {len(y)} rows; at least {FEWEST} are needed.")
    return rows, y, kind, said


def folds_of(y: Labels, kind: str) -> int:
    """How many folds the rows allow."""
    smallest = int(np.unique(y, return_counts=True)[1].min()) if kind == "classes" else len(y)
    return MORE_FOLDS if len(y) <= FEW_ROWS and smallest >= MORE_FOLDS else FOLDS


def measures_of(kind: str, models: Mapping[str, EstimatorLike]) -> tuple[str, ...]:
    """What is measured; nothing that needs probabilities where a model gives none."""
    measures: tuple[str, ...] = MEASURES[kind]
    all_say = all(hasattr(model, "predict_proba") for model in models.values())
    return measures if all_say or kind == "numbers" else tuple(name for name in measures if name != "log_loss")


def comparison_part(study: Study) -> Part:
    """All models that can learn from the table, on the same folds."""
    rows, y, kind, said = learnable(study)
    X = rows.table()
    folds = folds_of(y, kind)
    found = candidates(X, y, kind, seconds=study.seconds, folds=folds) if study.models is None else None
    models = dict(found.models if found is not None else study.models or {})
    pipelines = {name: prepared(model, X) for name, model in models.items()}
    made: Comparison = compare(
        pipelines, X, y,
        splits=folds, measures=measures_of(kind, models), random_state=study.seed, keep_models=False,
        train=len(y) <= FEW_ROWS, on_error="keep",
    )  # fmt: skip
    study.results |= {"models": models, "comparison": made, "labelled": rows, "y": y, "kind": kind, "table": X}
    part = Part("Models compared", words=_how(made, pipelines, X.num_columns, len(y), study))
    part.code = _code(models, rows, study, kind, folds)
    part.notes += said
    if rows.is_cut():
        part.notes.append(f"No more than the first {MOST_FEATURES} features are used; leave out columns to use others.")
    caption = (
        f"{made.measure.name} with its {100 * made.level:g} % interval; small dots are folds, the dashed line is the "
        "dummy, which sees the target alone. Beside it the differences from the best: within the band they do not "
        "matter." + (" Dots above the intervals are the scores of training rows." if made.has_training else "")
    )
    part.pictures = [Shown(picture(IntervalsDisplay.from_comparison(made, ax=False)), caption)]
    part.tables = [_comparison_table(made)]
    if found is not None and found.left_out:
        part.hidden = [
            Figures(("model", "why it was left out"), sorted(found.left_out.items()), "Models left out", 1, True)
        ]
    study.short.append(_verdict(made))
    part.words.insert(0, _verdict(made))
    if made.has_training:
        part.words.append(fitting(made))
    return part


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
    said = f"{figure(value.value, 3)} [{figure(value.low, 3)}, {figure(value.high, 3)}]"
    if best == DUMMY:
        return f"No model tells the target better than the dummy does, which reaches {name} {said}."
    dummy = made.evaluations[DUMMY].intervals[name]
    rivals = [other for other, d in made.to_best.items() if d.verdict in ("equivalent", "undecided")]
    found = (
        f"The best of {len(made.evaluations) - 1} models is {best}: {name} {said}, the dummy {figure(dummy.value, 3)}."
    )
    if DUMMY in rivals:
        return f"{found} These two are not told apart: perhaps there is nothing to learn."
    more = f" and {len(rivals) - _RIVALS} more" if len(rivals) > _RIVALS else ""
    return f"{found} Not told apart from it: {', '.join(rivals[:_RIVALS])}{more}." if rivals else found


def _how(made: Comparison, pipelines: Mapping[str, Pipeline], columns: int, n: int, study: Study) -> list[str]:
    shown = study.shown(n)
    return [
        f"Each of {folds_of(study.results['y'], study.results['kind'])} folds is told by models that learned from the "
        f"others. {_preparation(pipelines)}{count(n)} rows and {counted(columns, 'column')}"
        + (f" ({shown})." if shown else ".")
        + f" Differences up to {figure(made.zone, 3)} do not matter. The best was chosen on these same folds, so its "
        "own figure is a little too good."
    ]


def _preparation(pipelines: Mapping[str, Pipeline]) -> str:
    """What is done to the table for models that need it."""
    used = {type(step) for own in pipelines.values() for _, step in own.steps[:-1]}
    done = [words for step, words in _PREPARED.items() if step in used]
    if not done:
        return "No model needs the table prepared. "
    listed = done[0] if len(done) == 1 else f"{', '.join(done[:-1])} and {done[-1]}"
    bare = sum(len(own.steps) == 1 for own in pipelines.values())
    rest = f"; {bare} of {len(pipelines)} models {'takes' if bare == 1 else 'take'} the table as it is" if bare else ""
    return f"Within each fold, for models that need it, {listed}{rest}. "


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


def _code(models: dict[str, Any], rows: Rows, study: Study, kind: str, folds: int) -> str:
    listed = "".join(f'    "{name}": {_call(model)},\n' for name, model in models.items())
    lines = [f"labelled, y, kind = rows.labelled({study.task!r})"]
    if len(rows) < len(study.rows) and kind == "classes":
        lines += [
            "names, sizes = np.unique(y, return_counts=True)",
            f"enough = np.isin(y, names[sizes >= {FOLDS}])",
            "labelled, y = labelled.only(enough), y[enough]",
        ]
    lines += [
        "table = labelled.table()",
        f"models = {{\n{listed}}}",
        "comparison = sf.compare(",
        "    {name: sf.prepared(model, table) for name, model in models.items()}, table, y,",
        f"    splits={folds}, measures={measures_of(kind, models)}, random_state={study.seed},",
        f'    keep_models=False, train={len(rows) <= FEW_ROWS}, on_error="keep",',
        ")",
        "print(comparison)",
    ]
    return "\n".join(lines)


def _call(model: EstimatorLike) -> str:
    own = type(model).__module__.startswith(__name__.partition(".")[0])
    return " ".join(f"{'sf.' if own else ''}{model!r}".split())


def winner(study: Study) -> tuple[str, Any]:
    """The best model that is not the dummy, and its evaluation."""
    made = study.results["comparison"]
    name = next(name for name in made.ranking if name != DUMMY)
    return name, made.evaluations[name]


def errors_part(study: Study) -> Part:
    """How the best model errs, on rows that it did not learn from."""
    name, found = winner(study)
    if study.results["kind"] == "numbers":
        part = Part("Errors of the best", code=f'best = comparison.evaluations["{name}"]\nprint(best)')
        settings: dict[str, object] = {"name": str(study.rows.target), "most_rows": _POINTS, "ax": False}
        shown = PredictionErrorDisplay.from_evaluation(found, **settings)
        caption = f"{name}, each row told by a model that did not learn from it. {study.shown(len(shown.truth))}"
        part.pictures = [Shown(picture(shown), caption.strip())]
        return part
    table = found.confusion
    part = Part("Errors of the best", code=f'best = comparison.evaluations["{name}"]\nprint(best.confusion)')
    if len(table.classes) <= _CLASSES_SHOWN:
        drawn = picture(ConfusionDisplay.from_evaluation(found, ax=False))
        part.pictures = [Shown(drawn, f"{name}, each row told by a model that did not learn from it.")]
    if len(table.classes) <= _CURVES_SHOWN:
        part.pictures += _curves(found)
    tp, fp, fn, _ = table.counts()
    rows = [
        (str(c), count(int(tp[i] + fn[i])), _ratio(tp[i], tp[i] + fn[i]), _ratio(tp[i], tp[i] + fp[i]))
        for i, c in enumerate(table.classes)
    ]
    part.tables = [Figures(("class", "rows", "recall", "precision"), rows[:_CLASSES_SHOWN])]
    return part


def _curves(found: Any) -> list[Shown]:
    """How a classifier ranks rows, and what its probabilities are worth; nothing where it gives none."""
    if found.probability is None:
        return []
    roc, calibration = RocDisplay.from_evaluation(found, ax=False), CalibrationDisplay.from_evaluation(found, ax=False)
    band = " The band is one standard deviation of the folds." if roc.curves[0].low is not None else ""
    return [
        Shown(picture(roc), f"ROC: true against false positives over all thresholds.{band}"),
        Shown(picture(calibration), "Calibration: of rows that were given a probability, how many came true."),
    ]


def _ratio(a: float, b: float) -> str:
    return figure(float(a / b), 3) if b > 0 else ""


def worst_part(study: Study) -> Part:
    """The rows that the best model is most wrong about."""
    name, found = winner(study)
    rows, y = study.results["labelled"], study.results["y"]
    loss, truth, said, how = _losses(found, y, study.results["kind"])
    order = np.argsort(-np.nan_to_num(loss, nan=-np.inf), kind="stable")[:_WORST]
    order = order[np.isfinite(loss[order]) & (loss[order] > 0)]
    if not len(order):
        return Part("What it gets wrong", words=[f"Nothing: {name} is right about every row."])
    columns = [c.name for c in rows.columns if c.name != rows.target][:_WORST_COLUMNS]
    listed = [
        (
            count(int(rows.places[i])),
            truth[i],
            said[i],
            figure(float(loss[i]), 3),
            *(_cell(rows, c, i) for c in columns),
        )
        for i in order
    ]
    return Part(
        "What it gets wrong",
        words=[f"The rows that {name} is most wrong about: look whether they are wrong themselves. Rows count from 0."],
        tables=[
            Figures(
                ("row", "true", "said", how, *columns),
                listed,
                "Worst first, as told by a model that did not learn from them",
            )
        ],
        code=_worst_code(how),
    )


def _worst_code(how: str) -> str:
    """How the worst rows are found, by the name of the loss."""
    lines = {
        "off by": ["loss = np.abs(best.predicted - y)"],
        "wrong": ["loss = (best.predicted != y).astype(float)"],
        "1 − p(true)": [
            "own = best.probability[np.arange(len(y)), np.searchsorted(np.array(best.classes, dtype=object), y)]",
            "loss = np.where(best.predicted != y, 1 - own.astype(float), 0.0)",
        ],
    }[how]
    worst = f"worst = np.argsort(-np.nan_to_num(loss, nan=-np.inf), kind='stable')[:{_WORST}]"
    return "\n".join([*lines, worst, "print(labelled.places[worst], loss[worst])"])


def _losses(found: Any, y: NDArray[Any], kind: str) -> tuple[NDArray[Any], list[str], list[str], str]:
    """How wrong each row is, its truth and its prediction as texts, and the name of the loss."""
    if kind == "numbers":
        said = np.asarray(found.predicted, dtype=np.float64)
        return np.abs(said - y), [number(v) for v in y], [number(v) for v in said], "off by"
    called = [str(v) for v in found.predicted]
    wrong = np.array([a != b for a, b in zip(called, y.tolist(), strict=True)], dtype=np.float64)
    if found.probability is None:
        return wrong, list(map(str, y)), called, "wrong"
    code = {c: i for i, c in enumerate(found.classes)}
    own = np.array([found.probability[i, code[c]] for i, c in enumerate(y.tolist())], dtype=np.float64)
    return np.where(wrong > 0, 1 - own, 0.0), list(map(str, y)), called, "1 − p(true)"


def _cell(rows: Rows, name: str, i: int) -> str:
    """A cell as people write it."""
    value = rows.cells[name][i]
    if is_gap(value):
        return ""
    kind = next(column.kind for column in rows.columns if column.name == name)
    if kind == "date":
        return str(np.datetime64(0, "D") + int(value))
    if kind == "boolean":
        return "yes" if value else "no"
    return str(value)[:40] if kind == "categorical" else number(float(value))
