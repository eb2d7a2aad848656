"""Models to compare: every public classifier or regressor that suits the table, those that are quick first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InvalidData
from ..estimator import Estimator
from ..models.registry import estimators
from ..models.tree import DecisionTreeClassifier, DecisionTreeRegressor
from ..pipeline import Pipeline, prepared
from ..typing import EstimatorLike
from .suiting import unsuited

if TYPE_CHECKING:
    import pyarrow as pa

SMALL_TREE = "small tree"
_FIRST = (  # among those that iterate
    "LogisticRegression", "HistGradientBoostingClassifier", "RandomForestClassifier",
    "HistGradientBoostingRegressor", "RandomForestRegressor",
)  # fmt: skip
DEPTH, LEAST = 3, 0.01  # of the small tree, and the share of the rows of its leaves


@dataclass(frozen=True)
class Candidates:
    """Models by name, not fitted, each with the preparation that it needs, and why others were left out."""

    models: dict[str, EstimatorLike]
    pipelines: dict[str, Pipeline]
    left_out: dict[str, str]


def candidates(X: pa.Table, kind: str) -> Candidates:
    """The models of a kind, "classes" or "numbers", that suit the table, in the order in which they should be tried.

    The order does not depend on a clock: a small tree, what follows from one summary of the rows, what most tables
    should be tried with, then all others by name, and at the end those for few rows, which take longest.
    """
    wanted, left_out = {}, {}
    for name, model in sorted(_made(kind).items(), key=lambda pair: _place(*pair)):
        if why := unsuited(model, X):
            left_out[name] = why
        else:
            wanted[name] = model
    found = _prepared(wanted, X)
    return Candidates(found.models, found.pipelines, {**left_out, **found.left_out})


def chosen(wanted: Mapping[str, EstimatorLike], X: pa.Table) -> Candidates:
    """Models that somebody named, but for those that cannot learn from the table; an error where none can."""
    found = _prepared(wanted, X)
    if not found.models:
        raise InvalidData(" ".join(found.left_out.values()))
    return found


def _prepared(wanted: Mapping[str, EstimatorLike], X: pa.Table) -> Candidates:
    """The models with their preparation; whatever one of them says, the report goes on without it."""
    found = Candidates({}, {}, {})
    for name, model in wanted.items():
        try:
            found.pipelines[name] = prepared(model, X)
            found.models[name] = model
        except Exception as error:
            found.left_out[name] = " ".join(str(error).split())
    return found


def _place(name: str, model: Estimator) -> tuple[bool, bool, int, float, str]:
    first = _FIRST.index(name) if name in _FIRST else len(_FIRST)
    iterates, most = not getattr(model, "follows_from_summary", False), model.most_rows or float("inf")
    return name != SMALL_TREE, iterates, first, -most, name


def _made(kind: str) -> dict[str, Estimator]:
    """Every estimator of a kind as it is proposed, and a tree that people can read.

    Estimators that need arguments, or other models, are left out.
    """
    made: dict[str, Estimator] = {SMALL_TREE: small_tree(kind)}
    for name, cls in estimators("classifier" if kind == "classes" else "regressor").items():
        try:
            made |= {name: cls.as_proposed()} if cls.proposed and not cls.compound else {}
        except TypeError:
            continue
    return made


def small_tree(kind: str) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """A tree of few splits."""
    cls = DecisionTreeClassifier if kind == "classes" else DecisionTreeRegressor
    return cls(max_depth=DEPTH, min_samples_leaf=LEAST)
