"""A small tree that people can read, and how much each column matters to the best of the models with trees."""

from __future__ import annotations

from collections.abc import Mapping

from ..models.tree import DecisionTreeClassifier, DecisionTreeRegressor
from ..models.tree.base import TreeModel
from ..pipeline import prepared
from ..text import figure
from ..typing import EstimatorLike
from .parts import Figures, Part, Shown
from .pictures import picture
from .study import Study

_DEPTH, _LEAST = 3, 0.01  # of the tree, and the share of the rows of a leaf
_COLUMNS = 12  # whose importance is listed


def uses_trees(models: Mapping[str, EstimatorLike]) -> bool:
    """Whether one of the models has trees."""
    return any(isinstance(model, TreeModel) for model in models.values())


def tree_part(study: Study) -> Part:
    """A tree of few splits as a picture, and the importances of columns."""
    table, y = study.results["table"], study.results["y"]
    cls = DecisionTreeClassifier if study.results["kind"] == "classes" else DecisionTreeRegressor
    fitted = prepared(cls(max_depth=_DEPTH, min_samples_leaf=_LEAST), table).fit(table, y)
    tree = fitted[-1]
    study.results["decision_tree"] = tree
    words = [
        f"A tree of at most {_DEPTH} splits in a row, with at least {100 * _LEAST:g} % of the rows in a leaf. It is "
        "there to be read; deeper trees and forests may predict better. Follow yes to the left and no to the right; "
        "missing cells take the way that says so."
    ]
    caption = (
        f"{tree.n_leaves_} leaves; its score on the rows that it learned from is {figure(fitted.score(table, y), 3)}."
    )
    part = Part("A tree to read", words=words, pictures=[Shown(picture(tree.plot(ax=False)), caption)])
    made = f"sf.{cls.__name__}(max_depth={_DEPTH}, min_samples_leaf={_LEAST})"
    part.code = f"decision_tree = sf.prepared({made}, table).fit(table, y)[-1]\nprint(decision_tree.rules())"
    part.tables = [_importances(study)]
    return part


def _importances(study: Study) -> Figures:
    """How much each column matters to the best model that has trees, fitted to all rows."""
    models, ranking = study.results["models"], study.results["comparison"].ranking
    name = next(name for name in ranking if isinstance(models.get(name), TreeModel))
    table, y = study.results["table"], study.results["y"]
    model = prepared(models[name], table).fit(table, y)[-1]
    shares = sorted(
        zip(model.rules().schema.names, model.feature_importances_.tolist(), strict=True), key=lambda p: -p[1]
    )
    rows = [(column, figure(share, 3)) for column, share in shares[:_COLUMNS] if share > 0]
    more = sum(share > 0 for _, share in shares[_COLUMNS:])
    caption = f"The share of each column in what the splits of {name} gain" + (
        f"; {more} more columns have some" if more else ""
    )
    return Figures(("column", "importance"), rows, caption)
