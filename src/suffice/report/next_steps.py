"""The part of a report to act on: what the best model is good for, and what to try next."""

from __future__ import annotations

import numpy as np

from ..evaluation import Comparison, Evaluation
from .advice import (
    bends,
    given,
    logarithm,
    more_rows,
    not_to_be_used,
    rows_to_choose,
    search_code,
    simpler,
    too_good,
)
from .deciding import calibration, said_and_true, threshold_table, threshold_words, typical_errors
from .learnable import folds_of
from .measuring import rare_class
from .parts import Part
from .study import Study

DECIDING = "What its answers are worth"
NEXT = "What to try next"


def deciding_part(study: Study) -> Part:
    """How far off predictions are, whether probabilities can be believed, and where to act."""
    made: Comparison = study.results["comparison"]
    found, y, kind = made.evaluations[made.winner], study.results["y"], study.results["kind"]
    part = Part(DECIDING)
    if kind == "numbers":
        part.words = [f"{made.winner}, on rows it did not learn from. {typical_errors(y, found.predicted)}"]
        part.code = f"best = comparison.evaluations[{made.winner!r}]\n"
        part.code += "print(np.quantile(np.abs(best.predicted - y), [0.5, 0.9], method='higher'))"
    elif found.probability is None or not np.isfinite(np.asarray(found.probability, dtype=np.float64)).all():
        part.words = [f"{made.winner} gives no probabilities: it names a class, and does not say how sure it is."]
    else:
        _probabilities(part, made, found, study)
    return part


def _probabilities(part: Part, made: Comparison, found: Evaluation, study: Study) -> None:
    y, probability = study.results["y"], np.asarray(found.probability, dtype=np.float64)
    part.words = [f"{made.winner}, on rows it did not learn from. "
                  f"{calibration(*said_and_true(probability, np.array(found.classes, dtype=object), y))}"]  # fmt: skip
    rare = rare_class(y, "classes")
    if rare is not None:
        own = probability[:, list(found.classes).index(rare)]
        part.tables, part.words = [threshold_table(own, y == rare, rare)], [*part.words, threshold_words(rare)]
        part.code = (
            f"best = comparison.evaluations[{made.winner!r}]\n"
            f"p = best.probability[:, list(best.classes).index({rare!r})].astype(float)\n"
            f"for t in (0.1, 0.5):\n    print(t, (p >= t).sum(), ((p >= t) & (y == {rare!r})).sum())"
        )


def next_part(study: Study) -> Part:
    """What to try next, as a list; and a search of the winner's parameters as code."""
    made: Comparison = study.results["comparison"]
    name, y, kind = made.winner, study.results["y"], study.results["kind"]
    gap = made.gaps.get(name) if made.has_training else None
    doubt = not_to_be_used(made)
    if doubt:
        return Part(NEXT, items=[doubt])
    items = [too_good(made), simpler(made), more_rows(gap, name)]
    items.append(bends(made, study.results["models"]))
    if kind == "numbers":
        predicted = np.asarray(made.evaluations[name].predicted, dtype=np.float64)
        items.append(logarithm(y, predicted, str(study.rows.target)))
    part = Part(NEXT, items=given([*items, rows_to_choose(made, len(y))]))
    code = search_code(name, study.results["models"][name], folds_of(y, kind))
    if code:
        part.items.append(f"{name} was tried with its defaults alone; a search of its parameters may find better ones.")
        part.texts = [("The search, as code", code)]
    if not part.items:
        part.words = [f"Nothing stands out: use {name}, and look at what it gets wrong."]
    return part
