"""A small tree that people can read, and how much each column matters to the best of the models with trees."""

from __future__ import annotations

from collections.abc import Mapping

from ..description.text import count
from ..evaluation import Comparison
from ..models.tree.base import TreeColumns
from ..pipeline import prepared
from ..plots import IntervalsDisplay
from ..text import counted, figure
from ..typing import EstimatorLike
from .model_choice import DEPTH, LEAST, SMALL_TREE, small_tree
from .parts import Figures, Part, Shown
from .pictures import picture
from .study import Study

_COLUMNS = 12  # whose importance is shown


def uses_trees(models: Mapping[str, EstimatorLike]) -> bool:
    """Whether one of the models has trees."""
    return any(isinstance(model, TreeColumns) for model in models.values())


def tree_part(study: Study) -> Part:
    """A tree of few splits as a picture and as rules."""
    table, y, kind = study.results["table"], study.results["y"], study.results["kind"]
    made = small_tree(kind)
    tree = prepared(made, table).fit(table, y)[-1]
    study.results["decision_tree"] = tree
    part = Part("A tree to read")
    if tree.n_leaves_ == 1:
        least = f"{100 * LEAST:g} %"
        part.words = [f"No split leaves at least {least} of the rows on both sides: a tree has nothing to say here."]
    else:
        part.words = [_told(study, tree.n_leaves_)]
        caption = (
            "Yes goes to the left, no to the right; missing cells and categories never seen go where it says missing."
        )
        part.pictures = [Shown(picture(tree.plot(ax=False)), caption)]
        part.texts = [("The tree as rules", str(tree.rules()))]
    part.code = f"decision_tree = sf.prepared(sf.{made!r}, table).fit(table, y)[-1]\nprint(decision_tree.rules())"
    return part


def _told(study: Study, leaves: int) -> str:
    """What the tree is, and how much is lost by reading it instead of asking the best model."""
    made: Comparison = study.results["comparison"]
    about = (
        f"A tree of at most {DEPTH} splits in a row, with at least {100 * LEAST:g} % "
        f"of the rows in a leaf, grown on {count(len(study.results['y']))} rows: {leaves} leaves."
    )
    if study.models is not None or SMALL_TREE not in made.evaluations:
        return f"{about} It is there to be read; other models may predict better."
    own = made.evaluations[SMALL_TREE].intervals[made.measure.name]
    said = f"{about} Trees like it reach {made.measure.name} {figure(own.value, 3)} on rows they did not learn from"
    if made.best == SMALL_TREE:
        return f"{said}, and no model reaches more.{_doubt(made, SMALL_TREE, 'The tree')}"
    best = made.evaluations[made.best].intervals[made.measure.name]
    return f"{said}; {made.best} reaches {figure(best.value, 3)}.{_doubt(made, SMALL_TREE, 'The tree')}"


def _doubt(made: Comparison, name: str, called: str = "It") -> str:
    """A warning about a model that may have found nothing but noise."""
    if name not in made.to_dummy or made.to_dummy[name].verdict == "better":
        return ""
    return f" {called} is not clearly better than the dummy: its splits may be noise."


def importance_part(study: Study) -> Part:
    """How much each column matters to the best model that has trees, fitted to all rows."""
    models, ranking = study.results["models"], study.results["comparison"].ranking
    name = next(name for name in ranking if isinstance(models.get(name), TreeColumns))
    best = study.results.get("best") if name == study.results["comparison"].winner else None
    model = study.results["trees"] = (study.results["comparison"].fitted(name) if best is None else best)[-1]
    importances = zip(model.feature_names_in_.tolist(), model.feature_importances_.tolist(), strict=True)
    shares = sorted(importances, key=lambda pair: -pair[1])
    used = [(column, share) for column, share in shares if share > 0]
    part = Part("What the trees look at", code=f"trees = comparison.fitted({name!r})[-1]")
    part.code += "\nprint(dict(zip(trees.feature_names_in_, trees.feature_importances_.round(3))))"
    if not used:
        part.words = [f"{name} makes no split: no column matters to it."]
        return part
    part.words = [
        f"Of the models with trees, {name} is the best.{_doubt(study.results['comparison'], name)} The importance of "
        "a column is its share in all that the splits gain. It favours columns with many different values, and of "
        "columns that say the same it may name either."
    ]
    shown = used[:_COLUMNS]
    names, values, zero = [column for column, _ in shown], [share for _, share in shown], [0.0] * len(shown)
    left = len(used) - len(shown)
    more = f"{counted(left, 'more column')} {'has' if left == 1 else 'have'} less." if left else ""
    part.pictures = [Shown(picture(IntervalsDisplay(names, values, zero, values, "importance")), more)]
    rows = [(column, figure(share, 3)) for column, share in used]
    part.hidden = [Figures(("column", "importance"), rows, "Importances as numbers")]
    return part
