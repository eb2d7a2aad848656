"""How the best model errs on rows that it did not learn from."""

from __future__ import annotations

from ..description.text import count
from ..evaluation import Evaluation
from ..evaluation.comparing import DUMMY
from ..plots import CalibrationDisplay, ConfusionDisplay, PredictionErrorDisplay, ResidualsDisplay, RocDisplay
from ..text import figure
from .parts import Figures, Part, Shown
from .pictures import picture
from .study import Study

_CLASSES_SHOWN = 20
_CURVES_SHOWN = 6  # classes with a curve each
_POINTS = 1_500


def winner(study: Study) -> tuple[str, Evaluation]:
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
        caption = f"{name}, each row predicted by a model that did not learn from it. {study.shown(len(shown.truth))}"
        left = ResidualsDisplay.from_evaluation(found, **settings)
        bend = "Residuals: a bend is what the model cannot follow, a funnel are errors that grow with the prediction."
        part.pictures = [Shown(picture(shown), caption.strip()), Shown(picture(left), bend)]
        return part
    table = found.confusion
    part = Part("Errors of the best", code=f'best = comparison.evaluations["{name}"]\nprint(best.confusion)')
    if len(table.classes) <= _CLASSES_SHOWN:
        drawn = picture(ConfusionDisplay.from_evaluation(found, ax=False))
        part.pictures = [Shown(drawn, f"{name}, each row predicted by a model that did not learn from it.")]
    if len(table.classes) <= _CURVES_SHOWN:
        part.pictures += _curves(found)
    tp, fp, fn, _ = table.counts()
    rows = [
        (str(c), count(int(tp[i] + fn[i])), _ratio(tp[i], tp[i] + fn[i]), _ratio(tp[i], tp[i] + fp[i]))
        for i, c in enumerate(table.classes)
    ]
    cut = f"{_CLASSES_SHOWN} of {count(len(rows))} classes shown" if len(rows) > _CLASSES_SHOWN else ""
    part.tables = [Figures(("class", "rows", "recall", "precision"), rows[:_CLASSES_SHOWN], cut)]
    return part


def _curves(found: Evaluation) -> list[Shown]:
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
