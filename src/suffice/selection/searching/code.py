"""Python source that makes a model, or any value of a parameter, again."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...resampling import Folds, Forward, LeaveOneOut, MonteCarlo
from .dimensions import Dimension, Drawn, Listed

if TYPE_CHECKING:
    from .result import SearchResult

_WIDE = 100  # characters; longer calls are broken into lines


class Imports:
    """The import lines that a source needs, as they come up."""

    def __init__(self) -> None:
        self.lines: set[str] = set()

    def name_of(self, thing: type | Callable[..., object]) -> str:
        """How a class or function is called, after its import."""
        import suffice

        name, module = thing.__qualname__, thing.__module__
        if module.partition(".")[0] == "suffice":
            if getattr(suffice, name, None) is thing:
                self.lines.add("import suffice as sf")
                return f"sf.{name}"
            public = module.split(".")[:2]
            self.lines.add(f"from {'.'.join(public)} import {name}")
            return str(name)
        if module == "builtins":
            return str(name)
        public = [part for part in module.split(".") if not part.startswith("_")]
        self.lines.add(f"from {'.'.join(public)} import {name.partition('.')[0]}")
        return str(name)

    def __str__(self) -> str:
        return "\n".join(sorted(self.lines, key=lambda line: (line.startswith("import suffice"), line)))


def written(value: object, imports: Imports) -> str:
    """A value as Python writes it; what cannot be written is `...` with what it is.

    >>> from suffice import Ridge, Pipeline, StandardScaler
    >>> written(Pipeline([("scale", StandardScaler()), ("ridge", Ridge(alpha=0.5))]), Imports())
    "sf.Pipeline([('scale', sf.StandardScaler()), ('ridge', sf.Ridge(alpha=0.5))])"
    """
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return _number(value, imports)
    if isinstance(value, np.generic):
        return written(value.item(), imports)
    if isinstance(value, np.ndarray):
        imports.lines.add("import numpy as np")
        return f"np.array({value.tolist()!r})" if value.dtype.kind in "fiubU" else _unwritten(value)
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        inside = [written(item, imports) for item in value]
        ends = "[]" if isinstance(value, list) else "()"
        return f"{ends[0]}{', '.join(inside)}{',' if ends == '()' and len(inside) == 1 else ''}{ends[1]}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {written(item, imports)}" for key, item in value.items()) + "}"
    if isinstance(value, type | types.FunctionType | np.ufunc | types.BuiltinFunctionType):
        return _named(value, imports)
    if hasattr(value, "get_params") or dataclasses.is_dataclass(value):
        return _call(value, imports)
    return _unwritten(value)


def _number(value: object, imports: Imports) -> str:
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _named(value: type | Callable[..., object], imports: Imports) -> str:
    if isinstance(value, np.ufunc):
        imports.lines.add("import numpy as np")
        return f"np.{value.__name__}"
    hidden = "<" in value.__qualname__ or value.__module__ in (None, "__main__")
    return _unwritten(value) if hidden else imports.name_of(value)


def _unwritten(value: object) -> str:
    return f"...  # {' '.join(repr(value).split())[:60]}"


def _call(value: object, imports: Imports) -> str:
    """A constructor with what differs from its defaults."""
    defaults = _defaults(type(value))
    given = value.get_params(deep=False) if hasattr(value, "get_params") else _fields(value)
    parts = []
    for name, own in given.items():
        if name in defaults and _is_same(own, defaults[name]):
            continue
        text = written(own, imports)
        parts.append(text if name == "steps" else f"{name}={text}")
    return f"{imports.name_of(type(value))}({', '.join(parts)})"


def _fields(value: object) -> dict[str, object]:
    found = dataclasses.fields(value)  # type: ignore[arg-type]  # a dataclass, as was asked before
    return {field.name: getattr(value, field.name) for field in found if field.init}


def _defaults(cls: type) -> dict[str, object]:
    import inspect

    found = inspect.signature(cls).parameters.values()
    return {one.name: one.default for one in found if one.default is not inspect.Parameter.empty}


def _is_same(value: object, default: object) -> bool:
    try:
        return type(value) is type(default) and bool(value == default)
    except (TypeError, ValueError):
        return value is default


def source_code(found: SearchResult) -> str:
    """The chosen model, fitted; and the search that found it, as a comment would say: X and y are the user's."""
    imports = Imports()
    imports.lines.add("import suffice as sf")
    plan, of = found.plan, found.problem
    model = written(found.unfitted, imports)
    arguments = [written(found.estimator, imports), _space(found, imports), "X"]
    arguments += ["y"] if of.y is not None else []
    arguments += [f"strategy={written(plan.strategy, imports)}", f"splits={_splits(found, imports)}"]
    arguments.append(f"measures={[one.name for one in plan.measures]!r}")
    if plan.rule.name == "one_se":
        arguments += ["rule='one_se'", f"simpler={written(plan.rule.simpler, imports)}"]
    if of.weight is not None:
        arguments.append("sample_weight=sample_weight")
    if of.groups is not None:
        arguments.append("groups=groups")
    arguments += ["time=time"] if of.time is not None else []
    arguments.append(f"random_state={found.seed!r}")
    target = ", y" if of.supervised else ""
    weight = ", sample_weight=sample_weight" if of.weight is not None else ""
    search = "found = sf.search(\n" + "".join(f"    {one},\n" for one in arguments) + ")"
    lines = [f"model = {model}", f"model.fit(X{target}{weight})", "", "# The search that found it:", search]
    return "\n".join([str(imports), "", *lines]) + "\n"


def _space(found: SearchResult, imports: Imports) -> str:
    """The space as it was given, or as its names were understood."""
    parts = [{name: _values(own) for name, own in part.items()} for part in found.plan.space.parts]
    return written(parts[0] if len(parts) == 1 else parts, imports)


def _values(dimension: Dimension) -> object:
    if isinstance(dimension, Listed):
        return list(dimension.listed)
    return dimension.distribution if isinstance(dimension, Drawn) else dimension


def _splits(found: SearchResult, imports: Imports) -> str:
    splits = found.plan.splits
    if isinstance(splits, Folds | MonteCarlo | LeaveOneOut):
        imports.lines.add(f"from suffice.evaluation import {type(splits).__name__}")
        return repr(splits)
    if isinstance(splits, Forward):
        imports.lines.add("from suffice.evaluation import Forward")
        return f"Forward({splits.k})"
    return written(splits, imports)
